package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// MigrateWithin is Migrate with another patience.
var MigrateWithin = migrateWithin

// PlacedTables are the tables that have a place, in their order.
func PlacedTables() []string {
	var tables []string
	for _, p := range placements {
		tables = append(tables, strings.Fields(p.tables)...)
	}
	slices.Sort(tables)
	return tables
}

// Older has what a replica is waited for be so much longer ago.
func (r *Replica) Older(by time.Duration) {
	for i := range r.marks {
		r.marks[i].at = r.marks[i].at.Add(-by)
	}
}

// OnStandby reports whether queries are made on a standby.
func OnStandby(ctx context.Context, q *Queries) (there bool, err error) {
	err = q.db.QueryRow(ctx, "select pg_is_in_recovery()").Scan(&there)
	return there, err
}

// Sleep reads a table, for so long.
func Sleep(ctx context.Context, q *Queries, table string, lasts time.Duration) error {
	_, err := q.db.Exec(ctx, fmt.Sprintf("select pg_sleep(%f) from (select from %s limit 1) t", lasts.Seconds(), table))
	return err
}

// IsOldPrimary tells whether a connection was refused for its timeline.
func IsOldPrimary(err error) bool { return errors.Is(err, errOldPrimary) }

// Commits is what notes that a connection commits.
func Commits(conn *pgx.Conn) (ended func(error)) { return commits(conn) }

// Raw is a query that is not generated.
func Raw(sql string) Query {
	return Query{run: func(ctx context.Context, q *Queries) error {
		_, err := q.db.Exec(ctx, sql)
		return err
	}}
}

// Row is a generated query that inserts a row.
func Row(sql string, args ...any) Query {
	return Query{says: named, run: func(ctx context.Context, q *Queries) error {
		_, err := q.db.Exec(ctx, sql, args...)
		return named(err)
	}}
}

// Occupy has all callers wait as for a transaction, until so many do and go
// together.
func (w *Writer) Occupy() (release func(many int)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = true
	waiting := func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.waiting)
	}
	return func(many int) {
		for waiting() < many {
			time.Sleep(time.Millisecond)
		}
		w.passTurn()
	}
}
