package settings

import (
	"net/http"
	"net/url"

	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/view"
)

// askLogo asks why a shop's logo is removed from its hosted pages. Only the
// merchant can set one.
func (v *visit) askLogo() error {
	c, err := portal.Named(v.Visit, v.Settings.Cashbox)
	if err != nil {
		return err
	}
	if c.LogoHash == nil {
		return fault.ErrNotFound
	}
	return v.showLogo(http.StatusOK, c, nil, nil)
}

func (v *visit) showLogo(status int, c directory.Cashbox, typed url.Values, wrong map[string]string) error {
	path := portal.Numbered(portal.CashboxesPath, c.ID)
	form := view.MoneyForm{
		Action: path + "/logo", Text: v.Say(sayRemoveLogoText), Submit: v.Say(sayRemoveLogo), Back: view.Link(path),
		Hidden: [][2]string{{"token", submission.NewToken()}, {"version", c.Version}},
		Fields: []view.Field{v.reasonField()},
	}
	return v.ShowForm(status, v.Say(sayRemoveLogoOf, c.Name), form, typed, wrong)
}

// removeLogo removes a cashbox's logo, once, and keeps the reason. It is
// refused if the cashbox has changed since the form was shown.
func (v *visit) removeLogo() error {
	c, err := portal.Named(v.Visit, v.Settings.Cashbox)
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		_, err := v.Settings.UpdateCashbox(v.Ctx(), v.Who, directory.CashboxUpdate{
			ID: c.ID, RemoveLogo: true, Reason: form.Get("reason"), Seen: form.Get("version"),
		})
		return submission.Outcome{LedTo: portal.Numbered(portal.CashboxesPath, c.ID), Said: "setting-saved"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showLogo(http.StatusUnprocessableEntity, c, form, wrong)
	}
	return err
}
