package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/db"
)

// Run is an audit that comes round by itself. However many processes there are, one at a time makes it.
type Run struct {
	Scope string
	Every time.Duration
	// Patience is how long an audit that has begun is waited for before another process begins anew.
	Patience time.Duration
	// Full has it prove the whole ledger; otherwise what was booked since the last one.
	Full bool
}

// The audits of a gateway.
var (
	Recent   = Run{Scope: "recent", Every: time.Minute, Patience: 5 * time.Minute}
	Complete = Run{Scope: "full", Every: 24 * time.Hour, Patience: 2 * time.Hour, Full: true}
)

// overlap covers transactions that were still open when the audit before looked. None lives as long.
const overlap = time.Minute

// Do makes the audit if it is due, and answers whether it was.
func (r Run) Do(ctx context.Context, pool *pgxpool.Pool, now time.Time) (found []Violation, due bool, err error) {
	q := db.New(pool)
	proven, err := q.AuditRunBegin(ctx, db.AuditRunBeginParams{
		Scope: r.Scope, Now: now, DueFrom: now.Add(-r.Every), AbandonedFrom: now.Add(-r.Patience),
	})
	if err != nil {
		return nil, false, db.IgnoreNoRows(err)
	}
	if r.Full {
		found, err = Audit(ctx, pool)
	} else {
		found, err = AuditSince(ctx, pool, proven.Add(-overlap))
	}
	if err != nil {
		return nil, true, err
	}
	err = q.AuditRunEnd(ctx, db.AuditRunEndParams{Scope: r.Scope, BeganAt: now, Violations: int64(len(found))})
	if err != nil {
		return found, true, fmt.Errorf("note the audit: %w", err)
	}
	return found, true, nil
}
