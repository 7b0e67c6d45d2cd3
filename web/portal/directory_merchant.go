package portal

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/session"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

const merchantsPath = "/operator/merchants"

var directoryMerchantRoutes = slices.Concat(
	[]route{looks(merchantsPath, (*visit).merchantList)},
	changes(merchantsPath+"/new", caller.OperatorDirectory, (*visit).merchantNew, (*visit).makeMerchant),
	settings(merchantsPath+"/{id}", caller.OperatorDirectory, (*visit).merchantPage, (*visit).changeMerchant),
)

func (v *visit) merchantList() error {
	list, cursor, err := v.Settings.Merchants(v.ctx(), v.who, v.searched())
	d := view.Directory{
		Title: say.Merchants, Path: merchantsPath, Hint: say.FindByName, NewLabel: say.NewMerchant,
		New:     v.makes(merchantsPath+"/new", caller.OperatorDirectory),
		Columns: []say.Phrase{say.NameLabel, say.Number, say.RatePercent, say.MadeOn, say.Status},
	}
	for _, m := range list {
		d.Rows = append(
			d.Rows,
			view.DirectoryRow{Href: view.Link(numbered(merchantsPath, m.ID)), Cells: []view.SubjectCell{
				{Text: m.Name}, {Text: idText(m.ID), Class: "num"}, {Text: percentText(m.RatePercent), Class: "num"},
				{Text: v.shell.Day(m.CreatedAt), Class: "num"}, {Badge: view.OnBadge(m.APIEnabled)},
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

var (
	nameInput = input{name: "name", label: say.NameLabel, max: 100, needed: true}
	rateInput = input{name: "ratePercent", label: say.RatePercent, kind: asNumber, hint: say.RatePercentHint, max: 12}
	apiInput  = input{name: "apiEnabled", label: say.APIEnabled, kind: asTick}
)

func (v *visit) newMerchant() subject {
	s := subject{
		title: v.shell.Say(say.NewMerchant), path: merchantsPath + "/new", needs: caller.OperatorDirectory,
		inputs: []input{nameInput, rateInput, apiInput}, values: url.Values{"apiEnabled": {"1"}},
	}
	s.page.Crumbs = []view.Crumb{{Text: v.shell.Say(say.Merchants), Href: merchantsPath}}
	s.page.Form.Save, s.page.Form.Back = say.Make, merchantsPath
	return s
}

func (v *visit) merchantNew() error { return v.showSubject(http.StatusOK, v.newMerchant(), nil) }

func (v *visit) makeMerchant() error {
	return v.keepSubject(v.newMerchant(), "setting-made", func(ctx context.Context, form typed) (string, error) {
		c, err := v.Settings.CreateMerchant(ctx, v.who, directory.NewMerchant{
			Name: form.plain("name"), APIEnabled: form.tick("apiEnabled"), RatePercent: *form.number("ratePercent"),
		})
		return merchantsPath + "/" + c.SubjectKey, err
	})
}

func (v *visit) merchantAsked() (subject, error) {
	id, err := v.named()
	if err != nil {
		return subject{}, err
	}
	m, err := v.Settings.Merchant(v.ctx(), v.who, id)
	if err != nil {
		return subject{}, err
	}
	s := subject{
		title: m.Name, path: numbered(merchantsPath, id), needs: caller.OperatorDirectory, version: m.Version,
		log: [2]string{"merchant", idText(id)},
		inputs: []input{nameInput, apiInput, rateInput, {
			name: "maxOpenPayments", label: say.MaxOpenPayments, kind: asWhole, max: 10, needed: true,
		}},
		values: filled(map[string]string{
			"name": m.Name, "apiEnabled": onOff(m.APIEnabled), "ratePercent": percentText(m.RatePercent),
			"maxOpenPayments": counted(&m.MaxOpenPayments),
		}),
	}
	s.page.State = view.OnBadge(m.APIEnabled)
	s.page.Crumbs = []view.Crumb{{Text: v.shell.Say(say.Merchants), Href: merchantsPath}}
	open, err := v.openFact(directory.Whose{MerchantID: id}, asksMerchant, idText(id))
	s.page.Facts = []view.SubjectFact{
		{Label: say.Number, Value: idText(id), Class: "num"}, {Label: say.MadeOn, At: &m.CreatedAt}, open,
	}
	return s, err
}

func (v *visit) merchantPage() error {
	s, err := v.merchantAsked()
	if err != nil {
		return err
	}
	id, _ := v.named()
	boxes, err := v.boxesOf(directory.Search{MerchantID: id}, asksMerchant)
	if err != nil {
		return err
	}
	users, err := v.usersOf(session.UserSearch{MerchantID: id}, asksMerchant)
	s.page.Lists = []view.Directory{boxes, users}
	if err != nil {
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
		_, err := v.Settings.UpdateMerchant(ctx, v.who, directory.MerchantUpdate{
			ID:              id,
			Name:            form.text("name"),
			APIEnabled:      form.tick("apiEnabled"),
			RatePercent:     form.number("ratePercent"),
			MaxOpenPayments: form.whole("maxOpenPayments"),
			Seen:            form.Get("version"),
		})
		return s.path, err
	})
}
