package portal

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/clock"
	"gateway.example/internal/metadata"
	"gateway.example/internal/money"
	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Asked is a list with the filters of an address.
type Asked struct {
	List
	Zone *time.Location
	// Query has the filters, without a position in the list.
	Query url.Values
	// tidy says that the address has no useless parameters.
	tidy   bool
	Filter report.Filter
	// Title names what is listed, if the page has no title of its own.
	Title string
	// Wrong has the mistakes in the parameters, by their names.
	Wrong map[string]string
}

// Asks reads a list's filters from the address. A wrong filter is reported in
// Wrong and not ignored.
func (v *Visit) Asks(l List) Asked {
	a := Asked{List: l, Zone: v.Shell.Zone, Query: url.Values{}, tidy: true, Wrong: map[string]string{}}
	given := v.R.URL.Query()
	for _, name := range l.parameters() {
		for _, value := range given[name] {
			if value = strings.TrimSpace(value); value == "" {
				a.tidy = false
			} else if !slices.Contains(a.Query[name], value) && (name == AsksStatus && !l.Single || !a.Query.Has(name)) {
				a.Query.Add(name, value)
			}
		}
	}
	a.Filter.Cursor = given.Get(AsksAfter)
	if before := given.Get(asksBefore); before != "" {
		a.Filter.Cursor, a.Filter.Backward = before, true
	}
	v.whose(&a)
	a.read(v.Shell)
	return a
}

// whose replaces names of merchants and traders in the address by their
// numbers, which is the form that is kept.
func (v *Visit) whose(a *Asked) {
	for name, pick := range map[string]*Pick{AsksMerchant: PickMerchant, AsksTrader: PickTrader} {
		text := a.Query.Get(name)
		if _, err := strconv.ParseInt(text, 10, 64); err == nil || text == "" {
			continue
		}
		id, flaw, err := v.pick(pick, text)
		if err != nil {
			v.Log(err)
			flaw = v.Say(say.BusyText)
		}
		if a.tidy = false; flaw != "" {
			a.Wrong[name] = flaw
			continue
		}
		a.Query.Set(name, IDText(id))
	}
}

// parameters are the parameters that an address may have for the list.
func (l List) parameters() []string {
	when := func(is bool, names ...string) []string {
		if !is {
			return nil
		}
		return names
	}
	return slices.Concat(
		when(!l.Always, AsksFrom, AsksTo), when(l.Search, AsksSearch), when(len(l.Statuses) > 0, AsksStatus),
		when(len(l.Methods) > 0, AsksMethod), when(l.Amounts, asksMin, asksMax), when(l.Account, AsksAccount),
		when(l.Cashbox, AsksCashbox), when(len(l.Types) > 0, AsksType), when(l.Program, AsksCode, AsksKey),
		when(l.Log, AsksSubject, AsksKey), when(len(l.Currencies) > 0, AsksCurrency), when(l.Overdue, AsksOverdue),
		when(l.Owner, AsksOwner), when(l.Grouped, AsksBy), when(l.Sorted, AsksSort), when(l.Metadata, AsksMetadata),
		when(l.Merchants || l.Owners, AsksMerchant), when(l.Owners, AsksTrader),
	)
}

// read turns the parameters into a filter.
func (a *Asked) read(s view.Shell) {
	check := func(ok bool, name string, flaw say.Phrase) {
		if !ok && a.Wrong[name] == "" {
			a.Wrong[name] = s.Say(flaw)
		}
	}
	a.readTexts(check)
	a.readNumbers(check)
	a.readDays(check)
}

type checker func(ok bool, name string, flaw say.Phrase)

// readTexts reads the filters that are texts, or values that the list knows. A
// wrong value is in the filter nevertheless, which does no harm: a list with
// mistakes is not read.
func (a *Asked) readTexts(check checker) {
	f, q := &a.Filter, a.Query
	f.Search, f.Method, f.Status, f.Currency = q.Get(AsksSearch), q.Get(AsksMethod), q[AsksStatus], q.Get(AsksCurrency)
	f.Overdue, f.Sort = q.Get(AsksOverdue) != "", report.Sort(q.Get(AsksSort))
	check(len([]rune(f.Search)) <= MaxSearch, AsksSearch, say.WrongSearch)
	check(!a.Log || q.Get(AsksKey) == "" || q.Has(AsksSubject), AsksKey, say.AuditOnlyKey)
	if text := q.Get(AsksMetadata); text != "" {
		var ok bool
		f.Metadata, ok = metadata.Typed(text)
		check(ok, AsksMetadata, say.WrongMetadata)
	}
	for _, name := range []string{AsksCode, AsksKey, AsksSubject} {
		check(len([]rune(q.Get(name))) <= maxText, name, say.WrongTooLong)
	}
	for _, of := range []struct {
		name  string
		known []string
		flaw  say.Phrase
	}{
		{AsksMethod, a.Methods, say.WrongMethod},
		{AsksType, a.Types, say.WrongType},
		{AsksCurrency, a.Currencies, say.WrongCurrency},
		{AsksStatus, a.Statuses, say.WrongStatus},
		{AsksSort, []string{string(report.Oldest), string(report.Least), string(report.Greatest)}, say.WrongType},
	} {
		for _, value := range q[of.name] {
			check(slices.Contains(of.known, value), of.name, of.flaw)
		}
	}
}

