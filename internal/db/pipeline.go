package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Query makes exactly one query through q.
type Query = func(q *Queries) error

// errNoQuery is a Query that broke its promise.
var errNoQuery = errors.New("a pipelined function made no query, or more than one")

// Pipeline makes queries that do not depend on each other's results in one round trip, in their order. Each statement
// has its own snapshot, as if they came one by one. It returns the first error; what a :one query did not find is its
// caller's to swallow.
func Pipeline(ctx context.Context, tx pgx.Tx, queries ...Query) error {
	if len(queries) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	steps := make([]*step, 0, len(queries))
	var first error
	for _, query := range queries {
		s := &step{batch: batch, queued: make(chan struct{}), turn: make(chan pgx.BatchResults), done: make(chan error, 1)}
		go func() { s.done <- query(New(s)) }()
		select {
		case <-s.queued:
			steps = append(steps, s)
		case err := <-s.done:
			first = errors.Join(first, errNoQuery, err)
		}
	}
	results := tx.SendBatch(ctx, batch)
	for _, s := range steps {
		s.turn <- results
		if err := <-s.done; err != nil && first == nil {
			first = err
		}
	}
	if err := results.Close(); first == nil {
		first = err
	}
	return first
}

// PlanOnce has the rest of the transaction's statements planned once a connection, not again for each set of arguments,
// and by index, as part of a pipeline. It is for statements that name their rows so closely that no argument would change
// the plan. A plan made while a table is all but empty would otherwise read it whole, and be kept as it fills.
func (q *Queries) PlanOnce(ctx context.Context) error {
	_, err := q.db.Exec(ctx, "select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)")
	return err
}

// Savepoint sets the one savepoint a transaction needs at a time, as part of a pipeline. RollbackToSavepoint goes back
// to it, and gives back the locks taken since.
func (q *Queries) Savepoint(ctx context.Context) error {
	_, err := q.db.Exec(ctx, "savepoint attempt")
	return err
}

// RollbackToSavepoint undoes everything since the last Savepoint.
func (q *Queries) RollbackToSavepoint(ctx context.Context) error {
	_, err := q.db.Exec(ctx, "rollback to savepoint attempt")
	return err
}

// step is the DBTX of one query: it queues the statement, and waits for its turn to read the result.
type step struct {
	batch  *pgx.Batch
	queued chan struct{}
	turn   chan pgx.BatchResults
	done   chan error
	used   bool
}

func (s *step) queue(sql string, args []any) bool {
	if s.used {
		return false
	}
	s.used = true
	s.batch.Queue(sql, args...)
	close(s.queued)
	return true
}

// Exec implements DBTX.
func (s *step) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if !s.queue(sql, args) {
		return pgconn.CommandTag{}, errNoQuery
	}
	return (<-s.turn).Exec()
}

// Query implements DBTX.
func (s *step) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	if !s.queue(sql, args) {
		return nil, errNoQuery
	}
	return (<-s.turn).Query()
}

// QueryRow implements DBTX.
func (s *step) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	if !s.queue(sql, args) {
		return failedRow{errNoQuery}
	}
	return pipelinedRow{s}
}

type pipelinedRow struct{ step *step }

func (r pipelinedRow) Scan(dest ...any) error { return (<-r.step.turn).QueryRow().Scan(dest...) }

type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }
