package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Run is an audit that is made regularly, by one process at a time.
type Run struct {
	Scope string
	Every time.Duration
	// Patience is how long an audit may make no progress before another
	// process takes it over.
	Patience time.Duration
	// Full checks the whole ledger; otherwise only what was booked since
	// the last audit.
	Full bool
}

// The audits of a gateway.
var (
	Recent   = Run{Scope: "recent", Every: time.Minute, Patience: 5 * time.Minute}
	Complete = Run{Scope: "full", Every: 24 * time.Hour, Patience: 30 * time.Minute, Full: true}
)

// overlap covers what was not yet committed at the previous audit, though its
// time was read before. A call ends within 20 seconds; what takes longer is
// read by the full audit.
const overlap = 30 * time.Second

var errTakenOver = errors.New("the audit was taken over by another process")

// Do makes the audit if it is due, and reports whether it was. It continues a
// full audit that was not finished.
func (r Run) Do(
	ctx context.Context,
	pool db.Pool,
	now func() time.Time,
) (found []Violation, due bool, err error) {
	q := db.New(pool)
	seen := now().Truncate(time.Microsecond)
	tooOld := seen
	if r.Full {
		tooOld = seen.Add(-r.Every)
	}
	begun, err := q.AuditRunBegin(ctx, db.AuditRunBeginParams{
		Scope:         r.Scope,
		Now:           seen,
		DueFrom:       seen.Add(-r.Every),
		AbandonedFrom: seen.Add(-r.Patience),
		TooOldFrom:    tooOld,
	})
	if err != nil {
		return nil, false, db.IgnoreNoRows(err)
	}
	past := db.AuditHistoryInsertParams{Scope: r.Scope, BeganAt: begun.BeganAt}
	if r.Full {
		found, err = r.resume(ctx, pool, now, begun, &seen, &past)
	} else {
		found, past.RowsRead, err = recently(ctx, pool, begun.ProvenAt.Add(-overlap))
		err = errors.Join(err, r.store(ctx, q, past, found, 0))
	}
	if err != nil {
		return found, true, err
	}
	past.Violations = begun.Found + int64(len(found))
	rows, err := q.AuditRunEnd(ctx, db.AuditRunEndParams{Scope: r.Scope, LastSeen: seen, Violations: past.Violations})
	if err := orTakenOver(rows, err); err != nil {
		return found, true, err
	}
	past.EndedAt = now().UTC()
	return found, true, r.file(ctx, q, past)
}

// resume continues a full audit. After each step it stores the progress, which
// fails once another process has taken over the audit. seen is the time when
// progress was last stored.
func (r Run) resume(
	ctx context.Context, pool db.Pool, now func() time.Time,
	begun db.AuditRunBeginRow, seen *time.Time, past *db.AuditHistoryInsertParams,
) ([]Violation, error) {
	q := db.New(pool)
	from := progress{rule: begun.Rule, past: begun.Past, found: int(begun.Found), rows: begun.RowsRead}
	return from.audit(ctx, pool, func(p progress, broken []Violation) error {
		at := now().Truncate(time.Microsecond)
		rows, err := q.AuditRunSeen(ctx, db.AuditRunSeenParams{
			Scope: r.Scope, LastSeen: *seen, Now: at,
			Rule: p.rule, Past: p.past, Found: int64(p.found), RowsRead: p.rows,
		})
		*seen, past.RowsRead = at, p.rows
		if err := orTakenOver(rows, err); err != nil {
			return err
		}
		return r.store(ctx, q, *past, broken, p.found-len(broken))
	})
}

// recently is like Since, and also counts the transfers.
func recently(ctx context.Context, pool db.Pool, since time.Time) ([]Violation, int64, error) {
	var rows int64
	err := pool.QueryRow(ctx, "select count(*) from transfer where created_at >= $1", since).Scan(&rows)
	if err != nil {
		return nil, 0, fmt.Errorf("count transfers: %w", err)
	}
	found, err := Since(ctx, pool, since)
	return found, rows, err
}

const (
	// violationsMost is how many violations of one audit are stored.
	violationsMost = 1_000
	// Recent audits without violations are kept for recentKept, full ones
	// for fullKept.
	recentKept, fullKept = 3 * 24 * time.Hour, 400 * 24 * time.Hour
)

// store stores violations that an audit has found, until violationsMost are
// stored; kept is how many are stored already.
func (r Run) store(
	ctx context.Context, q *db.Queries, past db.AuditHistoryInsertParams, broken []Violation, kept int,
) error {
	broken = broken[:min(len(broken), max(0, violationsMost-kept))]
	if len(broken) == 0 {
		return nil
	}
	params := db.AuditViolationInsertParams{Scope: past.Scope, BeganAt: past.BeganAt}
	for _, v := range broken {
		params.Rules, params.Details = append(params.Rules, v.Rule), append(params.Details, v.Detail)
	}
	return fault.Doing("keep violations", q.AuditViolationInsert(ctx, params))
}

// file adds a finished audit to the history.
func (r Run) file(ctx context.Context, q *db.Queries, past db.AuditHistoryInsertParams) error {
	kept := recentKept
	if r.Full {
		kept = fullKept
	}
	prune := db.AuditHistoryPruneParams{Scope: r.Scope, Before: past.BeganAt.Add(-kept)}
	return fault.Doing("file the audit", errors.Join(q.AuditHistoryInsert(ctx, past), q.AuditHistoryPrune(ctx, prune)))
}

func orTakenOver(rows int64, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("note the audit: %w", err)
	case rows == 0:
		return errTakenOver
	}
	return nil
}
