package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// again is how often a rule is asked anew, while others write, before anybody is held up for it.
	again = 2
	// rest is how long writers may be held up. Calls wait as long for a lock, and longer.
	rest = time.Second
)

// proveAgain proves a rule anew that seems broken on a distributed database. There a query has a snapshot on each node, and
// these are not of one moment: it may see a half of a transaction that is being committed. What every answer says to the
// figure is broken. Where each says something else, writers are held up for a moment; a rule that cannot be proven within it
// is left undecided, which is an error. On one node a query has one snapshot, and what it found stands.
func proveAgain(
	ctx context.Context,
	pool *pgxpool.Pool,
	found []string,
	prove func(context.Context, *pgxpool.Pool) ([]string, error),
) ([]string, error) {
	var distributed bool
	err := pool.QueryRow(ctx, "select exists (select from pg_extension where extname = 'citus')").Scan(&distributed)
	if err != nil || !distributed {
		return found, err
	}
	for range again {
		now, err := prove(ctx, pool)
		if err != nil || len(now) == 0 {
			return nil, err
		}
		found = slices.DeleteFunc(found, func(line string) bool { return !slices.Contains(now, line) })
	}
	if len(found) > 0 {
		return found, nil
	}
	return proveAtRest(ctx, pool, prove)
}

// proveAtRest proves a rule while nobody writes: all writers go through the coordinator, and need its locks.
func proveAtRest(
	ctx context.Context, pool *pgxpool.Pool, prove func(context.Context, *pgxpool.Pool) ([]string, error),
) ([]string, error) {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin to hold writers: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	// Nobody who waits for us may be waited for: a writer that has one of the tables and wants another ends the wait
	// by the lock timeout, and the rule is asked again at the next audit. A process that freezes lets go, too.
	const hold = `set local lock_timeout = '1s'; set local idle_in_transaction_session_timeout = '5s';
		lock table payment, payin, deposit, transfer, account_balance, account_pending in share mode`
	if _, err := tx.Exec(ctx, hold); err != nil {
		return nil, fmt.Errorf("hold writers: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, rest, fmt.Errorf("not proven while writers were held up for %s", rest))
	defer cancel()
	found, err := prove(ctx, pool)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return found, err
}
