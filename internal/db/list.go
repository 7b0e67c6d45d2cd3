package db

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/fault"
)

// listBegin limits the cost of a list, because callers choose its filters and a
// filter that matches little may read much. It also makes PostgreSQL plan each
// list for its actual filters: a generic plan would, for example, read a whole
// history to find the few rows in one status.
const listBegin = "begin read only; set local statement_timeout = '2s'; set local plan_cache_mode = force_custom_plan"

// List reads a page of a list for a caller. It returns fault.ErrBusy if the
// server needs more than two seconds.
func List[R any](ctx context.Context, pool Pool, query func(q *Queries) ([]R, error)) ([]R, error) {
	return rowsWithin(ctx, pool, listBegin, query)
}

// glanceBegin is listBegin for a part of a page that may be missing.
const glanceBegin = "begin read only; set local statement_timeout = '200ms'; set local plan_cache_mode = force_custom_plan"

// Glance is List for a part of a page that may be missing: the server has a
// fifth of a second for it.
func Glance[R any](ctx context.Context, pool Pool, query func(q *Queries) ([]R, error)) ([]R, error) {
	return rowsWithin(ctx, pool, glanceBegin, query)
}

// ListPage is List for a page of a list from the newest row down. The query
// gets the id below which it stays, and how many rows to read: one more than
// the page, so that it is known whether there is a next page. The cursor is nil
// on the last page. Errors of the page are reported together with those that f
// already has.
func ListPage[R any](
	ctx context.Context, pool Pool, f fault.Fields, page Page, doing string,
	query func(q *Queries, before int64, rows int32) ([]R, error), id func(R) int64,
) ([]R, *string, error) {
	limit, before := page.Bounds(f)
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	rows, err := List(ctx, pool, func(q *Queries) ([]R, error) { return query(q, before, limit+1) })
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", doing, err)
	}
	rows, cursor := Cut(rows, limit, id)
	return rows, cursor, nil
}

// Each converts every row.
func Each[R, T any](rows []R, turn func(R) T) []T {
	list := make([]T, 0, len(rows))
	for _, row := range rows {
		list = append(list, turn(row))
	}
	return list
}

// Stamps returns the stamps of rows by their ids.
func Stamps[R ~struct{ ID, Stamp int64 }](rows []R) map[int64]uint64 {
	stamps := make(map[int64]uint64, len(rows))
	for _, row := range rows {
		one := struct{ ID, Stamp int64 }(row)
		stamps[one.ID] = uint64(one.Stamp)
	}
	return stamps
}

func rowsWithin[R any](
	ctx context.Context, pool Pool, begin string, query func(q *Queries) ([]R, error),
) (rows []R, err error) {
	err = within(ctx, pool, begin, func(q *Queries) (err error) {
		rows, err = query(q)
		return err
	})
	return rows, err
}

// within runs a query in a transaction that the statement begin has made read
// only and limited in time. A statement that took too long is fault.ErrBusy.
// Nothing is tried again.
func within(ctx context.Context, pool Pool, begin string, query func(q *Queries) error) error {
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{BeginQuery: begin})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() {
		end, cancel := ending(ctx)
		defer cancel()
		_ = tx.Rollback(end) // it has changed nothing
	}()
	err = query(New(tx))
	if hasCode(err, codeQueryCanceled) {
		return fmt.Errorf("%w: %w", fault.ErrBusy, err)
	}
	return err
}

// Begins returns the range of the texts that begin with text in lower case:
// from the first result on, and before the second, in the order of bytes.
func Begins(text string) (from, beyond string) {
	text = strings.ToLower(text)
	return text, text + "\U0010FFFF"
}
