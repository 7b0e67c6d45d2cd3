package portal

import (
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/metadata"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Filters makes the form above a list.
func (v *Visit) Filters(a Asked) (view.Filters, error) {
	f := view.Filters{
		Path: a.Path, Query: a.Query.Encode(), Searches: a.Search, Hint: a.Hint, Amounts: a.Amounts, Always: a.Always,
		Search: a.Query.Get(AsksSearch), Method: a.Query.Get(AsksMethod), From: a.Query.Get(AsksFrom),
		To: a.Query.Get(AsksTo), MinAmount: a.Query.Get(asksMin), MaxAmount: a.Query.Get(asksMax), Wrong: a.Wrong,
	}
	for _, name := range []string{AsksAccount, AsksOwner, AsksBy, AsksSort} {
		if kept := a.Query.Get(name); kept != "" {
			f.Keep = append(f.Keep, [2]string{name, kept})
		}
	}
	v.statusFilters(&f, a)
	v.choiceFilters(&f, a)
	v.textFilters(&f, a)
	v.Shell.Mistakes = len(a.Wrong) > 0
	boxes, err := v.Cashboxes(a)
	if err != nil {
		return f, err
	}
	f.Cashbox, f.Cashboxes = a.Query.Get(AsksCashbox), boxes.options(v, a)
	f.Chips, f.Window, f.Presets = v.chips(a, boxes), v.window(a), v.presets(a)
	if v.Who.May(a.Export) && len(a.Wrong) == 0 {
		f.Export = string(Listed(a.Path+".csv", f.Query))
	}
	if f.Views, err = v.savedViews(a); err != nil {
		return f, err
	}
	f.Columns, err = v.columns(a.List)
	return f, err
}

// statusFilters asks for one status if the list allows only one, and otherwise
// for several.
func (v *Visit) statusFilters(f *view.Filters, a Asked) {
	name := func(status string) string { return v.Say(a.Status(status)) }
	if a.Single {
		f.Status, f.StatusOptions = a.Query.Get(AsksStatus), v.anyOf(say.AnyMethod, a.Statuses, name)
		return
	}
	for _, status := range a.Statuses {
		f.Statuses = append(f.Statuses, view.Tick{
			Value: status, Text: name(status), On: slices.Contains(a.Query[AsksStatus], status),
		})
	}
}

// choiceFilters asks for a method, a currency and a type, and whether only
// overdue items are shown, if the list has these filters.
func (v *Visit) choiceFilters(f *view.Filters, a Asked) {
	itself := func(value string) string { return value }
	if len(a.Methods) > 0 {
		f.Methods = v.anyOf(say.AnyMethod, a.Methods, v.MethodName)
	}
	if len(a.Currencies) > 0 {
		f.Currency, f.Currencies = a.Query.Get(AsksCurrency), v.anyOf(say.AnyCashbox, a.Currencies, itself)
	}
	if a.Overdue {
		f.Overdue = &view.Tick{Value: Yes, Text: v.Say(say.OverdueOnly), On: a.Filter.Overdue}
	}
	if len(a.Types) > 0 {
		f.Type, f.Types = a.Query.Get(AsksType), v.anyOf(say.AnyType, a.Types, itself)
	}
}

// anyOf are options for values, after a first option that does not filter.
func (v *Visit) anyOf(first say.Phrase, values []string, name func(string) string) []view.Option {
	options := []view.Option{{Text: v.Say(first)}}
	for _, value := range values {
		options = append(options, view.Option{Value: value, Text: name(value)})
	}
	return options
}

// textFilters asks for texts: codes, keys and owners.
func (v *Visit) textFilters(f *view.Filters, a Asked) {
	if a.Program {
		f.Texts = []view.Field{f.Text(AsksCode, say.RequestCode, a.Query), f.Text(AsksKey, say.KeyID, a.Query)}
	}
	pick := func(p *Pick, name string, label say.Phrase) {
		field := v.PickField(p, name, label, a.Query, a.Wrong)
		field.Quiet = true
		f.Texts = append(f.Texts, field)
	}
	if a.Merchants || a.Owners {
		pick(PickMerchant, AsksMerchant, say.PortalMerchant)
	}
	if a.Owners {
		pick(PickTrader, AsksTrader, say.PortalTrader)
	}
	if a.Metadata {
		asked := f.Text(AsksMetadata, say.Metadata, a.Query)
		asked.Hint, asked.Max = v.Say(say.MetadataHint), metadata.MaxKey+1+metadata.MaxValue
		f.Texts = append(f.Texts, asked)
	}
	if a.Log {
		f.StatusLabel = say.AuditKind
		f.Texts = []view.Field{f.Text(AsksSubject, say.AuditSubject, a.Query), f.Text(AsksKey, say.AuditKey, a.Query)}
	}
}

// chips are the filters that apply. Wrong values are not among them.
func (v *Visit) chips(a Asked, boxes cashboxes) []view.Chip {
	var chips []view.Chip
	s := v.Shell
	s.Zone = a.Zone // in which the days were read
	add := func(name string, words func(value string) string) {
		for _, value := range a.Query[name] {
			if a.Wrong[name] == "" {
				chips = append(chips, view.Chip{Text: words(value), Href: a.without(name, value)})
			}
		}
	}
	bound := func(label say.Phrase, amount decimal.Decimal) func(string) string {
		return func(string) string { return s.Say(label) + " " + s.Number(amount) }
	}
	add(AsksSearch, func(value string) string { return s.Say(say.Quoted, value) })
	add(AsksStatus, func(value string) string { return s.Say(a.Status(value)) })
	add(AsksMethod, v.MethodName)
	if !a.Account { // a list of an account always has one
		add(AsksCashbox, boxes.Name)
	}
	for _, name := range []string{AsksType, AsksCode, AsksSubject, AsksKey, AsksCurrency, AsksMetadata} {
		add(name, func(value string) string { return value })
	}
	add(AsksMerchant, func(value string) string { return s.Say(say.PortalMerchant) + ": " + v.Called(PickMerchant, value) })
	add(AsksTrader, func(value string) string { return s.Say(say.PortalTrader) + ": " + v.Called(PickTrader, value) })
	add(AsksOverdue, func(string) string { return s.Say(say.OverdueOnly) })
	day := func(label say.Phrase, at time.Time) func(string) string {
		return func(string) string { return s.Say(label) + " " + s.Day(at) }
	}
	add(AsksFrom, day(say.FromDay, a.Filter.From))
	add(AsksTo, day(say.ToDay, a.LastDay()))
	add(asksMin, bound(say.MinAmount, a.Filter.MinAmount))
	add(asksMax, bound(say.MaxAmount, a.Filter.MaxAmount))
	return chips
}

// presets are the periods that are used most, in the reader's time zone.
func (v *Visit) presets(a Asked) []view.Pick {
	if a.Always || len(a.Wrong) > 0 {
		return nil
	}
	year, month, day := v.Shell.Now.In(a.Zone).Date()
	ago := func(days int) string {
		return time.Date(year, month, day-days, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	first := ago(day - 1)
	var picks []view.Pick
	for _, one := range []struct {
		label    say.Phrase
		from, to string
	}{
		{say.Today, ago(0), ago(0)}, {say.Yesterday, ago(1), ago(1)}, {say.SevenDays, ago(6), ago(0)},
		{say.ThisMonth, first, ago(0)},
	} {
		query := maps.Clone(a.Query)
		query.Set(AsksFrom, one.from)
		query.Set(AsksTo, one.to)
		picks = append(picks, view.Pick{
			Text: v.Say(one.label), Href: view.Link(a.Href(query)),
			Current: a.Query.Get(AsksFrom) == one.from && a.Query.Get(AsksTo) == one.to,
		})
	}
	return picks
}

// window says which period a list shows if none was chosen.
func (v *Visit) window(a Asked) string {
	s := v.Shell
	s.Zone = a.Zone // in which the days were read
	switch {
	case a.Always || len(a.Wrong) > 0 || !a.Filter.From.IsZero():
		return ""
	case a.Days > 0:
		return v.Say(a.Kept, s.Day(s.Now.AddDate(0, 0, -a.Days)))
	case a.Filter.To.IsZero():
		return v.Say(say.LastDays, s.Day(s.Now.AddDate(0, 0, -windowDays)))
	}
	return v.Say(say.DaysUpTo, s.Day(a.LastDay()))
}
