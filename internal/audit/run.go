package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
)

// Run is an audit that comes round by itself. However many processes there are, one at a time makes
// it.
type Run struct {
	Scope string
	Every time.Duration
	// Patience is how long one that makes no progress is waited for before another process takes it
	// over.
	Patience time.Duration
	// Full has it prove the whole ledger; otherwise what was booked since the last one.
	Full bool
}

// The audits of a gateway.
var (
	Recent   = Run{Scope: "recent", Every: time.Minute, Patience: 5 * time.Minute}
	Complete = Run{Scope: "full", Every: 24 * time.Hour, Patience: 30 * time.Minute, Full: true}
)

// overlap covers transactions that were still open when the audit before looked. None lives as
// long.
const overlap = time.Minute

var errTakenOver = errors.New("the audit was taken over by another process")

// Do makes the audit if it is due, and answers whether it was. A full one that was begun and left,
// it goes on with.
func (r Run) Do(
	ctx context.Context,
	pool *pgxpool.Pool,
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
	before := int(begun.Found)
	past := db.AuditHistoryInsertParams{Scope: r.Scope, BeganAt: begun.BeganAt}
	if r.Full {
		from := progress{rule: begun.Rule, past: begun.Past, found: before, rows: begun.RowsRead}
		found, err = from.audit(ctx, pool, func(p progress, broken []Violation) error {
			at := now().Truncate(time.Microsecond)
			rows, err := q.AuditRunSeen(ctx, db.AuditRunSeenParams{
				Scope:    r.Scope,
				LastSeen: seen,
				Now:      at,
				Rule:     p.rule,
				Past:     p.past,
				Found:    int64(p.found),
				RowsRead: p.rows,
			})
			seen, past.RowsRead = at, p.rows
			if err := orTakenOver(rows, err); err != nil {
				return err
			}
			return r.keep(ctx, q, past, broken, p.found-len(broken))
		})
	} else {
		found, past.RowsRead, err = recently(ctx, pool, begun.ProvenAt.Add(-overlap))
		err = errors.Join(err, r.keep(ctx, q, past, found, 0))
	}
	if err != nil {
		return found, true, err
	}
	rows, err := q.AuditRunEnd(
		ctx,
		db.AuditRunEndParams{Scope: r.Scope, LastSeen: seen, Violations: int64(before + len(found))},
	)
	if err := orTakenOver(rows, err); err != nil {
		return found, true, err
	}
	past.EndedAt, past.Violations = now().UTC(), int64(before+len(found))
	return found, true, r.file(ctx, q, past)
}

// recently is Since, with how many transfers it went through.
func recently(ctx context.Context, pool *pgxpool.Pool, since time.Time) ([]Violation, int64, error) {
	var rows int64
	err := pool.QueryRow(ctx, "select count(*) from transfer where created_at >= $1", since).Scan(&rows)
	if err != nil {
		return nil, 0, fmt.Errorf("count transfers: %w", err)
	}
	found, err := Since(ctx, pool, since)
	return found, rows, err
}

const (
	// violationsMost is how many violations of an audit are kept.
	violationsMost = 1_000
	// Audits of each minute that found nothing are kept for recentKept, those of each day for fullKept.
	recentKept, fullKept = 3 * 24 * time.Hour, 400 * 24 * time.Hour
)

// keep writes down what an audit has found, of which so many are kept already.
func (r Run) keep(
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
	if err := q.AuditViolationInsert(ctx, params); err != nil {
		return fmt.Errorf("keep violations: %w", err)
	}
	return nil
}

// file puts an audit that has ended among those of the past.
func (r Run) file(ctx context.Context, q *db.Queries, past db.AuditHistoryInsertParams) error {
	kept := recentKept
	if r.Full {
		kept = fullKept
	}
	prune := db.AuditHistoryPruneParams{Scope: r.Scope, Before: past.BeganAt.Add(-kept)}
	if err := errors.Join(q.AuditHistoryInsert(ctx, past), q.AuditHistoryPrune(ctx, prune)); err != nil {
		return fmt.Errorf("file the audit: %w", err)
	}
	return nil
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
