package settings

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"gateway.example/web/portal"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/session"
	"gateway.example/internal/setting"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

var directoryMerchantRoutes = slices.Concat(
	[]route{looks(portal.MerchantsPath, (*visit).merchantList)},
	changes(portal.MerchantsPath+"/new", caller.OperatorDirectory, (*visit).merchantNew, (*visit).makeMerchant),
	settings(portal.MerchantsPath+"/{id}", caller.OperatorDirectory, (*visit).merchantPage, (*visit).changeMerchant),
	switches(portal.MerchantsPath, (*visit).merchantSwitch),
)

func (v *visit) merchantList() error {
	list, cursor, err := v.Settings.Merchants(v.Ctx(), v.Who, v.searched())
	d := Directory{
		Title: say.Merchants, Path: portal.MerchantsPath, Hint: sayFindByName, NewLabel: sayNewMerchant,
		New:     v.Makes(portal.MerchantsPath+"/new", caller.OperatorDirectory),
		Columns: []say.Phrase{say.NameLabel, say.Number, say.RatePercent, sayMadeOn, say.Status},
	}
	for _, m := range list {
		d.Rows = append(
			d.Rows,
			DirectoryRow{Href: view.Link(portal.Numbered(portal.MerchantsPath, m.ID)), Cells: []SubjectCell{
				{
					Text: m.Name,
				},
				{Text: portal.IDText(m.ID), Class: "num"},
				{Text: percentText(m.RatePercent), Class: "num"},
				{Text: v.Shell.Day(m.CreatedAt), By: new(float64(m.CreatedAt.Unix())), Class: "num"},
				{Badge: OnBadge(m.APIEnabled)},
			}},
		)
	}
	return v.showList(d, cursor, err)
}

// percentText is a percent without zeros that say nothing; none is "".
func percentText(percent decimal.NullDecimal) string {
	if !percent.Valid {
		return ""
	}
	return percent.Decimal.String()
}

func (v *visit) newMerchant() subject {
	s := subject{
		title: v.Shell.Say(sayNewMerchant),
		path:  portal.MerchantsPath + "/new",
		needs: caller.OperatorDirectory,
		inputs: inputsOf(
			setting.Merchant.Only("name", "ratePercent", "apiEnabled")...),
		values: url.Values{"apiEnabled": {"1"}},
	}
	s.page.Crumbs = []Crumb{{Text: v.Shell.Say(say.Merchants), Href: portal.MerchantsPath}}
	s.page.Form.Save, s.page.Form.Back = sayMake, portal.MerchantsPath
	return s
}

func (v *visit) merchantNew() error { return v.showSubject(http.StatusOK, v.newMerchant(), nil) }

func (v *visit) makeMerchant() error {
	return v.keepSubject(v.newMerchant(), "setting-made", func(ctx context.Context, form typed) (string, error) {
		var n directory.NewMerchant
		form.fill(setting.Merchant, &n)
		c, err := v.Settings.CreateMerchant(ctx, v.Who, n)
		return portal.Numbered(portal.MerchantsPath, c.Now.ID), err
	})
}

// merchantForm is what the page of a merchant changes: it is suspended on a page of its own.
var merchantForm = setting.Merchant.Without("apiEnabled")

func (v *visit) merchantAsked() (subject, error) {
	id, err := v.named()
	if err != nil {
		return subject{}, err
	}
	m, err := v.Settings.Merchant(v.Ctx(), v.Who, id)
	if err != nil {
		return subject{}, err
	}
	s := subject{
		title: m.Name, path: portal.Numbered(portal.MerchantsPath, id), needs: caller.OperatorDirectory, version: m.Version,
		log:    [2]string{"merchant", portal.IDText(id)},
		inputs: inputsOf(merchantForm.Settings...), values: valuesOf(setting.Merchant, m),
	}
	s.page.State = OnBadge(m.APIEnabled)
	s.page.Links = v.switchStep(s.path, m.APIEnabled)
	s.page.Crumbs = []Crumb{{Text: v.Shell.Say(say.Merchants), Href: portal.MerchantsPath}}
	open, err := v.openFact(directory.Whose{MerchantID: id}, portal.AsksMerchant, portal.IDText(id))
	s.page.Facts = []SubjectFact{
		{Label: say.Number, Value: portal.IDText(id), Class: "num"}, {Label: sayMadeOn, At: &m.CreatedAt}, open,
	}
	return s, err
}

func (v *visit) merchantPage() error {
	s, err := v.merchantAsked()
	if err != nil {
		return err
	}
	id, _ := v.named()
	boxes, err := v.boxesOf(directory.Search{MerchantID: id}, portal.AsksMerchant)
	if err != nil {
		return err
	}
	users, err := v.usersOf(session.UserSearch{MerchantID: id}, portal.AsksMerchant)
	s.page.Lists = []Directory{boxes, users}
	if err != nil {
		return err
	}
	if s.page.First, err = v.merchantSteps(id); err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, s, nil)
}

func (v *visit) changeMerchant() error {
	s, err := v.merchantAsked()
	if err != nil {
		return err
	}
	id, _ := v.named()
	return v.keepSubject(s, "setting-saved", func(ctx context.Context, form typed) (string, error) {
		u := directory.MerchantUpdate{ID: id, Seen: form.Get("version")}
		form.fill(merchantForm, &u)
		_, err := v.Settings.UpdateMerchant(ctx, v.Who, u)
		return s.path, err
	})
}
