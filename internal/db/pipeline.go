package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Query is one query of a pipeline and the place of its answer. Do, One,
// Always, Get and OneOrNone make them from generated queries.
type Query struct {
	run func(ctx context.Context, q *Queries) error
	// sure says that the database itself fails if no row is found.
	sure bool
	// says converts the error of a query without an answer; such a query's
	// result is all there is to read.
	says func(error) error
}

// Do is a query without an answer.
func Do[P any](method func(*Queries, context.Context, P) error, params P) Query {
	return Query{run: func(ctx context.Context, q *Queries) error {
		return named(method(q, ctx, params))
	}, says: named}
}

// ErrMissing says that a statement did not find a row that it requires, so that
// its transaction failed.
var ErrMissing = errors.New("a row that has to be there is not")

// named recognizes the error of a missing row: the statement divides by zero
// then, and nothing else divides.
func named(err error) error {
	if hasCode(err, "22012") {
		return fmt.Errorf("%w: %w", ErrMissing, err)
	}
	return err
}

// One is a query for one row. If it finds nothing the error is ErrNoRows, which
// does not fail the transaction.
func One[P, T any](answer *T, method func(*Queries, context.Context, P) (T, error), params P) Query {
	return Query{run: func(ctx context.Context, q *Queries) error {
		found, err := method(q, ctx, params)
		if err == nil {
			*answer = found
		}
		return named(err)
	}}
}

// Always is One for a statement that always returns a row, such as an
// aggregate, or fails in the database. Write accepts no other query with a row.
func Always[P, T any](answer *T, method func(*Queries, context.Context, P) (T, error), params P) Query {
	query := One(answer, method, params)
	query.sure = true
	return query
}

// Get is One for a query without parameters.
func Get[T any](answer *T, method func(*Queries, context.Context) (T, error)) Query {
	return One(answer, func(q *Queries, ctx context.Context, _ struct{}) (T, error) { return method(q, ctx) }, struct{}{})
}

// OneOrNone is a query that may find nothing; then its answer is nil.
func OneOrNone[P, T any](answer **T, method func(*Queries, context.Context, P) (T, error), params P) Query {
	return Query{run: func(ctx context.Context, q *Queries) error {
		found, err := method(q, ctx, params)
		if *answer = nil; err == nil {
			*answer = &found
		}
		return IgnoreNoRows(err)
	}}
}

// Held is the query with another error in place of a lock timeout.
func (query Query) Held(says error) Query {
	held := query
	named := func(err error) error {
		if IsLockTimeout(err) {
			return fmt.Errorf("%w: %w", says, err)
		}
		return err
	}
	held.run = func(ctx context.Context, q *Queries) error { return named(query.run(ctx, q)) }
	if query.says != nil {
		held.says = func(err error) error { return named(query.says(err)) }
	}
	return held
}

