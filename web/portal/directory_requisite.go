package portal

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/directory"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

const allRequisitesPath = "/operator/requisites"

var directoryRequisiteRoutes = slices.Concat(
	[]route{
		looks(allRequisitesPath, (*visit).requisiteList),
		{
			pattern: "POST " + allRequisitesPath + "/{id}/value", kinds: operators, needs: caller.OperatorReveal,
			handle: (*visit).requisiteValue,
		},
	},
	changes(allRequisitesPath+"/new", caller.OperatorDirectory, (*visit).requisiteNew, (*visit).makeRequisite),
	settings(
		allRequisitesPath+"/{id}", caller.OperatorDirectory, (*visit).anyRequisitePage, (*visit).changeAnyRequisite,
	),
)

func (v *visit) requisiteList() error {
	list, cursor, err := v.Settings.Requisites(v.ctx(), v.who, v.searched())
	d := v.requisiteTable(list)
	d.Path, d.Hint = allRequisitesPath, say.FindByRequisite
	d.Owner, d.OwnerLabel, d.OwnerText = tradersPath, say.Traders, say.RequisiteOfTrader
	return v.showList(d, cursor, err, asksTrader, asksCurrency, asksMethod)
}

func (v *visit) requisiteTable(list []directory.Requisite) view.Directory {
	d := view.Directory{
		Title: say.Requisites, NewLabel: say.NewRequisite, None: say.NobodyYet,
		New: v.makes(
			view.Query(allRequisitesPath+"/new", asksTrader, v.r.URL.Query().Get(asksTrader)), caller.OperatorDirectory,
		),
		Columns: []say.Phrase{say.Requisite, say.Number, say.MethodLabel, say.TraderLabel, say.Bank, say.Status},
	}
	for _, r := range list {
		d.Rows = append(d.Rows, view.DirectoryRow{
			Href: view.Link(numbered(allRequisitesPath, r.ID)),
			Cells: []view.SubjectCell{
				{Text: v.requisiteName(r)}, {Text: idText(r.ID), Class: "num"},
				{Text: v.shell.Say(say.MethodOf, v.methodName(r.Method), r.Currency)}, {Text: r.TraderName},
				{Text: strings.TrimSpace(optionalText(r.Bank) + " " + optionalText(r.Holder))},
				{Badge: view.OnBadge(r.Enabled && r.OwnEnabled)},
			},
		})
	}
	return d
}

// requisiteName is what operators call a requisite without having read it.
func (v *visit) requisiteName(r directory.Requisite) string {
	if r.Masked == "" {
		return v.shell.Say(say.CardDesk)
	}
	return r.Masked
}

// requisitesOf are a trader's first requisites.
func (v *visit) requisitesOf(t directory.Trader) (view.Directory, error) {
	search := directory.Search{TraderID: t.ID}
	search.Limit = new(int32(listedWithin))
	list, more, err := v.Settings.Requisites(v.ctx(), v.who, search)
	d := v.requisiteTable(list)
	d.New = v.makes(view.Query(allRequisitesPath+"/new", asksTrader, idText(t.ID)), caller.OperatorDirectory)
	if more != nil {
		d.All = view.Query(allRequisitesPath, asksTrader, idText(t.ID))
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
				Text:  v.shell.Say(say.MethodOf, v.methodName(method.Name), currency),
			})
		}
	}
	return options
}

// limitInputs are the limits of a requisite. Notes say what its trader has set.
func limitInputs(notes map[string]string) []input {
	inputs := []input{
		{name: "holder", label: say.Holder},
		{name: "bank", label: say.Bank},
		{name: "minAmount", heading: say.LimitsPart, label: say.LimitMinAmount, kind: asNumber, max: 24},
		{name: "maxAmount", label: say.LimitMaxAmount, kind: asNumber, max: 24},
		{name: "dailyCount", label: say.LimitDailyCount, kind: asWhole, max: 10},
		{name: "dailySum", label: say.LimitDailySum, kind: asNumber, max: 24},
		{name: "openPayments", label: say.LimitOpen, kind: asWhole, max: 10},
		{name: "workFrom", heading: say.HoursPart, label: say.LimitFrom, kind: asClock},
		{name: "workUntil", label: say.LimitUntil, kind: asClock},
		{name: "timeZone", label: say.ZoneOfDay, hint: say.DayZoneHint, max: 64},
		{name: "weight", heading: say.OrderPart, label: say.Weight, hint: say.WeightHint, kind: asWhole, max: 4},
	}
	for i := range inputs {
		inputs[i].note = notes[inputs[i].name]
	}
	return inputs
}

// limits are the operators' limits that a form has: all of them, so that an empty field clears one
// that can be cleared.
func (t typed) limits() directory.Limits {
	return directory.Limits{
		MinAmount: t.number("minAmount"), MaxAmount: t.number("maxAmount"), DailyCount: t.whole("dailyCount"),
		DailySum: t.number("dailySum"), OpenPayments: t.whole("openPayments"), WorkFrom: t.text("workFrom"),
		WorkUntil: t.text("workUntil"), TimeZone: t.text("timeZone"), Weight: t.whole("weight"),
	}
}

