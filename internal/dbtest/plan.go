package dbtest

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
)

// Plan is how the database makes the last query of read.
func (d *DB) Plan(t testing.TB, read func(q *db.Queries) error) string {
	t.Helper()
	p := &planned{DBTX: d.Pool}
	if err := read(db.New(p)); err != nil {
		t.Fatal(err)
	}
	return p.plan
}

// WantPlan wants the plan of the last query of read to have all parts.
func (d *DB) WantPlan(t testing.TB, name string, read func(q *db.Queries) error, parts ...string) {
	t.Helper()
	plan := d.Plan(t, read)
	for _, part := range parts {
		if !strings.Contains(plan, part) {
			t.Errorf("%s: no %s in\n%s", name, part, plan)
		}
	}
}

// planned has each query explained before it is made.
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
