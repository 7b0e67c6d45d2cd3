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
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

var generated = regexp.MustCompile("(?s)const \\w+ = `-- name: (\\w+) :\\w+\n(.*?)`")

// Every statement of the program can be made on a distributed database, and
// those that are made often touch one shard.
func TestDistributedStatements(t *testing.T) {
	t.Parallel()
	dbtest.NeedsCitus(t)
	d := dbtest.New(t)
	files := testenv.Must(filepath.Glob("*.sql.go"))(t)
	conn := testenv.Must(db.Driver(d.Pool).Acquire(t.Context()))(t)
	defer conn.Release()
	hot, samples := map[string]bool{}, map[string]string{}
	for _, row := range testenv.Rows(t, "hot.txt") {
		hot[row[0]] = len(row) > 1
	}
	for _, row := range testenv.Rows(t, "samples.txt") {
		samples[row[0]] = row[1]
	}
	met := 0
	for _, file := range files {
		source := testenv.Must(os.ReadFile(file))(t)
		for _, found := range generated.FindAllStringSubmatch(string(source), -1) {
			name := found[1]
			plan, err := planned(t.Context(), conn.Conn(), found[2], samples)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			all, listed := hot[name]
			if !listed {
				continue
			}
			met++
			every := severalTasks.MatchString(plan)
			testenv.Check(t, every == all, "%s asks several shards: %v\n%s", name, every, plan)
		}
	}
	testenv.Want(t, met, len(hot), "hot statements found")
}

var severalTasks = regexp.MustCompile(`Task Count: ([2-9]|\d\d)`)

var commented = regexp.MustCompile(`(?m)^// ([A-Z]\w+[A-Z]\w+).*\n(?://.*\n)*func \(q \*Queries\) (\w+)\(`)

// What names a statement names one that exists: the list of those that are made
// often, and the comment over each.
func TestStatementsHaveTheirNames(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, file := range testenv.Must(filepath.Glob("*.sql.go"))(t) {
		source.Write(testenv.Must(os.ReadFile(file))(t))
	}
	for _, row := range testenv.Rows(t, "hot.txt") {
		testenv.Check(t, strings.Contains(source.String(), "-- name: "+row[0]+" :"), "hot.txt names %s, which is no statement", row[0])
	}
	for _, found := range commented.FindAllStringSubmatch(source.String(), -1) {
		testenv.Check(t, found[1] == found[2], "the comment over %s begins with %s", found[2], found[1])
	}
}

// planned is how a statement is made with sample values.
func planned(ctx context.Context, conn *pgx.Conn, sql string, samples map[string]string) (string, error) {
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

// runs makes a statement and takes it back. That a row is refused is an answer
// too.
func runs(ctx context.Context, conn *pgx.Conn, sql string) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	_, err = tx.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	var answer *pgconn.PgError
	// What is copied to a shard is refused without the code.
	if errors.As(err, &answer) &&
		(answer.Code[:2] == "23" || answer.Code[:2] == "22" || strings.Contains(answer.Message, "violates check constraint")) {
		return nil
	}
	return err
}

// Every table has its place, so that who adds one decides where it is.
func TestEveryTableHasItsPlace(t *testing.T) {
	t.Parallel()
	tables := dbtest.New(t).Texts(t, `select c.relname::text from pg_class c
		where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`)
	testenv.WantAll(t, db.PlacedTables(), tables, "the tables that have a place")
}

// What is in the tables when they are distributed goes along, is nowhere twice,
// and rows that are kept stay kept on every node.
func TestDistributeKeepsRows(t *testing.T) {
	t.Parallel()
	d := dbtest.Undistributed(t)
	ctx := t.Context()
	const add = `insert into transfer (debit_account, credit_account, amount, kind, subject, subject_id, created_at)
		select 1, 2, 1, 'test', 'payment', n, now() from generate_series(%s) n`
	d.Exec(t, fmt.Sprintf(add, "1, 100"))
	for range 2 { // again it changes nothing
		testenv.NoError(t, db.Distribute(ctx, d.URL))
	}
	d.Exec(t, fmt.Sprintf(add, "101, 200"))
	var rows, shards, nodes, left int
	d.Get(t, &rows, "select count(distinct id) from transfer")
	testenv.NoError(t, d.Pool.QueryRow(ctx, `select count(*), count(distinct nodeport) from citus_shards
		where table_name = 'transfer'::regclass`).Scan(&shards, &nodes))
	d.Get(t, &left, "select pg_relation_size('transfer')")
	testenv.Check(t, rows == 200 && shards >= 2 && nodes >= 2 && left == 0,
		"%d rows, %d shards on %d nodes, %d bytes left on the coordinator", rows, shards, nodes, left)
	for _, change := range []string{"update transfer set amount = 2", "delete from transfer where subject_id = 7", "truncate transfer"} {
		_, err := d.Pool.Exec(ctx, change)
		testenv.Check(t, err != nil && strings.Contains(err.Error(), "is append-only"), "%s: %v", change, err)
	}
}

// A constraint that refuses a row on another node is known by its name.
func TestViolatedOnAnotherNode(t *testing.T) {
	t.Parallel()
	dbtest.NeedsCitus(t)
	d := dbtest.New(t)
	d.Exec(t, "insert into account_balance (account_id, balance) select n, 1 from generate_series(8, 20) n")
	for id := range int64(12) {
		err := d.Queries().AccountTake(t.Context(), db.AccountTakeParams{ID: 8 + id, Debit: decimal.NewFromInt(2)})
		testenv.Want(t, db.Violated(err), "account_covered", "account %d: %v violates", 8+id, err)
		_, err = d.Pool.Exec(t.Context(), "insert into account_balance (account_id) values ($1)", 8+id)
		testenv.Want(t, db.Violated(err), "account_balance_pkey", "account %d: %v violates", 8+id, err)
	}
}
