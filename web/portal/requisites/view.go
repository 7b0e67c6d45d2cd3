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
	Pools     []view.Pick
	Without   view.Pick
	Cards     []RequisiteCard
	// Newer and Older are other pages, or "".
	Newer, Older templ.SafeURL
	// Range says which requisites are shown of how many.
	Range string
	// Here is the page itself, to come back to.
	Here string
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
}

func (r RequisiteCard) href() string { return "/trader/requisites/" + strconv.FormatInt(r.ID, 10) }

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
	Full             bool
}

// RequisiteForm changes the limits of a requisite. Values and Wrong go by the fields' names.
type RequisiteForm struct {
	Card      RequisiteCard
	MayChange bool
	Fields    []view.Field
	// Zone is of the day that limits count by.
	Zone string
}

// has tells that the form has a field: a desk that takes cards lacks some.
func (f RequisiteForm) has(name string) bool {
	return slices.ContainsFunc(f.Fields, func(one view.Field) bool { return one.Name == name })
}
