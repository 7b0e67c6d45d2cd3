package view

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

// Filters are what a list is kept to, as the form above it shows them.
type Filters struct {
	// Path is the list's, and Query what it is asked for with now, without a place in it.
	Path, Query string
	// Keep are parameters that the form does not ask for and sends along.
	Keep [][2]string
	// Searches tells that there is something to search for, and Hint by what; Amounts that amounts may
	// be bound, Always that time may not.
	Searches, Amounts, Always bool
	Hint                      say.Phrase
	Search                    string
	// Cashboxes are what may be chosen, as StatusOptions are where one status is kept to.
	Cashbox       string
	Cashboxes     []Option
	Status        string
	StatusOptions []Option
	// StatusLabel is what the statuses are called, where they are something else.
	StatusLabel say.Phrase
	// Act leads to where one is made of what is listed; "" is nowhere. Aside tells that it leads to another list.
	Act      templ.SafeURL
	ActLabel say.Phrase
	Aside    bool
	// Statuses and Methods are what may be chosen. Without any, the form does not ask.
	Statuses []Tick
	Method   string
	Methods  []Option
	// Types are of events.
	Type  string
	Types []Option
	// Texts are fields besides.
	Texts      []Field
	Currency   string
	Currencies []Option
	// Overdue keeps to what is late; nil does not ask.
	Overdue *Tick
	// From and To are days, MinAmount and MaxAmount amounts, as typed.
	From, To, MinAmount, MaxAmount string
	// Wrong is what is wrong with what was typed, by the names of the fields.
	Wrong map[string]string
	Chips []Chip
	// Presets keep to days that are asked for often.
	Presets []Pick
	// Window says which time is shown, where no filter does; "" is nothing.
	Window string
	// Export is where the same is had as a file; "" is not for this user.
	Export string
	Views  []SavedView
	// Columns are those that may be chosen; none does not ask.
	Columns []Tick
}

// Shows tells whether a column that may be chosen is shown.
func (f Filters) Shows(column string) bool {
	return slices.ContainsFunc(f.Columns, func(c Tick) bool { return c.Value == column && c.On })
}

// Tick is an option that may be chosen beside others.
type Tick struct {
	Value, Text string
	On          bool
}

// Ticks are things to choose any number of. Hint may be "".
type Ticks struct {
	Name        string
	Label       say.Phrase
	Hint, Wrong string
	List        []Tick
}

// Chip is a filter that is in force. Href leads to the list without it.
type Chip struct {
	Text string
	Href templ.SafeURL
}

// SavedView is a list under a name of the user's.
type SavedView struct {
	ID      int64
	Name    string
	Href    templ.SafeURL
	Current bool
}

// clear leads to the list without any filter.
func (f Filters) clear() templ.SafeURL { return Query(f.Path, pairs(f.Keep)...) }

func pairs(keep [][2]string) []string {
	var flat []string
	for _, pair := range keep {
		flat = append(flat, pair[0], pair[1])
	}
	return flat
}

// opened tells whether the fields are unfolded.
func (f Filters) opened() bool { return len(f.Wrong) > 0 || !f.Searches }

// statusLabel is what the statuses are called.
func (f Filters) statusLabel() say.Phrase {
	if f.StatusLabel == (say.Phrase{}) {
		return say.Status
	}
	return f.StatusLabel
}

// Day is a field for a day.
func (f Filters) Day(name string, label say.Phrase, value string) Field {
	field := Field{Name: name, Label: label, Value: value, Wrong: f.Wrong[name], Type: "date", Quiet: true}
	if field.Wrong != "" { // a field for dates shows nothing that is none
		field.Type = "text"
	}
	return field
}

// Text is a field for a text that a program knows.
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

// Sorting is how the head of a column sorts a list.
type Sorting struct {
	// Href leads to the list by it, or the other way round; "" leads nowhere.
	Href templ.SafeURL
	// Down and Up tell that the list is by this column, the greatest or newest first, or the other way.
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

// Pages lead through a list. What is "" is not there.
type Pages struct {
	// Sorted tells that it is not the newest that come first.
	Sorted       bool
	Newer, Older templ.SafeURL
	// Newest leads to the beginning.
	Newest templ.SafeURL
	// SearchedBackTo is how far was looked; Older goes on from there.
	SearchedBackTo *time.Time
}

// labels are what the links to the beginning, back and on are called.
func (p Pages) labels() [3]say.Phrase {
	switch {
	case p.Sorted:
		return [3]say.Phrase{say.FirstPage, say.PreviousPage, say.NextPage}
	case p.SearchedBackTo != nil:
		return [3]say.Phrase{say.Newest, say.Newer, say.GoOn}
	}
	return [3]say.Phrase{say.Newest, say.Newer, say.Older}
}

// Empty is what a list says that shows nothing.
type Empty struct {
	Title, Text say.Phrase
	// Href and Label lead to where there may be something; "" leads nowhere.
	Href  templ.SafeURL
	Label say.Phrase
}

// Badge is a status and its tone.
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

// NewView asks for the name of a view that is to be saved.
type NewView struct {
	Name, Path, Query string
	Wrong             map[string]string
}

// Href is where the list is that a view would be of.
func (n NewView) Href() templ.SafeURL {
	if n.Query == "" {
		return templ.SafeURL(n.Path)
	}
	return templ.SafeURL(n.Path + "?" + n.Query)
}

func (v SavedView) removal() templ.SafeURL {
	return templ.SafeURL("/views/" + strconv.FormatInt(v.ID, 10) + "/remove")
}
