package portal

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// filters are the form above a list.
func (v *visit) filters(a asked) (view.Filters, error) {
	f := view.Filters{
		Path: a.path, Query: a.query.Encode(), Searches: a.search, Hint: a.hint, Amounts: a.amounts, Always: a.always,
		Search: a.query.Get(asksSearch), Method: a.query.Get(asksMethod), From: a.query.Get(asksFrom),
		To: a.query.Get(asksTo), MinAmount: a.query.Get(asksMin), MaxAmount: a.query.Get(asksMax), Wrong: a.wrong,
	}
	for _, name := range []string{asksAccount, asksOwner, asksBy} {
		if kept := a.query.Get(name); kept != "" {
			f.Keep = append(f.Keep, [2]string{name, kept})
		}
	}
	v.statusFilters(&f, a)
	v.choiceFilters(&f, a)
	textFilters(&f, a)
	v.shell.Mistakes = len(a.wrong) > 0
	boxes, err := v.cashboxes(a)
	if err != nil {
		return f, err
	}
	f.Cashbox, f.Cashboxes = a.query.Get(asksCashbox), boxes.options(v, a)
	f.Chips, f.Window = v.chips(a, boxes), v.window(a)
	if v.who.May(a.export) && len(a.wrong) == 0 {
		f.Export = string(listed(a.path+".csv", f.Query))
	}
	f.Views, err = v.savedViews(a)
	return f, err
}

// statusFilters ask for one status where the list is kept to one, and for several otherwise.
func (v *visit) statusFilters(f *view.Filters, a asked) {
	name := func(status string) string { return v.shell.Say(a.status(status)) }
	if a.single {
		f.Status, f.StatusOptions = a.query.Get(asksStatus), v.anyOf(say.AnyMethod, a.statuses, name)
		return
	}
	for _, status := range a.statuses {
		f.Statuses = append(f.Statuses, view.Tick{
			Value: status, Text: name(status), On: slices.Contains(a.query[asksStatus], status),
		})
	}
}

// choiceFilters ask for a method, a currency and a type, and for what is late, where the list has them.
func (v *visit) choiceFilters(f *view.Filters, a asked) {
	itself := func(value string) string { return value }
	if len(a.methods) > 0 {
		f.Methods = v.anyOf(say.AnyMethod, a.methods, v.methodName)
	}
	if len(a.currencies) > 0 {
		f.Currency, f.Currencies = a.query.Get(asksCurrency), v.anyOf(say.AnyCashbox, a.currencies, itself)
	}
	if a.overdue {
		f.Overdue = &view.Tick{Value: yes, Text: v.shell.Say(say.OverdueOnly), On: a.filter.Overdue}
	}
	if len(a.types) > 0 {
		f.Type, f.Types = a.query.Get(asksType), v.anyOf(say.AnyType, a.types, itself)
	}
}

// anyOf are values to choose one from, after a choice that keeps to none of them.
func (v *visit) anyOf(first say.Phrase, values []string, name func(string) string) []view.Option {
	options := []view.Option{{Text: v.shell.Say(first)}}
	for _, value := range values {
		options = append(options, view.Option{Value: value, Text: name(value)})
	}
	return options
}

// textFilters ask for what is typed: codes, keys and ids.
func textFilters(f *view.Filters, a asked) {
	if a.program {
		f.Texts = []view.Field{f.Text(asksCode, say.RequestCode, a.query), f.Text(asksKey, say.KeyID, a.query)}
	}
	if a.owners {
		f.Texts = append(f.Texts, f.Text(asksMerchant, say.MerchantID, a.query),
			f.Text(asksTrader, say.TraderID, a.query))
	}
	if a.log {
		f.StatusLabel = say.AuditKind
		f.Texts = []view.Field{f.Text(asksSubject, say.AuditSubject, a.query), f.Text(asksKey, say.AuditKey, a.query)}
	}
}

// chips are the filters in force. What is wrong is none of them.
func (v *visit) chips(a asked, boxes cashboxes) []view.Chip {
	var chips []view.Chip
	s := v.shell
	add := func(name string, words func(value string) string) {
		for _, value := range a.query[name] {
			if a.wrong[name] == "" {
				chips = append(chips, view.Chip{Text: words(value), Href: a.without(name, value)})
			}
		}
	}
	bound := func(label say.Phrase, amount decimal.Decimal) func(string) string {
		return func(string) string { return s.Say(label) + " " + s.Number(amount) }
	}
	add(asksSearch, func(value string) string { return "“" + value + "”" })
	add(asksStatus, func(value string) string { return s.Say(a.status(value)) })
	add(asksMethod, v.methodName)
	if !a.account { // an account is always of one
		add(asksCashbox, boxes.name)
	}
	for _, name := range []string{asksType, asksCode, asksSubject, asksKey, asksCurrency} {
		add(name, func(value string) string { return value })
	}
	numbered := func(label say.Phrase) func(string) string {
		return func(value string) string { return s.Say(label) + " " + value }
	}
	add(asksMerchant, numbered(say.MerchantID))
	add(asksTrader, numbered(say.TraderID))
	add(asksOverdue, func(string) string { return s.Say(say.OverdueOnly) })
	day := func(label say.Phrase, at time.Time) func(string) string {
		return func(string) string { return s.Say(label) + " " + s.Day(at) }
	}
	add(asksFrom, day(say.FromDay, a.filter.From))
	add(asksTo, day(say.ToDay, a.filter.To.AddDate(0, 0, -1)))
	add(asksMin, bound(say.MinAmount, a.filter.MinAmount))
	add(asksMax, bound(say.MaxAmount, a.filter.MaxAmount))
	return chips
}

// window says which time a list shows, where nobody has said from when.
func (v *visit) window(a asked) string {
	switch {
	case a.always || len(a.wrong) > 0 || !a.filter.From.IsZero():
		return ""
	case a.days > 0:
		return v.shell.Say(a.kept, v.shell.Day(v.shell.Now.AddDate(0, 0, -a.days)))
	case a.filter.To.IsZero():
		return v.shell.Say(say.LastDays, v.shell.Day(v.shell.Now.AddDate(0, 0, -windowDays)))
	}
	return v.shell.Say(say.DaysUpTo, v.shell.Day(a.filter.To.AddDate(0, 0, -1)))
}
