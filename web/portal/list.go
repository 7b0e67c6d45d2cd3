package portal

import (
	"net/http"
	"strconv"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// List is a list with filters, whose address says what is shown.
type List struct {
	Path string
	// Statuses are those it may be kept to, and Status their names.
	Statuses []string
	Status   func(string) say.Phrase
	// Methods are those it may be kept to; none does not ask.
	Methods []string
	// Search and Amounts tell that it may be searched, and be kept to amounts; Hint says by what it is
	// searched.
	Search, Amounts bool
	Hint            say.Phrase
	// Account tells that it is of an account, Cashbox that it may be kept to a cashbox.
	Account, Cashbox bool
	// Owner tells that it is of the account of an owner who is named, Grouped that it is added up by something.
	Owner, Grouped bool
	// Types are the types of events that it may be kept to; none does not ask.
	Types []string
	// Program tells that it is of what programs ask: it may be kept to an error code and to an API key.
	Program bool
	// Log tells that it is of what was done: it may be kept to what was changed.
	Log bool
	// Days is for how many days it is kept, which Kept says; 0 is for ever.
	Days int
	Kept say.Phrase
	// Currencies are those that payments may be kept to; none does not ask.
	Currencies []string
	// Overdue tells that it may be kept to what is late.
	Overdue bool
	// Merchants tells that it is of all merchants, and may be kept to one by their id; Owners that it is of everybody, and may be
	// kept to a trader as well.
	Merchants, Owners bool
	// Metadata tells that it may be kept to what has a pair of metadata.
	Metadata bool
	// Always tells that it is of all time, and not of the last days; Single that it is kept to one
	// status and not to several.
	Always, Single bool
	// Sorted tells that it may be sorted by time and by amount.
	Sorted bool
	// Export is what it takes to have it as a file.
	Export caller.Capability
	// Columns are those that a user may leave out, or have besides; none does not ask.
	Columns []Column
	// None, NoneText and Lately are said where there is nothing at all, or nothing recent; Start leads
	// to where it begins, StartLabel says what that is.
	None, NoneText, Lately say.Phrase
	Start                  view.Link
	StartLabel             say.Phrase
}

// Column is a part of a list's rows that a user may choose. Extra ones are shown to who asks for them.
type Column struct {
	Name  string
	Label say.Phrase
	Extra bool
}

// With has a handler show what it is given, as a list.
func With[V, A any](a A, show func(V, A) error) func(V) error {
	return func(v V) error { return show(v, a) }
}

// ListRoutes are a list, and its file, of which the list says what it takes.
func ListRoutes[V any](l *List, reads caller.Capability, show, file func(V, List) error) []RouteOf[V] {
	return []RouteOf[V]{
		{Pattern: "GET " + l.Path, Needs: reads, Keeps: l, Handle: With(*l, show)},
		{Pattern: "GET " + l.Path + ".csv", Needs: l.Export, Handle: With(*l, file)},
	}
}

// The names of parameters.
const (
	AsksSearch  = "q"
	AsksStatus  = "status"
	AsksMethod  = "method"
	AsksFrom    = "from"
	AsksTo      = "to"
	asksMin     = "min"
	asksMax     = "max"
	AsksAccount = "account"
	AsksCashbox = "cashbox"
	AsksType    = "type"
	AsksCode    = "code"
	AsksKey     = "key"
	AsksSubject = "subject"
	// AsksCurrency keeps to a currency, and AsksOverdue to what is late.
	AsksCurrency = "currency"
	AsksOverdue  = "overdue"
	// AsksMetadata keeps to what has a pair, key=value.
	AsksMetadata = "metadata"
	// AsksMerchant and AsksTrader keep to the one of that id.
	AsksMerchant = "merchant"
	AsksTrader   = "trader"
	// AsksUser names a payer by the merchant's id of them.
	AsksUser = "user"
	// AsksSort is the order of a list.
	AsksSort = "sort"
	// AsksAfter and asksBefore are places in a list.
	AsksAfter  = "after"
	asksBefore = "before"
)

// What appeals and deposits go through.
var (
	AppealStatuses  = []string{"open", "in_review", "completed", "failed", "closed"}
	DepositStatuses = []string{"pending", "confirmed", "rejected"}
)

// Yes is what a tick sends.
const Yes = "yes"

const (
	windowDays = 30
	// MaxSearch is how many characters may be looked for.
	MaxSearch = 200
	maxText   = 64
)

// Pages lead to the parts of a list around one.
func Pages[T any](a Asked, page report.Page[T]) view.Pages {
	p := view.Pages{SearchedBackTo: page.SearchedBackTo, Sorted: a.Filter.Sort != ""}
	if p.Sorted && a.Filter.Cursor != "" {
		p.Newest = view.Link(a.Href(a.Query))
	}
	if page.Previous != nil {
		p.Newer = a.With(asksBefore, *page.Previous)
	}
	if page.Next != nil {
		p.Older = a.With(AsksAfter, *page.Next)
	}
	return p
}

// Tidied leads to the address that says the same without what says nothing, as forms send it.
func (v *Visit) Tidied(a Asked) bool {
	if a.tidy || len(a.Wrong) > 0 {
		return false
	}
	v.Lead(a.Href(a.Query))
	return true
}

// Flawed are the mistakes that a service found in what was asked. Of a place that is none there is no
// page.
func (v *Visit) Flawed(err error) (map[string]string, error) {
	found := v.Wrong(err)
	if found == nil {
		return nil, err
	}
	if found["cursor"] != "" {
		return nil, fault.ErrNotFound
	}
	if text := found["search"]; text != "" {
		found[AsksSearch] = text
	}
	return found, nil
}

// LookLonger is what an empty list offers: the same for a year.
func (a *Asked) LookLonger(now time.Time) view.Link {
	return a.With(AsksFrom, now.In(a.Zone).AddDate(-1, 0, 0).Format(time.DateOnly))
}

// StatusOf is what a list answers with: 422 where the address is wrong.
func (a *Asked) StatusOf() int {
	if len(a.Wrong) > 0 {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

// AsksOwner names an owner by the id of their available account.
const AsksOwner = "owner"

// Older leads on in a list that is read one way, and back to its beginning.
func (a *Asked) Older(next *string) view.Pages {
	var p view.Pages
	if next != nil {
		p.Older = a.With(AsksAfter, *next)
	}
	if a.Filter.Cursor != "" {
		p.Newest = view.Link(a.Href(a.Query))
	}
	return p
}

// CashboxID is the cashbox that a list is kept to, or nil.
func (a *Asked) CashboxID() *int64 {
	if a.Filter.CashboxID == 0 {
		return nil
	}
	return &a.Filter.CashboxID
}

// Nothing is what a short list says that shows nothing.
func (a *Asked) Nothing() view.Empty {
	switch {
	case len(a.Wrong) > 0:
		return view.Empty{Text: say.NotShown}
	case a.Filtered() || a.Filter.Cursor != "":
		return view.Empty{Title: say.NoneMatch}
	}
	return view.Empty{Title: a.None, Text: a.NoneText}
}

// Around leads to the parts of a short list around one, of which these are the ids: on is where the
// list goes on in the direction in which it was read.
func Around(a Asked, on *string, ids []int64) view.Pages {
	var p view.Pages
	turned, back := a.Filter.Cursor != "", a.Filter.Backward
	if len(ids) == 0 {
		if turned {
			p.Newest = view.Link(a.Href(a.Query))
		}
		return p
	}
	if back && on != nil || turned && !back {
		p.Newer = a.With(asksBefore, strconv.FormatInt(ids[0], 10))
	}
	if !back && on != nil || turned && back {
		p.Older = a.With(AsksAfter, strconv.FormatInt(ids[len(ids)-1], 10))
	}
	return p
}

// AsksBy says what income is added up by.
const AsksBy = "by"

// MethodNames are those of the methods that are to be kept.
func MethodNames(keep func(catalogue.Method) bool) []string {
	var names []string
	for _, method := range catalogue.Methods {
		if keep(method) {
			names = append(names, method.Name)
		}
	}
	return names
}

// EmptyList is what a list says that shows nothing: whether nothing matches, or nothing is recent, or
// there is nothing at all.
func (v *Visit) EmptyList(a Asked, exists func(report.Filter) (bool, error)) (view.Empty, error) {
	switch {
	case len(a.Wrong) > 0:
		return view.Empty{Text: say.NotShown}, nil
	case a.Filter.Cursor != "":
		return view.Empty{Title: say.NoneMatch}, nil
	case a.Filtered():
		empty := view.Empty{Title: say.NoneMatch, Text: say.NoneMatchText}
		if a.Filter.From.IsZero() && a.Filter.To.IsZero() {
			empty.Href, empty.Label = a.LookLonger(v.Shell.Now), say.LookLonger
		}
		return empty, nil
	}
	older, err := exists(report.Filter{From: time.Unix(0, 0), Paging: report.Paging{Limit: 1}})
	if err != nil {
		return view.Empty{}, err
	}
	if older {
		return view.Empty{
			Title: a.Lately,
			Text:  say.NoneLatelyText,
			Href:  a.LookLonger(v.Shell.Now),
			Label: say.LookLonger,
		}, nil
	}
	return view.Empty{Title: a.None, Text: a.NoneText, Href: a.Start, Label: a.StartLabel}, nil
}

// Listed is the address of a list with a query.
func Listed(path, query string) view.Link {
	if query == "" {
		return view.Link(path)
	}
	return view.Link(path + "?" + query)
}
