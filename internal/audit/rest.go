package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gateway.example/internal/db"
)

const (
	// again is how often a rule is checked again before writers have to
	// wait.
	again = 2
	// rest is how long writers may have to wait. It is no longer than calls
	// wait for a lock.
	rest = time.Second
)

// proveAgain checks a rule again that seems broken in a distributed database.
// There each node has its own snapshot, so a query may see half of a
// transaction that is just being committed. A line that every answer repeats
// exactly is a violation. If no line is in all answers, writers have to wait
// for a moment while the rule is checked. If that moment is too short for an
// answer, the rule stays undecided, which is an error. On a single node there
// is one snapshot, and the first answer counts.
func proveAgain(
	ctx context.Context,
	pool db.Pool,
	found []string,
	prove func(context.Context, db.Pool) ([]string, error),
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

// proveAtRest checks a rule while nobody writes. All writers go through the
// coordinator and need its locks.
func proveAtRest(
	ctx context.Context, pool db.Pool, prove func(context.Context, db.Pool) ([]string, error),
) ([]string, error) {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin to hold writers: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	// A writer that holds one of these tables and wants another would
	// deadlock with us: the lock timeout ends our wait, and the next audit
	// asks again. If this process freezes, the idle timeout releases the
	// locks.
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
