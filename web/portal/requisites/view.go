package requisites

import (
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Requisites is the page of a trader's requisites.
type Requisites struct {
	// Answer says in one sentence whether payments come, and Tone how good that is.
	Answer, Tone string
	// Reasons are why they do not, each with how many requisites it is of.
	Reasons []Reason
	// OnBreak tells that the trader has paused, and MayWork that the reader may.
	OnBreak, MayWork bool
	// MayChange tells that the reader may switch requisites and change limits.
	MayChange bool
	// Search is what was looked for, and Keep what the form that looks keeps to besides.
	Search  string
	Keep    [][2]string
	Pools   []view.Pick
	Without view.Pick
	Rows    []RequisiteCard
	// Proposed are those that operators have still to decide about, or have decided about a short while ago.
	Proposed []Proposed
	Bulk     BulkForm
	// First and Next are other pages, or "".
	First, Next templ.SafeURL
	// Here is the page itself, which the form that changes several comes back to.
	Here string
}

// Proposed is a requisite that the trader proposed, and what became of it.
type Proposed struct {
	// Name has the last four characters of the value.
	Name, Pool string
	At         time.Time
	State      say.Phrase
	Tone       string
	// Reason is why an operator refused it.
	Reason string
}

// BulkForm changes the ticked requisites.
type BulkForm struct {
	// IDs are those that are ticked.
	IDs    []int64
	Fields []view.Field
	// Limits tells that the fields are open. Note says what came of the form, and Refused of each requisite why it is as before.
	Limits  bool
	Note    string
	Refused map[int64]string
}

// fields are those of the form, empty before it is filled in.
func (b BulkForm) fields() []view.Field {
	if b.Fields == nil {
		return bulkFields(nil, nil)
	}
	return b.Fields
}

// Reason is why requisites get no payments.
type Reason struct {
	Count int
	Text  say.Phrase
}

// RequisiteCard is a requisite of a trader.
type RequisiteCard struct {
	ID int64
	// Value is "" for a desk that takes cards.
	Value, Bank, Holder, Currency, Method string
	// Enabled is the trader's own switch; Locked tells that an operator's is off.
	Enabled, Locked bool
	// State is the badge's text and Tone its colour.
	State say.Phrase
	Tone  string
	Why   []string
	Uses  []Use
	// Amounts and Hours are what holds, in words.
	Amounts, Hours string
	LastUsedAt     *time.Time
	// Ticked and Refused are of the form that changes several.
	Ticked  bool
	Refused string
}

func (r RequisiteCard) href() string { return "/trader/requisites/" + strconv.FormatInt(r.ID, 10) }

// name is what the requisite is called.
func (r RequisiteCard) name(s view.Shell) string {
	if r.Value == "" {
		return s.Say(say.CardDesk)
	}
	return r.Value
}

// use is that of a label, or none.
func (r RequisiteCard) use(label say.Phrase) Use {
	for _, use := range r.Uses {
		if use.Label == label {
			return use
		}
	}
	return Use{}
}

// owner is whose account the money goes to, and at which bank.
func (r RequisiteCard) owner() string {
	if r.Bank == "" || r.Holder == "" {
		return r.Bank + r.Holder
	}
	return r.Holder + ", " + r.Bank
}

// Use is how much of a limit is used. Max is "" where there is none.
type Use struct {
	Label say.Phrase
	// Value and Max are plain numbers, for the bar; Text says the same to people.
	Value, Max, Text string
	// Used is what is used, in words.
	Used string
	Full bool
}

// RequisiteForm changes the limits of a requisite. Values and Wrong go by the fields' names.
type RequisiteForm struct {
	Card                 RequisiteCard
	MayChange, SeesMoney bool
	Fields               []view.Field
	// Zone is of the day that limits count by.
	Zone string
}

// has tells that the form has a field: a desk that takes cards lacks some.
func (f RequisiteForm) has(name string) bool {
	return slices.ContainsFunc(f.Fields, func(one view.Field) bool { return one.Name == name })
}
