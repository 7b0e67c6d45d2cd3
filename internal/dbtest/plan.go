package dbtest

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/testenv"
)

// Plan runs read and returns PostgreSQL's plan of its last query.
func (d *DB) Plan(t testing.TB, read func(q *db.Queries) error) string {
	t.Helper()
	p := &planned{DBTX: d.Pool}
	if err := read(db.New(p)); err != nil {
		t.Fatal(err)
	}
	return p.plan
}

// Explain returns the plan of a query, with sorting and sequential scans
// switched off, so that it shows which indexes can be used.
func (d *DB) Explain(t testing.TB, query string) string {
	t.Helper()
	tx := testenv.Must(d.Pool.Begin(context.Background()))(t)
	defer func() { _ = tx.Rollback(context.Background()) }()
	testenv.Must(tx.Exec(context.Background(), "set local enable_sort = off; set local enable_seqscan = off"))(t)
	rows := testenv.Must(tx.Query(context.Background(), "explain "+query))(t)
	return strings.Join(testenv.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t), "\n")
}

// WantPlan fails the test if the plan of the last query of read lacks one of
// the parts.
func (d *DB) WantPlan(t testing.TB, name string, read func(q *db.Queries) error, parts ...string) {
	t.Helper()
	plan := d.Plan(t, read)
	for _, part := range parts {
		if !strings.Contains(plan, part) {
			t.Errorf("%s: no %s in\n%s", name, part, plan)
		}
	}
}

// RowsRead counts the rows of a table that a pool's only connection has read
// so far.
func RowsRead(t testing.TB, pool db.Pool, table string) (rows int64) {
	t.Helper()
	for _, sql := range []string{"select pg_stat_force_next_flush()", "select pg_stat_clear_snapshot()"} {
		_, err := pool.Exec(t.Context(), sql)
		check(t, err)
	}
	check(t, pool.QueryRow(t.Context(),
		"select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = $1", table).Scan(&rows))
	return rows
}

// planned runs queries, and keeps the plan of the last one.
type planned struct {
	db.DBTX
	plan string
}

// Query implements db.DBTX.
func (p *planned) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := p.DBTX.Query(ctx, "explain (costs off) "+sql, args...)
	if err != nil {
		return nil, err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	p.plan = strings.Join(lines, "\n")
	return p.DBTX.Query(ctx, sql, args...)
}
