package portal

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// list is a list with filters, whose address says what is shown.
type list struct {
	path string
	// statuses are those it may be kept to, and status their names.
	statuses []string
	status   func(string) say.Phrase
	// methods are those it may be kept to; none does not ask.
	methods []string
	// search and amounts tell that it may be searched, and be kept to amounts; hint says by what it is
	// searched.
	search, amounts bool
	hint            say.Phrase
	// account tells that it is of an account, cashbox that it may be kept to a cashbox.
	account, cashbox bool
	// owner tells that it is of the account of an owner who is named, grouped that it is added up by something.
	owner, grouped bool
	// types are the types of events that it may be kept to; none does not ask.
	types []string
	// program tells that it is of what programs ask: it may be kept to an error code and to an API key.
	program bool
	// log tells that it is of what was done: it may be kept to what was changed.
	log bool
	// days is for how many days it is kept, which kept says; 0 is for ever.
	days int
	kept say.Phrase
	// currencies are those that payments may be kept to; none does not ask.
	currencies []string
	// overdue tells that it may be kept to what is late.
	overdue bool
	// owners tells that it is of everybody, and may be kept to a merchant and a trader by their ids.
	owners bool
	// always tells that it is of all time, and not of the last days; single that it is kept to one
	// status and not to several.
	always, single bool
	// export is what it takes to have it as a file.
	export caller.Capability
	// about heads the column that tells the reader what something is about, and sum that of USDT.
	about, sum say.Phrase
	// none, noneText and lately are said where there is nothing at all, or nothing recent; start leads
	// to where it begins, startLabel says what that is.
	none, noneText, lately say.Phrase
	start                  view.Link
	startLabel             say.Phrase
}

// with has a handler show a list.
func with(l list, show func(*visit, list) error) func(*visit) error {
	return func(v *visit) error { return show(v, l) }
}

// The names of parameters.
const (
	asksSearch  = "q"
	asksStatus  = "status"
	asksMethod  = "method"
	asksFrom    = "from"
	asksTo      = "to"
	asksMin     = "min"
	asksMax     = "max"
	asksAccount = "account"
	asksCashbox = "cashbox"
	asksType    = "type"
	asksCode    = "code"
	asksKey     = "key"
	asksSubject = "subject"
	// asksCurrency keeps to a currency, and asksOverdue to what is late.
	asksCurrency = "currency"
	asksOverdue  = "overdue"
	// asksMerchant and asksTrader keep to the one of that id.
	asksMerchant = "merchant"
	asksTrader   = "trader"
	// asksAfter and asksBefore are places in a list.
	asksAfter  = "after"
	asksBefore = "before"
)

// yes is what a tick sends.
const yes = "yes"

const (
	windowDays = 30
	maxSearch  = 200
	maxText    = 64
)

// asked is what an address asks of a list.
type asked struct {
	list
	zone *time.Location
	// query is what is asked for, without a place in the list.
	query url.Values
	// tidy tells that the address says nothing in vain.
	tidy   bool
	filter report.Filter
	// title is of what it is a list, where its page has no title of its own.
	title string
	// wrong is what is wrong with it, by the names of parameters.
	wrong map[string]string
}

// asks reads what the address asks of a list. What is wrong with it is said, not left out.
func (v *visit) asks(l list) asked {
	a := asked{list: l, zone: v.shell.Zone, query: url.Values{}, tidy: true, wrong: map[string]string{}}
	given := v.r.URL.Query()
	for _, name := range l.parameters() {
		for _, value := range given[name] {
			if value = strings.TrimSpace(value); value == "" {
				a.tidy = false
			} else if !slices.Contains(a.query[name], value) && (name == asksStatus && !l.single || !a.query.Has(name)) {
				a.query.Add(name, value)
			}
		}
	}
	a.filter.Cursor = given.Get(asksAfter)
	if before := given.Get(asksBefore); before != "" {
		a.filter.Cursor, a.filter.Backward = before, true
	}
	a.read(v.shell)
	return a
}

