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
	// Answer says in one sentence whether the requisites get payments, and
	// Tone is how good that is.
	Answer, Tone string
	// Reasons are why they do not, each with the number of requisites.
	Reasons []Reason
	// OnBreak says that the trader is on a break, and MayWork that the
	// reader may change that.
	OnBreak, MayWork bool
	// MayChange says that the reader may switch requisites and change
	// limits.
	MayChange bool
	// Search is the searched text, and Keep are the other filters that the
	// search form keeps.
	Search  string
	Keep    [][2]string
	Pools   []view.Pick
	Without view.Pick
	Rows    []RequisiteCard
	// Proposed are the proposed requisites that are undecided, or that were
	// decided a short while ago.
	Proposed []Proposed
	Bulk     BulkForm
	// First and Next link to other pages, or are "".
	First, Next templ.SafeURL
	// Here is the page's own address, to which the form for several
	// requisites returns.
	Here string
}

// Proposed is a requisite that the trader proposed, with its decision.
type Proposed struct {
	// Name has the last four characters of the value.
	Name, Pool string
	At         time.Time
	State      say.Phrase
	Tone       string
	// Reason is why an operator rejected it.
	Reason string
}

// BulkForm is the form that changes the ticked requisites.
type BulkForm struct {
	// IDs are the ticked requisites.
	IDs    []int64
	Fields []view.Field
	// Limits says that the fields are unfolded. Note is the result of the
	// form, and Refused says for each requisite why it was not changed.
	Limits  bool
	Note    string
	Refused map[int64]string
}

// fields are the form's fields; they are empty before the form is filled in.
func (b BulkForm) fields() []view.Field {
	if b.Fields == nil {
		return bulkFields(nil, nil)
	}
	return b.Fields
}

// Reason is a reason why requisites get no payments.
type Reason struct {
	Count int
	Text  say.Phrase
}

// RequisiteCard is a requisite of a trader.
type RequisiteCard struct {
	ID int64
	// Value is "" for a desk for card payments.
	Value, Bank, Holder, Currency, Method string
	// Enabled is the trader's own switch; Locked says that the operators'
	// switch is off.
	Enabled, Locked bool
	// State is the text of the badge, and Tone its colour.
	State say.Phrase
	Tone  string
	Why   []string
	Uses  []Use
	// Amounts and Hours are the effective limits, in words.
	Amounts, Hours string
	LastUsedAt     *time.Time
	// Ticked and Refused belong to the form for several requisites.
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

// use is the use with a label, or an empty one.
func (r RequisiteCard) use(label say.Phrase) Use {
	for _, use := range r.Uses {
		if use.Label == label {
			return use
		}
	}
	return Use{}
}

// owner is the holder and the bank of the account.
func (r RequisiteCard) owner() string {
	if r.Bank == "" || r.Holder == "" {
		return r.Bank + r.Holder
	}
	return r.Holder + ", " + r.Bank
}

// Use is how much of a limit is used. Max is "" if there is no limit.
type Use struct {
	Label say.Phrase
	// Value and Max are plain numbers, for the bar; Text says the same to
	// people.
	Value, Max, Text string
	// Used is what is used, in words.
	Used string
	Full bool
}

// RequisiteForm changes the limits of a requisite. Values and Wrong are by the
// names of the fields.
type RequisiteForm struct {
	Card                 RequisiteCard
	MayChange, SeesMoney bool
	Fields               []view.Field
	// Zone is the zone of the day by which limits count.
	Zone string
	// Seen is what the form says of the limits that it has shown.
	Seen, Token string
}

// has reports whether the form has a field; for a desk for card payments it
// lacks some.
func (f RequisiteForm) has(name string) bool {
	return slices.ContainsFunc(f.Fields, func(one view.Field) bool { return one.Name == name })
}
