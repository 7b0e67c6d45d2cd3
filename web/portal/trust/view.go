package trust

import (
	"time"

	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// AuditLog is what was done, as a list.
type AuditLog struct {
	Filters view.Filters
	Items   []AuditRow
	Empty   view.Empty
	Pages   view.Pages
}

// AuditRow is a line of the log.
type AuditRow struct {
	At   time.Time
	Kind view.Badge
	// Who did it; "" is a login that nobody has. OfWho leads to all they did.
	Who   string
	OfWho view.Link
	// What was done, and OfWhat leads to all about the same.
	What   string
	OfWhat view.Link
	// Notes say from where a sign-in was made, or why something was proposed.
	Notes  []string
	Fields []AuditField
}

// AuditField is a field of a setting before and after; "" is not set.
type AuditField struct{ Name, Was, Is string }

// Reconciliation is whether the ledger holds.
type Reconciliation struct {
	State        view.Badge
	Recent, Full Audit
	Invariants   []InvariantRow
	Broken       []BrokenAudit
	History      []PastAudit
	// Older leads to older audits.
	Older view.Link
	Days  []SealedDayRow
	// OlderDays leads to days before.
	OlderDays view.Link
	// Chain is what the networks say beside the ledger, and Networks each of them; nil takes too long now.
	Chain    []view.Fact
	Networks view.Sheet
}

// Audit is how the audit of a scope stands. What is nil or "" is not known.
type Audit struct {
	Title   say.Phrase
	Last    *PastAudit
	Running *time.Time
	Rule    string
	// Progress is how far the one is that runs.
	Progress view.Progress
}

// runs is an audit that runs, where one does.
func runs(recent, full Audit) view.Progress {
	if recent.Progress.Runs {
		return recent.Progress
	}
	return full.Progress
}

// PastAudit is an audit that came to its end.
type PastAudit struct {
	BeganAt    time.Time
	Took       string
	Rows       string
	Violations int64
}

func (a PastAudit) badge() view.Badge {
	if a.Violations > 0 {
		return view.Badge{Text: sayReconBad, Tone: "bad"}
	}
	return view.Badge{Text: sayReconGood, Tone: "good"}
}

// InvariantRow is an invariant, and up to when it is proved.
type InvariantRow struct {
	Name             string
	OnlyFull         bool
	FullAt, RecentAt *time.Time
	Violations       []Mismatch
}

func (r InvariantRow) badge() view.Badge {
	switch {
	case len(r.Violations) > 0:
		return view.Badge{Text: sayReconBad, Tone: "bad"}
	case r.FullAt == nil:
		return view.Badge{Text: sayReconNotYet, Tone: "off"}
	}
	return view.Badge{Text: sayReconGood, Tone: "good"}
}

// Mismatch is what breaks an invariant. Subject is what it begins with and Href leads there; "" leads
// nowhere.
type Mismatch struct {
	Subject, Text string
	Href          view.Link
}

// BrokenAudit is an audit that found something.
type BrokenAudit struct {
	PastAudit
	Full  bool
	Found []Mismatch
}

// SealedDayRow is a sealed day in a list.
type SealedDayRow struct {
	Day       string
	Href      view.Link
	Transfers int64
	SealedAt  time.Time
	State     view.Badge
	AuditedAt *time.Time
}

// SealBadge shows how a sealed day stands up to what it says.
func SealBadge(state string) view.Badge {
	if state == "valid" {
		return view.Badge{Text: saySealState(state), Tone: "good"}
	}
	return view.Badge{Text: saySealState(state), Tone: "bad"}
}

// SealedDay is the page of a day.
type SealedDay struct {
	SealedDayRow
	Root, Hash, Previous, Kid, Signature string
	Violations                           int64
	Kinds                                []KindSum
	Balances                             []BalanceSum
}

// KindSum is what transfers of a kind moved.
type KindSum struct {
	Kind      string
	Transfers int64
	Amount    string
}

// BalanceSum is what owners of a kind had.
type BalanceSum struct{ Owner, Account, Amount string }

// Alarms are what needs somebody now, and what does not.
type Alarms struct{ Firing, Quiet []AlarmRow }

// AlarmRow is an alarm.
type AlarmRow struct {
	Text     string
	Severity string
	Tone     string
	// Since is nil where it is not known.
	Since *time.Time
	// Href leads to the page about it; "" leads nowhere.
	Href view.Link
	// WhatToDo leads to the manual's part about it.
	WhatToDo view.Link
}

// hashes are what a sealed day is proven by.
func (d SealedDay) hashes() []view.Fact {
	return []view.Fact{
		{Label: sayReconRoot, Value: d.Root}, {Label: sayReconHash, Value: d.Hash},
		{Label: sayReconPrevious, Value: d.Previous}, {Label: sayReconKid, Value: d.Kid},
		{Label: sayReconSignature, Value: d.Signature},
	}
}