func (l list) parameters() []string {
	var names []string
	if !l.always {
		names = append(names, asksFrom, asksTo)
	}
	if l.search {
		names = append(names, asksSearch)
	}
	if len(l.statuses) > 0 {
		names = append(names, asksStatus)
	}
	if len(l.methods) > 0 {
		names = append(names, asksMethod)
	}
	if l.amounts {
		names = append(names, asksMin, asksMax)
	}
	if l.account {
		names = append(names, asksAccount)
	}
	if l.cashbox {
		names = append(names, asksCashbox)
	}
	if len(l.types) > 0 {
		names = append(names, asksType)
	}
	if l.program {
		names = append(names, asksCode, asksKey)
	}
	if l.log {
		names = append(names, asksSubject, asksKey)
	}
	if len(l.currencies) > 0 {
		names = append(names, asksCurrency)
	}
	if l.overdue {
		names = append(names, asksOverdue)
	}
	if l.owner {
		names = append(names, asksOwner)
	}
	if l.grouped {
		names = append(names, asksBy)
	}
	if l.owners {
		names = append(names, asksMerchant, asksTrader)
	}
	return names
}

// read turns the parameters into a filter.
func (a *asked) read(s view.Shell) {
	check := func(ok bool, name string, flaw say.Phrase) {
		if !ok && a.wrong[name] == "" {
			a.wrong[name] = s.Say(flaw)
		}
	}
	f := &a.filter
	f.Search, f.Method, f.Status = a.query.Get(asksSearch), a.query.Get(asksMethod), a.query[asksStatus]
	check(len([]rune(f.Search)) <= maxSearch, asksSearch, say.WrongSearch)
	for _, id := range []struct {
		name string
		to   *int64
		flaw say.Phrase
	}{
		{asksCashbox, &f.CashboxID, say.WrongCashbox},
		{asksMerchant, &f.MerchantID, say.WrongNumber},
		{asksTrader, &f.TraderID, say.WrongNumber},
	} {
		if text := a.query.Get(id.name); text != "" {
			number, err := strconv.ParseInt(text, 10, 64)
			*id.to = number
			check(err == nil && number > 0, id.name, id.flaw)
		}
	}
	check(f.Method == "" || slices.Contains(a.methods, f.Method), asksMethod, say.WrongMethod)
	check(!a.log || a.query.Get(asksKey) == "" || a.query.Has(asksSubject), asksKey, say.AuditOnlyKey)
	for _, name := range []string{asksCode, asksKey, asksSubject} {
		check(len([]rune(a.query.Get(name))) <= maxText, name, say.WrongTooLong)
	}
	kind := a.query.Get(asksType)
	check(kind == "" || slices.Contains(a.types, kind), asksType, say.WrongType)
	f.Currency, f.Overdue = a.query.Get(asksCurrency), a.query.Get(asksOverdue) != ""
	check(f.Currency == "" || slices.Contains(a.currencies, f.Currency), asksCurrency, say.WrongCurrency)
	for _, status := range f.Status {
		check(slices.Contains(a.statuses, status), asksStatus, say.WrongStatus)
	}
	var known bool
	f.From, known = a.day(asksFrom)
	check(known, asksFrom, say.WrongDate)
	f.To, known = a.day(asksTo)
	check(known, asksTo, say.WrongDate)
	if !f.To.IsZero() { // the day is within
		check(!f.To.Before(f.From), asksTo, say.WrongOrder)
		f.To = f.To.AddDate(0, 0, 1)
	}
	f.MinAmount, known = a.amount(asksMin)
	check(known, asksMin, say.WrongAmount)
	f.MaxAmount, known = a.amount(asksMax)
	check(known, asksMax, say.WrongAmount)
	check(f.MaxAmount.IsZero() || !f.MaxAmount.LessThan(f.MinAmount), asksMax, say.WrongLess)
}

