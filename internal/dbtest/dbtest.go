// Package dbtest gives each test a PostgreSQL database to itself, already
// migrated, and factories for what tests need in it. One private server serves
// a test process.
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

// objectInUse is PostgreSQL's code for a template to which somebody is
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
// *testing.M) { dbtest.Main(m) }. What else the tests have started ends before
// it.
func Main(m *testing.M, end ...func()) {
	testenv.InMemory()
	code := m.Run()
	for _, e := range end {
		e()
	}
	End()
	os.Exit(code)
}

// End stops the server of this process, for a TestMain of one's own.
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

// New lends the test a migrated database, which is the next test's when it has
// been emptied.
func New(t testing.TB) *DB {
	t.Helper()
	if OnCitus() {
		return Fresh(t)
	}
	return lend(t)
}

// Fresh is New for a test that measures what the files of a database have.
func Fresh(t testing.TB) *DB {
	t.Helper()
	return open(t, URL(t))
}

// URL is a migrated database for a program that opens it itself. It is dropped
// after the test.
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

// Empty is a database without a schema.
func Empty(t testing.TB) *DB {
	t.Helper()
	return open(t, EmptyURL(t))
}

// EmptyURL is Empty for a program that opens the database itself.
func EmptyURL(t testing.TB) string {
	t.Helper()
	return clone(t, "template0")
}

// Copy is a copy of a database of this process's server to which nobody is
// connected.
func Copy(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	check(t, err)
	return clone(t, strings.TrimPrefix(u.Path, "/"))
}

// Kept is a migrated database that stays until the process ends, to be copied.
func Kept(t testing.TB) string {
	t.Helper()
	return patient(server.URL(create(t, template)))
}

// At is a database with the schema as it was at a version.
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

// patient is the address of a database to which connections may take long on a
// busy machine.
func patient(address string) string { return address + "&connect_timeout=60" }

// create makes a copy of a template, whose connections may have been closed
// just now, and returns its name.
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

// Open is another pool of the test's database, for what has to happen beside
// the test's own.
func (d *DB) Open(t testing.TB, conns int, kind db.Kind) db.Pool {
	t.Helper()
	pool, err := db.Open(t.Context(), d.URL, conns, kind)
	check(t, err)
	t.Cleanup(pool.Close)
	return pool
}

// Pools are the test's pool, for whatever is done.
func (d *DB) Pools() db.Pools { return db.OnePool(d.Pool) }

// Queries runs queries on the test's pool.
func (d *DB) Queries() *db.Queries { return db.New(d.Pool) }

// Exec changes what the database has.
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

// Get reads a row of one value.
func (d *DB) Get(t testing.TB, value any, sql string, args ...any) {
	t.Helper()
	check(t, d.Pool.QueryRow(context.Background(), sql, args...).Scan(value))
}

// Count reads a row of one number.
func (d *DB) Count(t testing.TB, sql string, args ...any) (count int) {
	t.Helper()
	d.Get(t, &count, sql, args...)
	return count
}

// Text reads a row of one text.
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

// Stays fails the test if what a query reads as one text is not the same at the
// test's end: the rows of bystanders, say, whom nothing is done to.
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

// Beside begins a transaction of somebody else, on a connection of its own,
// which ends with the test at the latest.
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

// AwaitTries waits until so many transactions, one after another, have waited
// for a lock.
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

// admin runs one statement outside every test's database, over a connection
// that is kept.
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
