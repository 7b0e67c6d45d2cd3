package trust

import (
	"time"

	"gateway.example/internal/seal"
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
	Invariants   view.Sheet
	Broken       []BrokenAudit
	History      view.Sheet
	// Older leads to older audits.
	Older view.Link
	Days  view.Sheet
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

// provedBadge shows whether an audit found nothing.
func provedBadge(good bool) view.Badge {
	if good {
		return view.Badge{Text: sayReconGood, Tone: "good"}
	}
	return view.Badge{Text: sayReconBad, Tone: "bad"}
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

// SealBadge shows how a sealed day stands up to what it says.
func SealBadge(state seal.State) view.Badge {
	if state == seal.Valid {
		return view.Badge{Text: saySealState(string(state)), Tone: "good"}
	}
	return view.Badge{Text: saySealState(string(state)), Tone: "bad"}
}

// SealedDay is the page of a day.
type SealedDay struct {
	seal.SealedDay
	// Hashes are what it is proven by.
	Hashes          []view.Fact
	Kinds, Balances view.Sheet
}

// Alarms are what needs somebody now, and what does not.
type Alarms struct{ Firing, Quiet view.Sheet }