func (v *visit) newRequisite() subject {
	s := subject{
		title: v.shell.Say(say.NewRequisite), path: allRequisitesPath + "/new", needs: caller.OperatorDirectory,
		inputs: append([]input{
			{name: "traderId", label: say.TraderNumber, kind: asWhole, max: 19, needed: true},
			{name: "method", label: say.Pool, options: v.pools()},
			{name: "value", label: say.RequisiteText, hint: say.DeskHint, max: 64},
		}, limitInputs(nil)...),
		values: url.Values{
			"traderId": {v.r.URL.Query().Get(asksTrader)}, "timeZone": {"Europe/Moscow"}, "weight": {"1"},
		},
	}
	s.page.Crumbs = []view.Crumb{{Text: v.shell.Say(say.Requisites), Href: allRequisitesPath}}
	s.page.Form.Save, s.page.Form.Back = say.Make, allRequisitesPath
	return s
}

func (v *visit) requisiteNew() error { return v.showSubject(http.StatusOK, v.newRequisite(), nil) }

func (v *visit) makeRequisite() error {
	return v.keepSubject(v.newRequisite(), "setting-made", func(ctx context.Context, form typed) (string, error) {
		currency, method, _ := strings.Cut(form.Get("method"), "/")
		limits := form.limits()
		limits.MinAmount, limits.MaxAmount = orNil(limits.MinAmount), orNil(limits.MaxAmount)
		limits.TimeZone, limits.Weight = orNil(limits.TimeZone), orNil(limits.Weight)
		c, err := v.Settings.CreateRequisite(ctx, v.who, directory.NewRequisite{
			TraderID: form.id("traderId"), Currency: currency, Method: method, Value: plainValue(form.plain("value")),
			Holder: orNone(form.plain("holder")), Bank: orNone(form.plain("bank")), Limits: limits,
		})
		return allRequisitesPath + "/" + c.SubjectKey, err
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
	return v.Settings.Requisite(v.ctx(), v.who, id)
}

func (v *visit) requisiteSubject(r directory.Requisite) (subject, error) {
	notes := map[string]string{}
	own := ownValues(r.Own)
	for name := range own {
		if own.Get(name) != "" {
			notes[name] = v.shell.Say(say.TheirOwn, own.Get(name))
		}
	}
	inputs := append([]input{switchInput}, limitInputs(notes)...)
	if r.Masked == "" { // any number of payments may be open at a desk that takes cards
		inputs = slices.DeleteFunc(inputs, func(in input) bool { return in.name == "openPayments" })
	}
	values := ownValues(r.Set)
	for name, value := range map[string]string{
		"enabled": onOff(r.Enabled), "holder": optionalText(r.Holder), "bank": optionalText(r.Bank),
		"weight": counted(&r.Weight),
	} {
		values.Set(name, value)
	}
	s := subject{
		title: v.requisiteName(r), path: numbered(allRequisitesPath, r.ID), needs: caller.OperatorDirectory,
		version: r.Version, log: [2]string{"requisite", idText(r.ID)}, inputs: inputs, values: values,
	}
	s.page.State = view.OnBadge(r.Enabled && r.OwnEnabled)
	s.page.Crumbs = []view.Crumb{
		{Text: v.shell.Say(say.Traders), Href: tradersPath},
		{Text: r.TraderName, Href: view.Link(numbered(tradersPath, r.TraderID))},
	}
	open, err := v.openFact(
		directory.Whose{
			TraderID:    r.TraderID,
			RequisiteID: r.ID,
		},
		asksTrader,
		idText(r.TraderID),
		"requisite",
		idText(r.ID),
	)
	s.page.Facts = []view.SubjectFact{
		{Label: say.Number, Value: idText(r.ID), Class: "num"},
		{Label: say.TraderLabel, Value: r.TraderName, Href: view.Link(numbered(tradersPath, r.TraderID))},
		{Label: say.Pool, Value: v.shell.Say(say.MethodOf, v.methodName(r.Method), r.Currency)},
		{Label: say.OwnSwitch, Value: v.shell.Say(view.OnBadge(r.OwnEnabled).Text)},
		{Label: say.MadeOn, At: &r.CreatedAt}, open,
	}
	if r.Masked != "" && v.may(caller.OperatorReveal) {
		s.page.Links = []view.SubjectStep{{Label: say.ShowValue, Href: view.Link(s.path + "/value"), Posts: true}}
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
		limits := form.limits()
		if r.Masked == "" {
			limits.OpenPayments = nil
		}
		_, err := v.Settings.UpdateRequisite(ctx, v.who, directory.RequisiteUpdate{
			ID: r.ID, Enabled: form.tick("enabled"), Holder: form.text("holder"), Bank: form.text("bank"),
			Limits: limits, Seen: form.Get("version"),
		})
		return s.path, err
	})
}

// requisiteValue shows a requisite whole. That it was read is kept.
func (v *visit) requisiteValue() error {
	r, err := v.anyRequisite()
	if err != nil {
		return err
	}
	value, err := v.Settings.RequisiteValue(v.ctx(), v.reader(), r.ID)
	if err != nil {
		return err
	}
	s, err := v.requisiteSubject(r)
	if err != nil {
		return err
	}
	s.title, s.page.Links = v.shell.Say(say.ValueShown, r.ID), nil
	s.inputs, s.log = nil, [2]string{}
	s.page.Facts = append([]view.SubjectFact{{Label: say.Requisite, Value: value, Class: "num"}}, s.page.Facts...)
	s.page.Crumbs = append(s.page.Crumbs, view.Crumb{Text: r.Masked, Href: view.Link(s.path)})
	s.page.Hint = say.ValueNoted
	return v.showSubject(http.StatusOK, s, nil)
}
