package view

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

// Filters are the filters of a list, as the form above it shows them.
type Filters struct {
	// Path is the address of the list, and Query its present filters
	// without a position in the list.
	Path, Query string
	// Keep are parameters that the form sends along without asking for
	// them.
	Keep [][2]string
	// Searches says that the list can be searched, and Hint says what for.
	// Amounts says that it can be filtered by amount, and Always that it
	// has no filter by time.
	Searches, Amounts, Always bool
	Hint                      say.Phrase
	Search                    string
	// Cashboxes are the cashboxes to choose from, and StatusOptions the
	// statuses if only one can be chosen.
	Cashbox       string
	Cashboxes     []Option
	Status        string
	StatusOptions []Option
	// StatusLabel is the label of the statuses; it may be empty.
	StatusLabel say.Phrase
	// Act links to where an item is made; "" is nowhere. Aside says that it
	// links to another list instead.
	Act      templ.SafeURL
	ActLabel say.Phrase
	Aside    bool
	// Statuses and Methods are the values to choose from. Without any there
	// is no such filter.
	Statuses []Tick
	Method   string
	Methods  []Option
	// Types are the types of events to choose from.
	Type  string
	Types []Option
	// Texts are further fields.
	Texts      []Field
	Currency   string
	Currencies []Option
	// Overdue is the filter for what is overdue; nil if there is none.
	Overdue *Tick
	// From and To are days, and MinAmount and MaxAmount are amounts, as
	// they were typed.
	From, To, MinAmount, MaxAmount string
	// Wrong has the mistakes in what was typed, by the names of the fields.
	Wrong map[string]string
	Chips []Chip
	// Presets are periods that are used often.
	Presets []Pick
	// Window says which period is shown if none was chosen; it may be "".
	Window string
	// Export is the address of the list as a file; "" if the user may not
	// have it.
	Export string
	Views  []SavedView
	// Columns are the columns to choose from; without any there is no such
	// choice.
	Columns []Tick
}

// Shows reports whether a column is shown.
func (f Filters) Shows(column string) bool {
	return slices.ContainsFunc(f.Columns, func(c Tick) bool { return c.Value == column && c.On })
}

// Tick is an option of which several can be chosen.
type Tick struct {
	Value, Text string
	On          bool
}

// Ticks are options of which any number can be chosen. Hint may be "".
type Ticks struct {
	Name        string
	Label       say.Phrase
	Hint, Wrong string
	List        []Tick
}

// Chip is a filter that applies. Href links to the list without it.
type Chip struct {
	Text string
	Href templ.SafeURL
}

// SavedView is a list that a user has saved under a name.
type SavedView struct {
	ID      int64
	Name    string
	Href    templ.SafeURL
	Current bool
}

// clear links to the list without filters.
func (f Filters) clear() templ.SafeURL { return Query(f.Path, pairs(f.Keep)...) }

func pairs(keep [][2]string) []string {
	var flat []string
	for _, pair := range keep {
		flat = append(flat, pair[0], pair[1])
	}
	return flat
}

// opened reports whether the fields are unfolded.
func (f Filters) opened() bool { return len(f.Wrong) > 0 || !f.Searches }

// statusLabel is the label of the statuses.
func (f Filters) statusLabel() say.Phrase {
	if f.StatusLabel == (say.Phrase{}) {
		return say.Status
	}
	return f.StatusLabel
}

// Day is a field for a day.
func (f Filters) Day(name string, label say.Phrase, value string) Field {
	field := Field{Name: name, Label: label, Value: value, Wrong: f.Wrong[name], Type: "date", Quiet: true}
	if field.Wrong != "" { // a date field would show nothing for an invalid date
		field.Type = "text"
	}
	return field
}

// Text is a field for a text of a program, such as a code.
func (f Filters) Text(name string, label say.Phrase, values url.Values) Field {
	return Field{
		Name: name, Label: label, Value: values.Get(name), Wrong: f.Wrong[name], Quiet: true, Max: 64,
		More: templ.Attributes{"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"},
	}
}

// amount is a field for an amount.
func (f Filters) amount(name string, label say.Phrase, value string) Field {
	return Field{
		Name: name, Label: label, Value: value, Wrong: f.Wrong[name], Quiet: true, Max: 20,
		More: templ.Attributes{"inputmode": "decimal", "autocomplete": "off"},
	}
}

// Sorting is how the head of a column sorts the list.
type Sorting struct {
	// Href links to the list sorted by the column, or in the other
	// direction; "" if it cannot be sorted.
	Href templ.SafeURL
	// Down says that the list is sorted by this column with the greatest or
	// newest first, and Up that it is sorted the other way.
	Down, Up bool
}

func (s Sorting) aria() string {
	switch {
	case s.Down:
		return "descending"
	case s.Up:
		return "ascending"
	}
	return ""
}

// Pages are the links to a list's other pages; "" if there is no such page.
type Pages struct {
	// Sorted says that the list does not begin with the newest.
	Sorted       bool
	Newer, Older templ.SafeURL
	// Newest links to the beginning.
	Newest templ.SafeURL
	// SearchedBackTo is how far back was searched; Older continues from
	// there.
	SearchedBackTo *time.Time
}

// labels are the texts of the links to the beginning, back and forward.
func (p Pages) labels() [3]say.Phrase {
	switch {
	case p.Sorted:
		return [3]say.Phrase{say.FirstPage, say.PreviousPage, say.NextPage}
	case p.SearchedBackTo != nil:
		return [3]say.Phrase{say.Newest, say.Newer, say.GoOn}
	}
	return [3]say.Phrase{say.Newest, say.Newer, say.Older}
}

// Empty is what an empty list shows.
type Empty struct {
	Title, Text say.Phrase
	// Href and Label link to where there may be items; "" if there is no
	// link.
	Href  templ.SafeURL
	Label say.Phrase
}

// Badge is a status with its tone.
type Badge struct {
	Text say.Phrase
	Tone string
}

func PaymentBadge(status string) Badge {
	tones := map[string]string{"completed": "good", "failed": "bad", "cancelled": "off", "appeal": "late"}
	return Badge{say.PaymentStatus(status), tones[status]}
}

func PayoutBadge(status string) Badge {
	tones := map[string]string{
		"processing": "late", "completed": "good", "failed": "bad", "cancelled": "off", "expired": "off",
	}
	return Badge{say.PayoutStatus(status), tones[status]}
}

// NewView is the form that saves a view under a name.
type NewView struct {
	Name, Path, Query string
	Wrong             map[string]string
}

// Href is the address of the list that the view would have.
func (n NewView) Href() templ.SafeURL {
	if n.Query == "" {
		return templ.SafeURL(n.Path)
	}
	return templ.SafeURL(n.Path + "?" + n.Query)
}

func (v SavedView) removal() templ.SafeURL {
	return templ.SafeURL("/views/" + strconv.FormatInt(v.ID, 10) + "/remove")
}
