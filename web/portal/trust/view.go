package trust

import (
	"time"

	"gateway.example/internal/seal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

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
	// Who is who did it; "" stands for a login that no user has. OfWho
	// links to everything that they did.
	Who   string
	OfWho view.Link
	// What is what was done, and OfWhat links to everything about the same
	// subject.
	What   string
	OfWhat view.Link
	// Notes say from where somebody signed in, or why something was
	// proposed.
	Notes  []string
	Fields []AuditField
}

// AuditField is a field of a setting before and after the change; "" is not
// set.
type AuditField struct{ Name, Was, Is string }

// Reconciliation is the page about the state of the ledger.
type Reconciliation struct {
	State        view.Badge
	Recent, Full Audit
	Invariants   view.Sheet
	Broken       []BrokenAudit
	History      view.Sheet
	// Older links to older audits.
	Older view.Link
	Days  view.Sheet
	// OlderDays links to earlier days.
	OlderDays view.Link
	// Chain compares the networks with the ledger, and Networks lists each
	// network; nil if reading that takes too long now.
	Chain    []view.Fact
	Networks view.Sheet
}

// Audit is the state of the audits of a scope. Fields that are nil or "" are
// not known.
type Audit struct {
	Title   say.Phrase
	Last    *PastAudit
	Running *time.Time
	Rule    string
	// Progress is the progress of the running audit.
	Progress view.Progress
}

// runs is the progress of whichever audit runs.
func runs(recent, full Audit) view.Progress {
	if recent.Progress.Runs {
		return recent.Progress
	}
	return full.Progress
}

// PastAudit is a finished audit.
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

// Mismatch is a breach of an invariant. Subject is its first part, and Href
// links to the page about it, or is "".
type Mismatch struct {
	Subject, Text string
	Href          view.Link
}

// BrokenAudit is an audit that found violations.
type BrokenAudit struct {
	PastAudit
	Full  bool
	Found []Mismatch
}

// SealBadge shows the state of a sealed day.
func SealBadge(state seal.State) view.Badge {
	if state == seal.Valid {
		return view.Badge{Text: saySealState(string(state)), Tone: "good"}
	}
	return view.Badge{Text: saySealState(string(state)), Tone: "bad"}
}

// SealedDay is the page of a sealed day.
type SealedDay struct {
	seal.SealedDay
	// Hashes are the hashes by which it is proven.
	Hashes          []view.Fact
	Kinds, Balances view.Sheet
}

// Alarms lists the alarms that fire, and those that do not.
type Alarms struct{ Firing, Quiet view.Sheet }