// Run runs queries one after another, where it can in one round trip.
func Run(ctx context.Context, q *Queries, queries ...Query) error {
	if together, can := q.db.(Batcher); can && len(queries) > 1 {
		return Pipeline(ctx, together, queries...)
	}
	for _, query := range queries {
		if err := query.run(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

var (
	// errNoted is returned while a query is only added to a batch.
	errNoted = errors.New("the query was noted, its answer comes later")
	// errNotOne refuses a generated query that is not one statement.
	errNotOne = errors.New("a pipelined query is not one statement")
	// errMayMiss refuses a query that would let Write commit although it
	// found no row.
	errMayMiss = errors.New("a query of a transaction in one round trip has an answer that may be missing")
)

// note adds queries to a batch. With unseen, nobody reads their answers before
// the COMMIT, so queries that may find no row are refused.
func note(ctx context.Context, batch *pgx.Batch, queries []Query, unseen bool) error {
	noted := noting{batch: batch}
	q := New(&noted)
	for _, query := range queries {
		before := batch.Len()
		noted.row = false
		if err := query.run(ctx, q); batch.Len() != before+1 {
			return errors.Join(errNotOne, err)
		}
		if unseen && noted.row && !query.sure {
			return errMayMiss
		}
	}
	return nil
}

// answer reads the answers to all noted queries and returns the first error,
// and of which query it is.
func answer(ctx context.Context, results pgx.BatchResults, queries []Query) (failed int, first error) {
	q := New(answering{results})
	for i, query := range queries {
		var err error
		if query.says != nil { // the arguments need not be encoded again
			_, err = results.Exec()
			err = query.says(err)
		} else {
			err = query.run(ctx, q)
		}
		if first == nil && err != nil {
			failed, first = i, err
		}
	}
	return failed, first
}

// Batcher sends queries together. It is a transaction, or a pool, where they
// become one transaction.
type Batcher interface {
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
}

// Pipeline runs queries that do not depend on one another in one round trip, in
// order. Each has its own snapshot, as if it were sent alone. It returns the
// first error.
func Pipeline(ctx context.Context, b Batcher, queries ...Query) error {
	if len(queries) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	if err := note(ctx, batch, queries, false); err != nil {
		return err
	}
	results := b.SendBatch(ctx, batch)
	_, err := answer(ctx, results, queries)
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	return err
}

// Write runs queries as one transaction in one round trip, with BEGIN and
// COMMIT, so that a lock is held only for the server's own time. Anything that
// must stop the transaction has to be an error of the database, such as a
// violated constraint (see Violated) or the division by zero for a missing row.
// So it accepts no One, whose answer comes after the COMMIT. Collisions and
// unknown results are handled as in InTx.
func Write(ctx context.Context, pool Pool, queries ...Query) error {
	return retry(ctx, func() error {
		_, err := writeOnce(ctx, pool, queries)
		return err
	})
}

// writeOnce also returns which query failed, if one did.
func writeOnce(ctx context.Context, pool Pool, queries []Query) (failed int, err error) {
	batch := &pgx.Batch{}
	batch.Queue("begin")
	if err := note(ctx, batch, queries, true); err != nil {
		return 0, err
	}
	batch.Queue("commit")
	conn, err := Driver(pool).Acquire(ctx)
	if err != nil {
		return 0, fmt.Errorf("begin: %w", err)
	}
	defer conn.Release()
	// A client that hangs up does not stop the transaction.
	end, cancel := ending(ctx)
	defer cancel()
	ended := commits(conn.Conn())
	results := conn.SendBatch(end, batch)
	_, err = results.Exec()
	failed, answerErr := answer(end, results, queries)
	if err == nil {
		err = answerErr
	}
	tag, commitErr := results.Exec()
	if err == nil && commitErr == nil && tag.String() == "ROLLBACK" {
		commitErr = pgx.ErrTxCommitRollback
	}
	if closeErr := results.Close(); commitErr == nil {
		commitErr = closeErr
	}
	ended(cmp.Or(commitErr, err))
	if conn.Conn().PgConn().TxStatus() == txFailed {
		_, _ = conn.Exec(end, "rollback")
	}
	switch {
	case refused(err), pgconn.SafeToRetry(err):
		return failed, err
	case commitErr != nil:
		return failed, commitError(commitErr)
	}
	return failed, err
}

// txFailed is the state of a connection whose transaction can only be rolled
// back.
const txFailed = 'E'

// noting is a DBTX that adds queries to a batch.
type noting struct {
	batch *pgx.Batch
	// row says that the query returns a row.
	row bool
}

func (n *noting) note(sql string, args []any) { n.batch.Queue(sql, args...) }

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
	n.row = true
	return notedRow{}
}

type notedRow struct{}

func (notedRow) Scan(...any) error { return errNoted }

// answering is a DBTX that returns the answers of a batch, one after the other.
type answering struct{ results pgx.BatchResults }

// Exec implements DBTX.
func (a answering) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return a.results.Exec()
}

// Query implements DBTX.
func (a answering) Query(context.Context, string, ...any) (pgx.Rows, error) {
	return a.results.Query()
}

// QueryRow implements DBTX.
func (a answering) QueryRow(context.Context, string, ...any) pgx.Row {
	return a.results.QueryRow()
}
