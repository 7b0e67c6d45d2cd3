package db_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gateway.example/internal/dbtest"
)

var generated = regexp.MustCompile("(?s)const \\w+ = `-- name: (\\w+) :\\w+\n(.*?)`")

// samples are values to plan statements with, by their types.
var samples = map[string]string{
	"bigint": "1", "integer": "1", "smallint": "1", "text": "'a'", "boolean": "true", "uuid": "'0190aaaa-0000-7000-8000-000000000001'::uuid",
	"timestamp with time zone": "'2026-01-01Z'", "date": "'2026-01-01'", "numeric": "1", "bytea": "'\\x00'", "jsonb": "'{}'", "inet": "'10.0.0.1'",
	"bigint[]": "'{1,2}'", "integer[]": "'{1}'", "text[]": "'{a}'", "uuid[]": "array['0190aaaa-0000-7000-8000-000000000001'::uuid]", "numeric[]": "'{1}'",
	"timestamp with time zone[]": "'{2026-01-01Z}'", "smallint[]": "'{1}'", "interval": "'1 minute'", "date[]": "'{2026-01-01}'",
	"boolean[]": "'{true}'", "bytea[]": "array['\\x00'::bytea]", "double precision": "1",
}

// Every statement of the program can be planned on a distributed database.
func TestDistributedStatements(t *testing.T) {
	t.Parallel()
	dbtest.NeedsCitus(t)
	d := dbtest.New(t)
	files, err := filepath.Glob("*.sql.go")
	noError(t, err)
	conn, err := d.Pool.Acquire(t.Context())
	noError(t, err)
	defer conn.Release()
	for _, file := range files {
		source, err := os.ReadFile(file)
		noError(t, err)
		for _, found := range generated.FindAllStringSubmatch(string(source), -1) {
			plan, err := planned(t.Context(), conn.Conn(), found[2])
			if err != nil {
				t.Errorf("%s: %v", found[1], err)
				continue
			}
			t.Logf("%s: %s tasks", found[1], strings.Join(tasks(plan), ", "))
		}
	}
}

var taskCount = regexp.MustCompile(`Task Count: \d+|Custom Scan \(\w+( \w+)*\)|->  Distributed Subplan \S+|Tasks Shown.*`)

func tasks(plan string) []string { return taskCount.FindAllString(plan, -1) }

// planned is how a statement is made with sample values.
func planned(ctx context.Context, conn *pgx.Conn, sql string) (string, error) {
	prepared, err := conn.Prepare(ctx, "", sql)
	if err != nil {
		return "", err
	}
	values := make([]string, len(prepared.ParamOIDs))
	for i, oid := range prepared.ParamOIDs {
		var name string
		if err := conn.QueryRow(ctx, "select format_type($1, null)", oid).Scan(&name); err != nil {
			return "", err
		}
		sample, known := samples[name]
		if !known {
			return "", fmt.Errorf("no sample of type %s", name)
		}
		values[i] = "(" + sample + ")::" + name
	}
	for i, value := range slices.Backward(values) {
		sql = strings.ReplaceAll(sql, fmt.Sprintf("$%d", i+1), value)
	}
	rows, err := conn.Query(ctx, "explain (costs off) "+sql, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return "", err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", fmt.Errorf("explain: %w", err)
	}
	return strings.Join(lines, "\n"), runs(ctx, conn, sql)
}

// runs makes a statement and takes it back. That a row is refused is an answer too.
func runs(ctx context.Context, conn *pgx.Conn, sql string) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	_, err = tx.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	var answer *pgconn.PgError
	if errors.As(err, &answer) && (answer.Code[:2] == "23" || answer.Code[:2] == "22") {
		return nil
	}
	return err
}
