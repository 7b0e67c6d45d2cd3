package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Query makes exactly one query through q and, on an error, does nothing that another call would not undo: a pipeline
// calls it twice, see Pipeline.
type Query = func(q *Queries) error

var (
	// errNoQuery is a Query that broke its promise.
	errNoQuery = errors.New("a pipelined function made no query, or more than one")
	// errNoted answers a query that has only been noted so far.
	errNoted = errors.New("the query was noted, its answer comes later")
)

// Pipeline makes queries that do not depend on each other's results in one round trip, in their order. Each statement
// has its own snapshot, as if they came one by one. It returns the first error; what a :one query did not find is its
// caller's to swallow. Every function is called first to note its query, which it sees fail, and then with the answer.
func Pipeline(ctx context.Context, tx pgx.Tx, queries ...Query) error {
	if len(queries) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	for i, query := range queries {
		if err := query(New((*noting)(batch))); batch.Len() != i+1 {
			return errors.Join(errNoQuery, err)
		}
	}
	answers := &answering{results: tx.SendBatch(ctx, batch)}
	var first error
	for i, query := range queries {
		err := query(New(answers))
		if err == nil && answers.given != i+1 {
			err = errNoQuery
		}
		if first == nil {
			first = err
		}
	}
	if err := answers.results.Close(); first == nil {
		first = err
	}
	return first
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

// noting is a DBTX that notes queries in a batch.
type noting pgx.Batch

func (n *noting) note(sql string, args []any) { (*pgx.Batch)(n).Queue(sql, args...) }

// Exec implements DBTX.
func (n *noting) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	n.note(sql, args)
	return pgconn.CommandTag{}, errNoted
}

// Query implements DBTX.
func (n *noting) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	n.note(sql, args)
	return nil, errNoted
}

// QueryRow implements DBTX.
func (n *noting) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	n.note(sql, args)
	return notedRow{}
}

type notedRow struct{}

func (notedRow) Scan(...any) error { return errNoted }

// answering is a DBTX that gives the answers to the queries noted, one after the other.
type answering struct {
	results pgx.BatchResults
	given   int
}

// Exec implements DBTX.
func (a *answering) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	a.given++
	return a.results.Exec()
}

// Query implements DBTX.
func (a *answering) Query(context.Context, string, ...any) (pgx.Rows, error) {
	a.given++
	return a.results.Query()
}

// QueryRow implements DBTX.
func (a *answering) QueryRow(context.Context, string, ...any) pgx.Row {
	a.given++
	return a.results.QueryRow()
}
