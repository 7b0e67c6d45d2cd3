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

// List declares a list with filters. The address of a page says what of the
// list is shown.
type List struct {
	Path string
	// Statuses are the statuses by which it can be filtered, and Status
	// gives their names.
	Statuses []string
	Status   func(string) say.Phrase
	// Methods are the methods by which it can be filtered; without any
	// there is no such filter.
	Methods []string
	// Search and Amounts say that it can be searched, and filtered by
	// amounts. Hint says what can be searched for.
	Search, Amounts bool
	Hint            say.Phrase
	// Account says that it is a list of an account, and Cashbox that it can
	// be filtered by cashbox.
	Account, Cashbox bool
	// Owner says that the account's owner is chosen in the form, and
	// Grouped that the list can be grouped.
	Owner, Grouped bool
	// Types are the types of events by which it can be filtered; without
	// any there is no such filter.
	Types []string
	// Program says that it lists programs' requests, so it can be filtered
	// by error code and API key.
	Program bool
	// Log says that it lists what was done, so it can be filtered by what
	// was changed.
	Log bool
	// Days is for how many days entries are kept, which Kept says; 0 is for
	// ever.
	Days int
	Kept say.Phrase
	// Currencies are the currencies by which it can be filtered; without
	// any there is no such filter.
	Currencies []string
	// Overdue says that it can show overdue items only.
	Overdue bool
	// Merchants says that it lists what all merchants have and can be
	// filtered by merchant. Owners says that it can also be filtered by
	// trader.
	Merchants, Owners bool
	// Metadata says that it can be filtered by a pair of metadata.
	Metadata bool
	// Always says that it has no filter by time and lists everything.
	// Single says that only one status can be chosen.
	Always, Single bool
	// Sorted says that it can be sorted by time and by amount.
	Sorted bool
	// Export is the capability that is required to get it as a file.
	Export caller.Capability
	// Columns are the columns that a user may hide or add; without any
	// there is no such choice.
	Columns []Column
	// None and NoneText are shown if there is nothing at all, and Lately if
	// there is nothing recent. Start leads to where the first item can be
	// made, and StartLabel is the text of that link.
	None, NoneText, Lately say.Phrase
	Start                  view.Link
	StartLabel             say.Phrase
}

// Column is a column that a user may choose. Extra columns are hidden unless
// they are chosen.
type Column struct {
	Name  string
	Label say.Phrase
	Extra bool
}

// With makes a handler from a function that takes an argument, such as a list.
func With[V, A any](a A, show func(V, A) error) func(V) error {
	return func(v V) error { return show(v, a) }
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
	// AsksCurrency filters by currency, and AsksOverdue by being overdue.
	AsksCurrency = "currency"
	AsksOverdue  = "overdue"
	// AsksMetadata filters by a pair, as key=value.
	AsksMetadata = "metadata"
	// AsksMerchant and AsksTrader filter by an id.
	AsksMerchant = "merchant"
	AsksTrader   = "trader"
	// AsksUser names a payer by the merchant's id of them.
	AsksUser = "user"
	// AsksSort is the order of a list.
	AsksSort = "sort"
	// AsksAfter and asksBefore are positions in a list.
	AsksAfter  = "after"
	asksBefore = "before"
)

// The statuses of appeals and of deposits.
var (
	AppealStatuses  = []string{"open", "in_review", "completed", "failed", "closed"}
	DepositStatuses = []string{"pending", "confirmed", "rejected"}
)

// Yes is the value of a ticked box.
const Yes = "yes"

const (
	windowDays = 30
	// MaxSearch is the maximum length of a search text in characters.
	MaxSearch = 200
	maxText   = 64
)

// Pages are the links to the neighbours of a list's page.
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

// Tidied redirects to the same address without the empty parameters that forms
// send, and reports whether it did.
func (v *Visit) Tidied(a Asked) bool {
	if a.tidy || len(a.Wrong) > 0 {
		return false
	}
	v.Lead(a.Href(a.Query))
	return true
}

// Flawed returns the mistakes that a service found in the parameters. For a
// wrong cursor there is no page, so it returns an error.
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

// LookLonger is the link of an empty list to the same list over a year.
func (a *Asked) LookLonger(now time.Time) view.Link {
	return a.With(AsksFrom, now.In(a.Zone).AddDate(-1, 0, 0).Format(time.DateOnly))
}

// StatusOf is the status of the answer: 422 if the address has mistakes.
func (a *Asked) StatusOf() int {
	if len(a.Wrong) > 0 {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

// AsksOwner names an owner by the id of their available account.
const AsksOwner = "owner"

// Older are the links of a list that can be paged in one direction only,
// forward and to its beginning.
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

// CashboxID is the cashbox by which a list is filtered, or nil.
func (a *Asked) CashboxID() *int64 {
	if a.Filter.CashboxID == 0 {
		return nil
	}
	return &a.Filter.CashboxID
}

// Nothing is what an empty short list shows.
func (a *Asked) Nothing() view.Empty {
	switch {
	case len(a.Wrong) > 0:
		return view.Empty{Text: say.NotShown}
	case a.Filtered() || a.Filter.Cursor != "":
		return view.Empty{Title: say.NoneMatch}
	}
	return view.Empty{Title: a.None, Text: a.NoneText}
}

// Around are the links to the neighbours of a short list's page. ids are the
// ids on the page, and on is the cursor in the direction of reading.
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

// AsksBy names what income is grouped by.
const AsksBy = "by"

// MethodNames are the names of the methods for which keep returns true.
func MethodNames(keep func(catalogue.Method) bool) []string {
	var names []string
	for _, method := range catalogue.Methods {
		if keep(method) {
			names = append(names, method.Name)
		}
	}
	return names
}

// EmptyList is what an empty list shows: that nothing matches, that nothing is
// recent, or that there is nothing at all.
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
