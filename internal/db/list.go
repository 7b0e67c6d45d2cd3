package db

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/fault"
)

// listBegin limits the cost of a list: callers choose its filters, and one that finds little may read
// much. It also plans each list for its actual filters: the generic plan would, for example, read a
// whole history to find the few rows in one status.
const listBegin = "begin read only; set local statement_timeout = '2s'; set local plan_cache_mode = force_custom_plan"

// List reads a page of a list for a caller. It returns fault.ErrBusy if the server needs more than
// two seconds.
func List[R any](ctx context.Context, pool *pgxpool.Pool, query func(q *Queries) ([]R, error)) ([]R, error) {
	return within(ctx, pool, listBegin, query)
}

// glanceBegin is listBegin for what nobody waits for.
const glanceBegin = "begin read only; set local statement_timeout = '200ms'; set local plan_cache_mode = force_custom_plan"

// Glance is List for what a page can do without: the server has a fifth of a second.
func Glance[R any](ctx context.Context, pool *pgxpool.Pool, query func(q *Queries) ([]R, error)) ([]R, error) {
	return within(ctx, pool, glanceBegin, query)
}

func within[R any](
	ctx context.Context, pool *pgxpool.Pool, begin string, query func(q *Queries) ([]R, error),
) ([]R, error) {
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{BeginQuery: begin})
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

// Begins bounds the texts that begin with one, in lower case: from the first result on, and before the second, in the
// order of their bytes.
func Begins(text string) (from, beyond string) {
	text = strings.ToLower(text)
	return text, text + "\U0010FFFF"
}
