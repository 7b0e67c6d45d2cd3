package settings

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/directory"
	"gateway.example/internal/optional"
	"gateway.example/internal/setting"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

var directoryRequisiteRoutes = slices.Concat(
	[]route{
		looks(portal.RequisitesPath, (*visit).requisiteList),
		{
			Pattern: "POST " + portal.RequisitesPath + "/{id}/value", Needs: caller.OperatorReveal,
			Handle: shows((*visit).requisiteValue),
		},
	},
	makes(portal.RequisitesPath, caller.OperatorDirectory, (*visit).newRequisite),
	settings(portal.RequisitesPath+"/{id}", caller.OperatorDirectory, (*visit).requisite),
	switches(portal.RequisitesPath, (*visit).requisiteSwitch),
)

func (v *visit) requisiteList() error {
	list, cursor, err := v.Settings.Requisites(v.Ctx(), v.Who, v.searched())
	d := v.requisiteTable(list)
	d.Path, d.Hint = portal.RequisitesPath, sayFindByRequisite
	d.Owner, d.OwnerLabel, d.OwnerText = portal.TradersPath, say.Traders, sayRequisiteOfTrader
	return v.showList(d, cursor, err, portal.AsksTrader, portal.AsksCurrency, portal.AsksMethod)
}

// requisiteTable is a table of requisites, for their own list and for the page
// of a trader, without whole values. A requisite is on only if its operators'
// and its trader's switches both are.
func (v *visit) requisiteTable(list []directory.Requisite) Directory {
	d := Directory{
		Title: say.Requisites, NewLabel: sayNewRequisite, None: sayNobodyYet,
		New: v.Makes(
			view.Query(portal.RequisitesPath+"/new", portal.AsksTrader, v.R.URL.Query().Get(portal.AsksTrader)),
			caller.OperatorDirectory,
		),
		Columns: v.Columns(false, say.Requisite, say.Number, say.MethodLabel, sayTraderLabel, say.Bank, say.Status),
	}
	for _, r := range list {
		d.row(portal.Numbered(portal.RequisitesPath, r.ID),
			view.Cell{Text: v.requisiteName(r)}, number(portal.IDText(r.ID)),
			view.Cell{Text: v.Say(sayMethodOf, v.MethodName(r.Method), r.Currency)}, view.Cell{Text: r.TraderName},
			view.Cell{Text: strings.TrimSpace(optional.Value(r.Bank) + " " + optional.Value(r.Holder))},
			v.Shell.BadgeCell(view.OnBadge(r.Enabled && r.OwnEnabled)))
	}
	return d
}

// requisiteName is what operators call a requisite as long as they have not
// read its value.
func (v *visit) requisiteName(r directory.Requisite) string {
	if r.Masked == "" {
		return v.Say(say.CardDesk)
	}
	return r.Masked
}

// requisitesOf lists a trader's first requisites.
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

// pools are the currencies and methods for which there are requisites.
func (v *visit) pools() []view.Option {
	var options []view.Option
	for _, currency := range catalogue.Currencies {
		for _, method := range catalogue.Payments(currency) {
			options = append(options, view.Option{
				Value: currency + "/" + method.Name,
				Text:  v.Say(sayMethodOf, v.MethodName(method.Name), currency),
			})
		}
	}
	return options
}

// limitInputs are the settings of a requisite without its switch. notes say
// what its trader has set.
func limitInputs(notes map[string]string) []input {
	inputs := inputsOf(setting.Requisite.Settings...)[1:]
	for i := range inputs {
		inputs[i].note = notes[inputs[i].name]
	}
	return inputs
}

// newRequisite is the page that makes a requisite of a trader. A limit that is
// left empty is not set, and a number is stored without what people separate
// its digits by.
func (v *visit) newRequisite() subject {
	s := v.newOne(portal.RequisitesPath, say.Requisites, sayNewRequisite, caller.OperatorDirectory, append([]input{
		{name: "traderId", label: say.PortalTrader, kind: asPick, pick: portal.PickTrader, needed: true},
		{name: "method", label: sayPool, options: v.pools()},
		{name: "value", label: say.RequisiteText, hint: sayDeskHint, max: 64},
	}, limitInputs(nil)...)...)
	s.values = url.Values{
		"traderId": {v.R.URL.Query().Get(portal.AsksTrader)}, "timeZone": {"Europe/Moscow"}, "weight": {"1"},
	}
	s.keep = func(ctx context.Context, form typed) (string, error) {
		currency, method, _ := strings.Cut(form.Get("method"), "/")
		var limits directory.Limits
		form.fill(setting.Requisite, &limits)
		limits.MinAmount, limits.MaxAmount = given(limits.MinAmount), given(limits.MaxAmount)
		limits.TimeZone, limits.Weight = given(limits.TimeZone), given(limits.Weight)
		c, err := v.Settings.CreateRequisite(ctx, v.Who, directory.NewRequisite{
			TraderID: form.id("traderId"), Currency: currency, Method: method, Value: plainValue(form.plain("value")),
			Holder: optional.Of(form.plain("holder")), Bank: optional.Of(form.plain("bank")), Limits: limits,
		})
		return portal.Numbered(portal.RequisitesPath, c.Now.ID), err
	}
	return s
}

