package settings

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/directory"
	"gateway.example/internal/setting"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

var directoryRequisiteRoutes = slices.Concat(
	[]route{
		looks(portal.RequisitesPath, (*visit).requisiteList),
		{
			Pattern: "POST " + portal.RequisitesPath + "/{id}/value",
			Kinds:   portal.Operators,
			Needs:   caller.OperatorReveal,
			Handle:  (*visit).requisiteValue,
		},
	},
	changes(portal.RequisitesPath+"/new", caller.OperatorDirectory, (*visit).requisiteNew, (*visit).makeRequisite),
	settings(portal.RequisitesPath+"/{id}", caller.OperatorDirectory, (*visit).anyRequisitePage, (*visit).changeAnyRequisite),
	switches(portal.RequisitesPath, (*visit).requisiteSwitch),
)

func (v *visit) requisiteList() error {
	list, cursor, err := v.Settings.Requisites(v.Ctx(), v.Who, v.searched())
	d := v.requisiteTable(list)
	d.Path, d.Hint = portal.RequisitesPath, sayFindByRequisite
	d.Owner, d.OwnerLabel, d.OwnerText = portal.TradersPath, say.Traders, sayRequisiteOfTrader
	return v.showList(d, cursor, err, portal.AsksTrader, portal.AsksCurrency, portal.AsksMethod)
}

func (v *visit) requisiteTable(list []directory.Requisite) Directory {
	d := Directory{
		Title: say.Requisites, NewLabel: sayNewRequisite, None: sayNobodyYet,
		New: v.Makes(
			view.Query(portal.RequisitesPath+"/new", portal.AsksTrader, v.R.URL.Query().Get(portal.AsksTrader)),
			caller.OperatorDirectory,
		),
		Columns: []say.Phrase{say.Requisite, say.Number, say.MethodLabel, sayTraderLabel, say.Bank, say.Status},
	}
	for _, r := range list {
		d.Rows = append(d.Rows, DirectoryRow{
			Href: view.Link(portal.Numbered(portal.RequisitesPath, r.ID)),
			Cells: []SubjectCell{
				{Text: v.requisiteName(r)}, {Text: portal.IDText(r.ID), Class: "num"},
				{Text: v.Shell.Say(sayMethodOf, v.MethodName(r.Method), r.Currency)}, {Text: r.TraderName},
				{Text: strings.TrimSpace(optionalText(r.Bank) + " " + optionalText(r.Holder))},
				{Badge: OnBadge(r.Enabled && r.OwnEnabled)},
			},
		})
	}
	return d
}

// requisiteName is what operators call a requisite without having read it.
func (v *visit) requisiteName(r directory.Requisite) string {
	if r.Masked == "" {
		return v.Shell.Say(say.CardDesk)
	}
	return r.Masked
}

// requisitesOf are a trader's first requisites.
func (v *visit) requisitesOf(t directory.Trader) (Directory, error) {
	search := directory.Search{TraderID: t.ID}
	search.Limit = new(int32(listedWithin))
	list, more, err := v.Settings.Requisites(v.Ctx(), v.Who, search)
	d := v.requisiteTable(list)
	d.New = v.Makes(view.Query(portal.RequisitesPath+"/new", portal.AsksTrader, portal.IDText(t.ID)), caller.OperatorDirectory)
	if more != nil {
		d.All = view.Query(portal.RequisitesPath, portal.AsksTrader, portal.IDText(t.ID))
	}
	return d, err
}

// pools are the methods that requisites are for, by currency.
func (v *visit) pools() []view.Option {
	var options []view.Option
	for _, currency := range catalogue.Currencies {
		for _, method := range catalogue.Payments(currency) {
			options = append(options, view.Option{
				Value: currency + "/" + method.Name,
				Text:  v.Shell.Say(sayMethodOf, v.MethodName(method.Name), currency),
			})
		}
	}
	return options
}

// limitInputs are the settings of a requisite without its switch. Notes say what its trader has set.
func limitInputs(notes map[string]string) []input {
	inputs := inputsOf(setting.Requisite.Settings...)[1:]
	for i := range inputs {
		inputs[i].note = notes[inputs[i].name]
	}
	return inputs
}

func (v *visit) newRequisite() subject {
	s := subject{
		title: v.Shell.Say(sayNewRequisite), path: portal.RequisitesPath + "/new", needs: caller.OperatorDirectory,
		inputs: append([]input{
			{name: "traderId", label: say.PortalTrader, kind: asPick, pick: portal.PickTrader, needed: true},
			{name: "method", label: sayPool, options: v.pools()},
			{name: "value", label: say.RequisiteText, hint: sayDeskHint, max: 64},
		}, limitInputs(nil)...),
		values: url.Values{
			"traderId": {v.R.URL.Query().Get(portal.AsksTrader)}, "timeZone": {"Europe/Moscow"}, "weight": {"1"},
		},
	}
	s.page.Crumbs = []Crumb{{Text: v.Shell.Say(say.Requisites), Href: portal.RequisitesPath}}
	s.page.Form.Save, s.page.Form.Back = sayMake, portal.RequisitesPath
	return s
}

func (v *visit) requisiteNew() error { return v.showSubject(http.StatusOK, v.newRequisite(), nil) }

