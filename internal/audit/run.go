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
	if r.Full {
		from := progress{rule: begun.Rule, past: begun.Past, found: before}
		found, err = from.audit(ctx, pool, func(p progress) error {
			at := now().Truncate(time.Microsecond)
			rows, err := q.AuditRunSeen(ctx, db.AuditRunSeenParams{
				Scope: r.Scope, LastSeen: seen, Now: at, Rule: p.rule, Past: p.past, Found: int64(p.found),
			})
			seen = at
			return orTakenOver(rows, err)
		})
	} else {
		found, err = Since(ctx, pool, begun.ProvenAt.Add(-overlap))
	}
	if err != nil {
		return found, true, err
	}
	rows, err := q.AuditRunEnd(
		ctx,
		db.AuditRunEndParams{Scope: r.Scope, LastSeen: seen, Violations: int64(before + len(found))},
	)
	return found, true, orTakenOver(rows, err)
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
