package settings

import (
	"context"
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
	makes(portal.MerchantsPath, caller.OperatorDirectory, (*visit).newMerchant),
	settings(portal.MerchantsPath+"/{id}", caller.OperatorDirectory, (*visit).merchant),
	switches(portal.MerchantsPath, (*visit).merchantSwitch),
)

// merchantList lists merchants, with their markup and whether they are
// suspended. A mistake in the address is shown above an empty list.
func (v *visit) merchantList() error {
	list, cursor, err := v.Settings.Merchants(v.Ctx(), v.Who, v.searched())
	d := Directory{
		Title: say.Merchants, Path: portal.MerchantsPath, Hint: sayFindByName, NewLabel: sayNewMerchant,
		New:     v.Makes(portal.MerchantsPath+"/new", caller.OperatorDirectory),
		Columns: v.Columns(false, say.NameLabel, say.Number, say.RatePercent, sayMadeOn, say.Status),
	}
	for _, m := range list {
		d.row(portal.Numbered(portal.MerchantsPath, m.ID),
			view.Cell{Text: m.Name}, number(portal.IDText(m.ID)), number(percentText(m.RatePercent)),
			view.Cell{Text: v.Shell.Day(m.CreatedAt), By: new(float64(m.CreatedAt.Unix())), Class: "num"},
			v.Shell.BadgeCell(view.OnBadge(m.APIEnabled)))
	}
	return v.showList(d, cursor, err)
}

// percentText is a percentage without needless zeros; "" if there is none.
func percentText(percent decimal.NullDecimal) string {
	if !percent.Valid {
		return ""
	}
	return percent.Decimal.String()
}

// newMerchant is the page that makes a merchant, who may use the API unless the
// tick is removed. It leads to the merchant's page, which has the other
// settings.
func (v *visit) newMerchant() subject {
	s := v.newOne(portal.MerchantsPath, say.Merchants, sayNewMerchant, caller.OperatorDirectory,
		inputsOf(setting.Merchant.Only("name", "ratePercent", "apiEnabled")...)...)
	s.values = url.Values{"apiEnabled": {"1"}}
	s.keep = func(ctx context.Context, form typed) (string, error) {
		var n directory.NewMerchant
		form.fill(setting.Merchant, &n)
		c, err := v.Settings.CreateMerchant(ctx, v.Who, n)
		return portal.Numbered(portal.MerchantsPath, c.Now.ID), err
	}
	return s
}

// merchantForm has the settings on the page of a merchant. A merchant is
// suspended on a page of its own.
var merchantForm = setting.Merchant.Without("apiEnabled")

// merchant is the page of a merchant. Its cashboxes, users and the steps to a
// first payment are read only to show the page, and not when its form is sent.
func (v *visit) merchant() (subject, error) {
	m, err := portal.Named(v.Visit, v.Settings.Merchant)
	if err != nil {
		return subject{}, err
	}
	s := oneOf(portal.MerchantsPath, setting.Merchant, m.ID, m.Name, m.Version)
	s.inputs, s.values = inputsOf(merchantForm.Settings...), valuesOf(setting.Merchant, m)
	s.page.State = view.OnBadge(m.APIEnabled)
	s.page.Links = v.switchStep(s.path, m.APIEnabled)
	s.page.Crumbs = []Crumb{{Text: v.Say(say.Merchants), Href: portal.MerchantsPath}}
	open, err := v.openFact(directory.Whose{MerchantID: m.ID}, portal.AsksMerchant, portal.IDText(m.ID))
	s.page.Facts = []view.Fact{numberFact(m.ID), {Label: sayMadeOn, At: &m.CreatedAt}, open}
	s.more = func(s *subject) error {
		boxes, err := v.boxesOf(directory.Search{MerchantID: m.ID}, portal.AsksMerchant)
		if err != nil {
			return err
		}
		users, err := v.usersOf(session.UserSearch{MerchantID: m.ID}, portal.AsksMerchant)
		if err != nil {
			return err
		}
		s.page.Lists = []Directory{boxes, users}
		s.page.First, err = v.merchantSteps(m.ID)
		return err
	}
	s.keep = func(ctx context.Context, form typed) (string, error) {
		u := directory.MerchantUpdate{ID: m.ID, Seen: form.Get("version")}
		form.fill(merchantForm, &u)
		_, err := v.Settings.UpdateMerchant(ctx, v.Who, u)
		return s.path, err
	}
	return s, err
}
