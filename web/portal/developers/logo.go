package developers

import (
	"io"
	"net/http"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/view"
)

// The logo that the hosted pages of a cashbox show.
var logoRoutes = []route{
	{Pattern: "POST " + portal.LooksPath + "/logo", Needs: caller.MerchantLooks, Handle: (*visit).changeLogo},
	// The preview shows it in a frame, to which browsers send no cookies.
	{Pattern: "GET " + directory.LogoPath + "{hash}", Open: true, Handle: (*visit).showLogo},
}

const (
	// merchantLogos is how many logos of one merchant are received at the
	// same time.
	merchantLogos = 2
	// fieldLogo is the service's name of the logo field.
	fieldLogo = "logo"
)

// logoField is the form's field for the file.
func (v *visit) logoField(wrong string) view.Field {
	return view.Field{
		Name: portal.FileField, Label: sayLogoFile, Hint: v.Say(sayLogoHint), Wrong: wrong,
		Type: view.TypeFile, Quiet: true, More: map[string]any{"accept": "image/png,image/jpeg"},
	}
}

// changeLogo stores a logo, or removes it if the form asks for that.
func (v *visit) changeLogo() error {
	looks, at, err := v.ownLooks()
	if err != nil {
		return err
	}
	if len(looks) == 0 {
		return fault.ErrNotFound
	}
	sent, err := v.TakeUpload(v.uploads, v.Who.MerchantID, directory.LogoTooLarge)
	if err == nil {
		err = v.Once(sent.Form, func() (submission.Outcome, error) {
			return submission.Outcome{LedTo: lookPath(looks[at].CashboxID), Said: "look-saved"}, v.keepLogo(looks[at], sent)
		})
	}
	if f := fault.As(err); f != nil && f.Code == directory.ErrLookChanged.Code {
		return v.Done(lookPath(looks[at].CashboxID), "look-changed")
	}
	wrong := v.Wrong(err)
	if wrong == nil {
		return err
	}
	if wrong[fieldLogo] == "" {
		wrong[fieldLogo] = wrong[portal.FileField]
	}
	return v.showLook(http.StatusUnprocessableEntity, looks, at, lookValues(looks[at]), wrong)
}

// keepLogo stores the sent logo, or removes the present one if the form says
// so, whatever file it has. A look that has changed since the form was shown
// stays as it is.
func (v *visit) keepLogo(l directory.OwnLook, sent portal.Upload) error {
	u := directory.LookUpdate{CashboxID: l.CashboxID, Version: sent.Form.Get("version"), Logo: []byte{}}
	if sent.Form.Get("remove") == "" {
		if sent.File == nil {
			return fault.Fields{fieldLogo: {"is required"}}.Err()
		}
		// One more byte than allowed shows that it is too large.
		content, err := io.ReadAll(io.LimitReader(sent.File.Content(), directory.MaxLogo+1))
		if err != nil {
			return err
		}
		u.Logo = content
	}
	_, err := v.Settings.UpdateOwnLook(v.Ctx(), v.Who, u)
	return err
}

// showLogo serves a logo as the hosted pages do.
func (v *visit) showLogo() error {
	logo, err := v.Looks.PageLogo(v.Ctx(), v.R.PathValue("hash"))
	if err != nil {
		return err
	}
	h := v.W.Header()
	h.Set("Content-Type", "image/png")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = v.W.Write(logo)
	return nil
}