func (v *visit) makeRequisite() error {
	return v.keepSubject(v.newRequisite(), "setting-made", func(ctx context.Context, form typed) (string, error) {
		currency, method, _ := strings.Cut(form.Get("method"), "/")
		var limits directory.Limits
		form.fill(setting.Requisite, &limits)
		limits.MinAmount, limits.MaxAmount = orNil(limits.MinAmount), orNil(limits.MaxAmount)
		limits.TimeZone, limits.Weight = orNil(limits.TimeZone), orNil(limits.Weight)
		c, err := v.Settings.CreateRequisite(ctx, v.Who, directory.NewRequisite{
			TraderID: form.id("traderId"), Currency: currency, Method: method, Value: plainValue(form.plain("value")),
			Holder: orNone(form.plain("holder")), Bank: orNone(form.plain("bank")), Limits: limits,
		})
		return portal.Numbered(portal.RequisitesPath, c.Now.ID), err
	})
}

// orNil is what is pointed at, unless that is nothing.
func orNil[T comparable](v *T) *T {
	if v == nil {
		return nil
	}
	return orNone(*v)
}

// plainValue is a number as people copy it, without the spaces that they write it with.
func plainValue(text string) string {
	return strings.NewReplacer(" ", "", "\u00a0", "", "-", "", "(", "", ")", "").Replace(text)
}

// anyRequisite is the requisite that the address names.
func (v *visit) anyRequisite() (directory.Requisite, error) {
	id, err := v.named()
	if err != nil {
		return directory.Requisite{}, err
	}
	return v.Settings.Requisite(v.Ctx(), v.Who, id)
}

func (v *visit) requisiteSubject(r directory.Requisite) (subject, error) {
	notes := map[string]string{}
	own := portal.OwnValues(r.Own)
	for name := range own {
		if own.Get(name) != "" {
			notes[name] = v.Shell.Say(sayTheirOwn, own.Get(name))
		}
	}
	inputs := limitInputs(notes)
	if r.Masked == "" { // any number of payments may be open at a desk that takes cards
		inputs = slices.DeleteFunc(inputs, func(in input) bool { return in.name == "openPayments" })
	}
	values := valuesOf(setting.Requisite, r)
	maps.Copy(values, valuesOf(setting.Requisite, r.Set))
	s := subject{
		title: v.requisiteName(r), path: portal.Numbered(portal.RequisitesPath, r.ID), needs: caller.OperatorDirectory,
		version: r.Version, log: [2]string{"requisite", portal.IDText(r.ID)}, inputs: inputs, values: values,
	}
	s.page.State = OnBadge(r.Enabled && r.OwnEnabled)
	s.page.Crumbs = []Crumb{
		{Text: v.Shell.Say(say.Traders), Href: portal.TradersPath},
		{Text: r.TraderName, Href: view.Link(portal.Numbered(portal.TradersPath, r.TraderID))},
	}
	open, err := v.openFact(
		directory.Whose{
			TraderID:    r.TraderID,
			RequisiteID: r.ID,
		},
		portal.AsksTrader,
		portal.IDText(r.TraderID),
		"requisite",
		portal.IDText(r.ID),
	)
	s.page.Facts = []SubjectFact{
		{Label: say.Number, Value: portal.IDText(r.ID), Class: "num"},
		{Label: sayTraderLabel, Value: r.TraderName, Href: view.Link(portal.Numbered(portal.TradersPath, r.TraderID))},
		{Label: sayPool, Value: v.Shell.Say(sayMethodOf, v.MethodName(r.Method), r.Currency)},
		{Label: sayOwnSwitch, Value: v.Shell.Say(OnBadge(r.OwnEnabled).Text)},
		{Label: sayMadeOn, At: &r.CreatedAt}, open,
	}
	s.page.Links = v.switchStep(s.path, r.Enabled)
	if r.Masked != "" && v.May(caller.OperatorReveal) {
		s.page.Links = append(s.page.Links, SubjectStep{Label: sayShowValue, Href: view.Link(s.path + "/value"), Posts: true})
	}
	if r.Masked != "" {
		s.page.Links = append(s.page.Links, SubjectStep{Label: say.CompareStatement, Href: view.Link(s.path + "/statement")})
	}
	return s, err
}

func (v *visit) anyRequisitePage() error {
	r, err := v.anyRequisite()
	if err != nil {
		return err
	}
	s, err := v.requisiteSubject(r)
	if err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, s, nil)
}

func (v *visit) changeAnyRequisite() error {
	r, err := v.anyRequisite()
	if err != nil {
		return err
	}
	s, err := v.requisiteSubject(r)
	if err != nil {
		return err
	}
	return v.keepSubject(s, "setting-saved", func(ctx context.Context, form typed) (string, error) {
		u := directory.RequisiteUpdate{ID: r.ID, Seen: form.Get("version")}
		form.fill(setting.Requisite.Without("enabled"), &u)
		form.fill(setting.Requisite, &u.Limits)
		if r.Masked == "" {
			u.Limits.OpenPayments = nil
		}
		_, err := v.Settings.UpdateRequisite(ctx, v.Who, u)
		return s.path, err
	})
}

// requisiteValue shows a requisite whole. That it was read is kept.
func (v *visit) requisiteValue() error {
	r, err := v.anyRequisite()
	if err != nil {
		return err
	}
	value, err := v.Settings.RequisiteValue(v.Ctx(), v.reader(), r.ID)
	if err != nil {
		return err
	}
	s, err := v.requisiteSubject(r)
	if err != nil {
		return err
	}
	s.title, s.page.Links = v.Shell.Say(sayValueShown, r.ID), nil
	s.inputs, s.log = nil, [2]string{}
	s.page.Facts = append([]SubjectFact{{Label: say.Requisite, Value: value, Class: "num"}}, s.page.Facts...)
	s.page.Crumbs = append(s.page.Crumbs, Crumb{Text: r.Masked, Href: view.Link(s.path)})
	s.page.Hint = sayValueNoted
	return v.showSubject(http.StatusOK, s, nil)
}
