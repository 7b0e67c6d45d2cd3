package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/fault"
)

// listBegin bounds what a list may cost: its filters are the caller's choice, and one that finds
// little may have to read much. And it has each planned for its filters as they are, those not
// asked for left out: the plan made for any reads a history for the few of its rows in a status.
const listBegin = "begin read only; set local statement_timeout = '2s'; set local plan_cache_mode = force_custom_plan"

// List reads a page of a list for a caller. It answers fault.ErrBusy where the server takes longer
// than two seconds over it.
func List[R any](ctx context.Context, pool *pgxpool.Pool, query func(q *Queries) ([]R, error)) ([]R, error) {
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{BeginQuery: listBegin})
	if err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	defer func() {
		end, cancel := ending(ctx)
		defer cancel()
		_ = tx.Rollback(end) // it has changed nothing
	}()
	rows, err := query(New(tx))
	if hasCode(err, codeQueryCanceled) {
		return nil, fmt.Errorf("%w: %w", fault.ErrBusy, err)
	}
	return rows, err
}
