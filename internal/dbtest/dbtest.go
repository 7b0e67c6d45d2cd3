// Package dbtest gives each test its own migrated PostgreSQL database, and has
// factories for the data that tests need. All tests of a process share one
// private server.
package dbtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"gateway.example/internal/db"
	"gateway.example/internal/pgserver"
	"gateway.example/internal/testenv"
	"gateway.example/schema"
)

// objectInUse is PostgreSQL's error code for a template to which somebody is
// connected.
const objectInUse = "55006"

const (
	// PoolSize is how many connections a test's pool has.
	PoolSize     = 8
	template     = "migrated"
	startTimeout = 5 * time.Minute
)

var (
	started  sync.Once
	server   *pgserver.Server
	startErr error
	dir      string
	// cloning is serial: PostgreSQL refuses to copy a template that another
	// copy is reading from, now and then.
	cloning sync.Mutex
	// admins is the connection that makes and drops databases.
	admins *pgx.Conn
	number atomic.Int64
)

// Main runs a package's tests and then stops their server: func TestMain(m
// *testing.M) { dbtest.Main(m) }. It calls the functions in end before it
// stops the server.
func Main(m *testing.M, end ...func()) {
	testenv.InMemory()
	code := m.Run()
	for _, e := range end {
		e()
	}
	End()
	os.Exit(code)
}

// End stops the server of this process, for packages that have their own
// TestMain.
func End() {
	if server != nil {
		_ = server.Stop(context.Background())
	}
	if dir != "" {
		_ = os.RemoveAll(dir)
	}
}

// DB is a test's own database.
type DB struct {
	Pool db.Pool
	URL  string
}

// New lends the test a migrated database. After the test it is emptied, and
// lent to a later one.
func New(t testing.TB) *DB {
	t.Helper()
	if OnCitus() {
		return Fresh(t)
	}
	return lend(t)
}

// Fresh is New with a database that no test has used, for a test that measures
// the sizes of its files.
func Fresh(t testing.TB) *DB {
	t.Helper()
	return open(t, URL(t))
}

// URL makes a migrated database for a program that opens it itself, and drops
// it after the test.
func URL(t testing.TB) string {
	t.Helper()
	if OnCitus() {
		address, drop, err := Distributed(t.Context())
		check(t, err)
		t.Cleanup(func() { check(t, drop()) })
		return address
	}
	return clone(t, template)
}

// Empty makes a database without a schema.
func Empty(t testing.TB) *DB {
	t.Helper()
	return open(t, EmptyURL(t))
}

// EmptyURL is Empty for a program that opens the database itself.
func EmptyURL(t testing.TB) string {
	t.Helper()
	return clone(t, "template0")
}

// Copy copies a database of this process's server. Nobody may be connected to
// it.
func Copy(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	check(t, err)
	return clone(t, strings.TrimPrefix(u.Path, "/"))
}

// Kept makes a migrated database that stays until the process ends, as a
// template for Copy.
func Kept(t testing.TB) string {
	t.Helper()
	return patient(server.URL(create(t, template)))
}

// At makes a database with the schema of an older version.
func At(t testing.TB, version int64) *DB {
	t.Helper()
	d := Empty(t)
	migrations, err := goose.NewProvider(goose.DialectPostgres, stdlib.OpenDBFromPool(db.Driver(d.Pool)), schema.FS)
	check(t, err)
	_, err = migrations.UpTo(t.Context(), version)
	check(t, err)
	return d
}

func clone(t testing.TB, template string) (address string) {
	t.Helper()
	name := create(t, template)
	t.Cleanup(func() { check(t, admin(server, fmt.Sprintf("drop database %s with (force)", name))) })
	return patient(server.URL(name))
}

// patient is an address with a long timeout for connecting, because a machine
// may be busy.
func patient(address string) string { return address + "&connect_timeout=60" }

// create makes a copy of a template and returns its name. It tries again while
// connections to the template that were just closed still count.
func create(t testing.TB, template string) string {
	t.Helper()
	started.Do(func() { startErr = start() })
	check(t, startErr)
	name := fmt.Sprintf("test_%d", number.Add(1))
	// Copying files takes half as long as writing them to the log does,
	// where nothing is synced.
	sql := fmt.Sprintf("create database %s template %s strategy file_copy", name, template)
	check(t, testenv.Eventually(func() error {
		err := admin(server, sql)
		if pg := new(pgconn.PgError); errors.As(err, &pg) && pg.Code == objectInUse {
			return err
		}
		return testenv.Never(err)
	}))
	return name
}