// day is the beginning of a day in the reader's zone; zero where none is asked for.
func (a *asked) day(name string) (time.Time, bool) {
	text := a.query.Get(name)
	if text == "" {
		return time.Time{}, true
	}
	day, err := time.ParseInLocation(time.DateOnly, text, a.zone)
	return day, err == nil && day.Year() >= 2000 && day.Year() < 3000
}

// amountsMost is beyond every amount that there is.
var amountsMost = decimal.New(1, 15)

// amount is an amount as people write it; zero where none is asked for.
func (a *asked) amount(name string) (decimal.Decimal, bool) {
	text := a.query.Get(name)
	if text == "" {
		return decimal.Zero, true
	}
	text = plainAmount(text)
	amount, err := decimal.NewFromString(text)
	plain := err == nil && !strings.ContainsAny(text, "eE") && amount.Exponent() >= -2
	if !plain || !amount.IsPositive() || amount.GreaterThan(amountsMost) {
		return decimal.Zero, false
	}
	return amount, true
}

// plainAmount is an amount that people typed as programs read it.
func plainAmount(text string) string {
	return strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", ",", ".").Replace(text)
}

// filtered tells whether anything but the time of the list is kept to.
func (a *asked) filtered() bool {
	for name := range a.query {
		if name != asksAccount && name != asksOwner && name != asksBy && (name != asksCashbox || !a.account) {
			return true
		}
	}
	return false
}

// href is the address of the list with a query.
func (a *asked) href(query url.Values) string {
	if len(query) == 0 {
		return a.path
	}
	return a.path + "?" + query.Encode()
}

// with is the address of what is asked for, one parameter set.
func (a *asked) with(name, value string) view.Link {
	query := maps.Clone(a.query)
	query.Set(name, value)
	return view.Link(a.href(query))
}

// without is the address of what is asked for but one value. An id without its subject names nothing.
func (a *asked) without(name, value string) view.Link {
	query := maps.Clone(a.query)
	query[name] = slices.DeleteFunc(slices.Clone(query[name]), func(other string) bool { return other == value })
	if len(query[name]) == 0 {
		query.Del(name)
	}
	if name == asksSubject {
		query.Del(asksKey)
	}
	return view.Link(a.href(query))
}

// pages lead to the parts of a list around one.
func pages[T any](a asked, page report.Page[T]) view.Pages {
	p := view.Pages{SearchedBackTo: page.SearchedBackTo}
	if page.Previous != nil {
		p.Newer = a.with(asksBefore, *page.Previous)
	}
	if page.Next != nil {
		p.Older = a.with(asksAfter, *page.Next)
	}
	return p
}

// tidied leads to the address that says the same without what says nothing, as forms send it.
func (v *visit) tidied(a asked) bool {
	if a.tidy || len(a.wrong) > 0 {
		return false
	}
	v.lead(a.href(a.query))
	return true
}

// flawed are the mistakes that a service found in what was asked. Of a place that is none there is no
// page.
func (v *visit) flawed(err error) (map[string]string, error) {
	found := v.wrong(err)
	if found == nil {
		return nil, err
	}
	if found["cursor"] != "" {
		return nil, fault.ErrNotFound
	}
	if text := found["search"]; text != "" {
		found[asksSearch] = text
	}
	return found, nil
}

// methodName is a method's name; two of the same name are told apart by what the API calls them.
func (v *visit) methodName(method string) string {
	name := v.shell.Say(say.Method(method))
	for _, other := range catalogue.Methods {
		if other.Name != method && v.shell.Say(say.Method(other.Name)) == name {
			return name + " (" + method + ")"
		}
	}
	return name
}

// lookLonger is what an empty list offers: the same for a year.
func (a *asked) lookLonger(now time.Time) view.Link {
	return a.with(asksFrom, now.In(a.zone).AddDate(-1, 0, 0).Format(time.DateOnly))
}

// statusOf is what a list answers with: 422 where the address is wrong.
func (a *asked) statusOf() int {
	if len(a.wrong) > 0 {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}