// given returns a pointer, or nil if it points to a zero value.
func given[T comparable](v *T) *T { return optional.Of(optional.Value(v)) }

// plainValue removes from a number the spaces with which people copy it.
func plainValue(text string) string {
	return strings.NewReplacer(" ", "", "\u00a0", "", "-", "", "(", "", ")", "").Replace(text)
}

func (v *visit) requisite() (subject, error) {
	_, s, err := v.requisiteAsked()
	return s, err
}

// requisiteAsked is the requisite in the address, and its page.
func (v *visit) requisiteAsked() (directory.Requisite, subject, error) {
	r, err := portal.Named(v.Visit, v.Settings.Requisite)
	if err != nil {
		return r, subject{}, err
	}
	s := oneOf(portal.RequisitesPath, setting.Requisite, r.ID, v.requisiteName(r), r.Version)
	s.inputs, s.values = v.requisiteInputs(r), valuesOf(setting.Requisite, r)
	maps.Copy(s.values, valuesOf(setting.Requisite, r.Set))
	trader := view.Link(portal.Numbered(portal.TradersPath, r.TraderID))
	s.page.State = view.OnBadge(r.Enabled && r.OwnEnabled)
	s.page.Crumbs = []Crumb{
		{Text: v.Say(say.Traders), Href: portal.TradersPath}, {Text: r.TraderName, Href: trader},
	}
	open, err := v.openFact(directory.Whose{TraderID: r.TraderID, RequisiteID: r.ID},
		portal.AsksTrader, portal.IDText(r.TraderID), "requisite", portal.IDText(r.ID))
	s.page.Facts = []view.Fact{
		numberFact(r.ID), {Label: sayTraderLabel, Value: r.TraderName, Href: trader},
		{Label: sayPool, Value: v.Say(sayMethodOf, v.MethodName(r.Method), r.Currency)},
		{Label: sayOwnSwitch, Value: v.Say(view.OnBadge(r.OwnEnabled).Text)},
		{Label: sayMadeOn, At: &r.CreatedAt}, open,
	}
	s.page.Links = v.switchStep(s.path, r.Enabled)
	if r.Masked != "" && v.May(caller.OperatorReveal) {
		s.page.Links = append(s.page.Links, SubjectStep{Label: say.ShowRequisite, Href: view.Link(s.path + "/value"), Posts: true})
	}
	if r.Masked != "" {
		s.page.Links = append(s.page.Links, SubjectStep{Label: say.CompareStatement, Href: view.Link(s.path + "/statement")})
	}
	s.keep = func(ctx context.Context, form typed) (string, error) {
		u := directory.RequisiteUpdate{ID: r.ID, Seen: form.Get("version")}
		form.fill(setting.Requisite.Without("enabled"), &u)
		form.fill(setting.Requisite, &u.Limits)
		if r.Masked == "" {
			u.Limits.OpenPayments = nil
		}
		_, err := v.Settings.UpdateRequisite(ctx, v.Who, u)
		return s.path, err
	}
	return r, s, err
}

// requisiteInputs are the limits of a requisite, next to those that its trader
// has set.
func (v *visit) requisiteInputs(r directory.Requisite) []input {
	notes := map[string]string{}
	own := portal.OwnValues(r.Own)
	for name := range own {
		if own.Get(name) != "" {
			notes[name] = v.Say(sayTheirOwn, own.Get(name))
		}
	}
	inputs := limitInputs(notes)
	if r.Masked == "" { // a desk for card payments may have any number of open payments
		inputs = slices.DeleteFunc(inputs, func(in input) bool { return in.name == "openPayments" })
	}
	return inputs
}

// requisiteValue shows the whole value of a requisite. That it was read is
// recorded.
func (v *visit) requisiteValue() (subject, error) {
	r, s, err := v.requisiteAsked()
	if err != nil {
		return s, err
	}
	value, err := v.Settings.RequisiteValue(v.Ctx(), v.reader(), r.ID)
	s.title, s.page.Links = v.Say(sayValueShown, r.ID), nil
	s.inputs, s.log = nil, [2]string{}
	s.page.Facts = append([]view.Fact{{Label: say.Requisite, Value: value, Class: "num"}}, s.page.Facts...)
	s.page.Crumbs = append(s.page.Crumbs, Crumb{Text: r.Masked, Href: view.Link(s.path)})
	s.page.Hint = say.ReadingNoted
	return s, err
}
