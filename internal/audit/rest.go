package audit

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// proveAtRest proves a rule again that seems broken on a distributed database, while nobody writes. There a query has
// a snapshot on each node, and these are not of one moment: it may see a half of a transaction that is being
// committed. The locks are those of the coordinator, which all writers go through. On one node a query has one
// snapshot, and what it found stands.
func proveAtRest(
	ctx context.Context,
	pool *pgxpool.Pool,
	found []string,
	prove func(context.Context, *pgxpool.Pool) ([]string, error),
) ([]string, error) {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin to hold writers: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	var distributed bool
	err = tx.QueryRow(ctx, "select exists (select from pg_extension where extname = 'citus')").Scan(&distributed)
	if err != nil || !distributed {
		return found, err
	}
	// Nobody who waits for us may be waited for: a writer that has one of the tables and wants another ends the wait
	// by the lock timeout, and the rule is asked again at the next audit.
	const hold = `set local lock_timeout = '1s'; set local idle_in_transaction_session_timeout = 0;
		lock table payment, payin, deposit, transfer, account_balance, account_pending in share mode`
	if _, err := tx.Exec(ctx, hold); err != nil {
		return nil, fmt.Errorf("hold writers: %w", err)
	}
	return prove(ctx, pool)
}