// readNumbers reads ids and amounts. Names of merchants and traders were
// replaced by ids before; of a name that means nobody, the first mistake is
// kept, which says so.
func (a *Asked) readNumbers(check checker) {
	f := &a.Filter
	for _, id := range []struct {
		name string
		to   *int64
		flaw say.Phrase
	}{
		{AsksCashbox, &f.CashboxID, say.WrongCashbox},
		{AsksMerchant, &f.MerchantID, say.WrongNumber},
		{AsksTrader, &f.TraderID, say.WrongNumber},
	} {
		if text := a.Query.Get(id.name); text != "" {
			number, err := strconv.ParseInt(text, 10, 64)
			*id.to = number
			check(err == nil && number > 0, id.name, id.flaw)
		}
	}
	f.MinAmount, f.MaxAmount = a.amount(asksMin, check), a.amount(asksMax, check)
	check(f.MaxAmount.IsZero() || !f.MaxAmount.LessThan(f.MinAmount), asksMax, say.WrongLess)
}

func (a *Asked) readDays(check checker) {
	f := &a.Filter
	f.From, f.To = a.day(AsksFrom, check), a.day(AsksTo, check)
	if !f.To.IsZero() { // the last day is included
		check(!f.To.Before(f.From), AsksTo, say.WrongOrder)
		f.To = clock.Midnight(f.To, 1)
	}
}

// LastDay is a time of the last day that the filter includes.
func (a *Asked) LastDay() time.Time { return a.Filter.To.Add(-time.Nanosecond) }

// day is the beginning of a day in the reader's time zone, or zero.
func (a *Asked) day(name string, check checker) time.Time {
	text := a.Query.Get(name)
	if text == "" {
		return time.Time{}
	}
	day, err := dayIn(a.Zone, text)
	check(err == nil, name, say.WrongDate)
	return day
}

// amountsMost is more than any amount.
var amountsMost = decimal.New(1, 15)

// amount parses an amount as people write it; it is zero if there is none.
func (a *Asked) amount(name string, check checker) decimal.Decimal {
	text := a.Query.Get(name)
	if text == "" {
		return decimal.Zero
	}
	text = money.Typed(text)
	amount, err := decimal.NewFromString(text)
	plain := err == nil && !strings.ContainsAny(text, "eE") && amount.Exponent() >= -2
	if !plain || !amount.IsPositive() || amount.GreaterThan(amountsMost) {
		check(false, name, say.WrongAmount)
		return decimal.Zero
	}
	return amount
}

// Filtered reports whether the list has a filter other than time.
func (a *Asked) Filtered() bool {
	for name := range a.Query {
		if name != AsksSort && name != AsksAccount && name != AsksOwner && name != AsksBy && (name != AsksCashbox || !a.Account) {
			return true
		}
	}
	return false
}

// Href is the address of the list with a query.
func (a *Asked) Href(query url.Values) string { return string(Listed(a.Path, query.Encode())) }

// With is the address of the list with one parameter changed.
func (a *Asked) With(name, value string) view.Link {
	query := maps.Clone(a.Query)
	query.Set(name, value)
	return view.Link(a.Href(query))
}

// The orders of each column. The first one is used at the first click.
var (
	ByTime   = []report.Sort{"", report.Oldest}
	ByAmount = []report.Sort{report.Greatest, report.Least}
)

// Sorting makes the head of a column a link to the list sorted by it.
func (a *Asked) Sorting(orders []report.Sort) view.Sorting {
	next := orders[0]
	s := view.Sorting{}
	for i, order := range orders {
		if a.Sorted && len(a.Wrong) == 0 && a.Filter.Sort == order {
			s.Down, s.Up = i == 0, i == 1
			next = orders[1-i]
		}
	}
	if a.Sorted {
		query := maps.Clone(a.Query)
		query.Set(AsksSort, string(next))
		if next == "" {
			query.Del(AsksSort)
		}
		s.Href = view.Link(a.Href(query))
	}
	return s
}

// without is the address of the list without one value of a filter. An id
// without its subject would filter nothing, so both are removed.
func (a *Asked) without(name, value string) view.Link {
	query := maps.Clone(a.Query)
	query[name] = slices.DeleteFunc(slices.Clone(query[name]), func(other string) bool { return other == value })
	if len(query[name]) == 0 {
		query.Del(name)
	}
	if name == AsksSubject {
		query.Del(AsksKey)
	}
	return view.Link(a.Href(query))
}