func open(t testing.TB, url string) *DB {
	t.Helper()
	d := &DB{URL: url}
	d.Pool = d.Open(t, PoolSize, db.ForCommands)
	return d
}

// Open opens another pool of the test's database, for what has to happen
// beside the test's own transactions.
func (d *DB) Open(t testing.TB, conns int, kind db.Kind) db.Pool {
	t.Helper()
	pool, err := db.Open(t.Context(), d.URL, conns, kind)
	check(t, err)
	t.Cleanup(pool.Close)
	return pool
}

// Pools uses the test's pool for every purpose.
func (d *DB) Pools() db.Pools { return db.OnePool(d.Pool) }

// Queries runs queries on the test's pool.
func (d *DB) Queries() *db.Queries { return db.New(d.Pool) }

// Exec runs a statement, and ends the test if it fails.
func (d *DB) Exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := d.Pool.Exec(context.Background(), sql, args...)
	check(t, err)
}

// Write runs queries in a transaction.
func (d *DB) Write(t testing.TB, queries ...db.Query) {
	t.Helper()
	check(t, db.Write(context.Background(), d.Pool, queries...))
}

// Get reads one row of one value.
func (d *DB) Get(t testing.TB, value any, sql string, args ...any) {
	t.Helper()
	check(t, d.Pool.QueryRow(context.Background(), sql, args...).Scan(value))
}

// Count reads one row of one number.
func (d *DB) Count(t testing.TB, sql string, args ...any) (count int) {
	t.Helper()
	d.Get(t, &count, sql, args...)
	return count
}

// Text reads one row of one text.
func (d *DB) Text(t testing.TB, sql string, args ...any) (text string) {
	t.Helper()
	d.Get(t, &text, sql, args...)
	return text
}

// Texts reads rows of one text.
func (d *DB) Texts(t testing.TB, sql string, args ...any) []string {
	t.Helper()
	rows, err := d.Pool.Query(context.Background(), sql, args...)
	check(t, err)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check(t, err)
	return texts
}

// Stays fails the test if a query, which returns one text, returns another one
// at the end of the test. It is for rows that must not change, such as those
// of another merchant.
func (d *DB) Stays(t testing.TB, sql string, args ...any) {
	t.Helper()
	before := d.Text(t, sql, args...)
	t.Cleanup(func() {
		after, same := d.Text(t, sql, args...), 0
		for same < min(len(before), len(after)) && before[same] == after[same] {
			same++
		}
		if after != before {
			t.Errorf("%s\nwas  …%.200s\nis   …%.200s", sql, before[same:], after[same:])
		}
	})
}

// Beside begins a transaction of somebody else on its own connection. At the
// latest it ends with the test.
func (d *DB) Beside(t testing.TB) pgx.Tx {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), d.URL)
	check(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	tx, err := conn.Begin(context.Background())
	check(t, err)
	return tx
}

// AwaitBlocked waits until a transaction of the test's database waits for a
// lock.
func (d *DB) AwaitBlocked(t testing.TB) {
	t.Helper()
	d.AwaitTries(t, 1)
}

// AwaitTries waits until as many transactions as wanted, one after another,
// have waited for a lock.
func (d *DB) AwaitTries(t testing.TB, wanted int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.URL)
	check(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	began := map[string]bool{}
	testenv.Until(t, fmt.Sprintf("%d transactions have waited for a lock", wanted), func() bool {
		var last string
		check(t, conn.QueryRow(t.Context(), `select coalesce(min(xact_start)::text, '') from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock'`).Scan(&last))
		if last != "" {
			began[last] = true
		}
		return len(began) >= wanted
	})
}

func start() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	var err error
	if dir, err = os.MkdirTemp("", "gateway-test-"); err != nil {
		return err
	}
	server, err = startServer(ctx)
	return err
}

// admin runs one statement on the server outside the tests' databases. It
// keeps its connection.
func admin(server *pgserver.Server, sql string) (err error) {
	cloning.Lock()
	defer cloning.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if admins == nil || admins.IsClosed() {
		if admins, err = pgx.Connect(ctx, server.URL("postgres")); err != nil {
			return err
		}
	}
	_, err = admins.Exec(ctx, sql)
	return err
}

var check = testenv.NoError
