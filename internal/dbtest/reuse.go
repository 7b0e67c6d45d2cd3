package dbtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
)

// maxUses is how many tests may use a database one after another. Rows that
// they deleted still take room in its files.
const maxUses = 30

// database is a migrated database, with its pool, that tests use one after
// another. To make a database, and to plan every statement anew, takes longer
// than most tests.
type database struct {
	name string
	pool db.Pool
	// keeper is a connection beside the pool, which empties the database.
	keeper *pgx.Conn
	// made is a transaction after the migrations and before every test.
	// schema is what the catalogues had then.
	made   int64
	schema string
	uses   int
}

var (
	// unused are databases that are as the migrations leave them.
	unused   []*database
	lending  sync.Mutex
	readRows sync.Once
	// migrated are the rows that the migrations write, by table, as COPY
	// writes them. sequences sets all sequences back.
	migrated  = map[string][]byte{}
	sequences string
)

// lend takes an unused database, or makes one, and takes it back after the
// test.
func lend(t testing.TB) *DB {
	t.Helper()
	d := takeUnused()
	if d == nil {
		d = makeDatabase(t)
	}
	d.uses++
	t.Cleanup(func() { d.takeBack(t) })
	return &DB{Pool: d.pool, URL: patient(server.URL(d.name))}
}

func takeUnused() (d *database) {
	lending.Lock()
	defer lending.Unlock()
	if last := len(unused) - 1; last >= 0 {
		d, unused = unused[last], unused[:last]
	}
	return d
}

// makeDatabase copies the migrated template. It notes the catalogues before the
// first test, by which takeBack sees whether a test has changed more than rows.
func makeDatabase(t testing.TB) *database {
	t.Helper()
	d := &database{name: create(t, template)}
	ctx, address := context.Background(), patient(server.URL(d.name))
	var err error
	d.keeper, err = pgx.Connect(ctx, address)
	check(t, err)
	check(t, d.keeper.QueryRow(ctx, "select pg_current_xact_id()::text::bigint").Scan(&d.made))
	d.schema, err = d.catalogues(ctx)
	check(t, err)
	readRows.Do(func() { check(t, d.readMigrated(ctx)) })
	d.pool, err = db.Open(ctx, address, PoolSize, db.ForCommands)
	check(t, err)
	return d
}

// takeBack empties a database for the next test. It drops one whose test
// failed, changed more than rows, or has not given all connections back.
func (d *database) takeBack(t testing.TB) {
	ctx := context.Background()
	if !t.Failed() && d.uses < maxUses && d.empty(ctx) == nil {
		lending.Lock()
		defer lending.Unlock()
		unused = append(unused, d)
		return
	}
	d.pool.Close()
	_ = d.keeper.Close(ctx)
	check(t, admin(server, fmt.Sprintf("drop database %s with (force)", d.name)))
}

// errChanged says why a database is dropped instead.
var errChanged = errors.New("more than rows was changed, or a connection is in use")

// empty leaves what the migrations wrote.
func (d *database) empty(ctx context.Context) error {
	pids, err := d.resetSessions(ctx)
	if err != nil {
		return err
	}
	// Whoever else is connected must not write once this has begun.
	if _, err := d.keeper.Exec(ctx, `select pg_terminate_backend(pid, 60000) from pg_stat_activity
		where datname = current_database() and pid <> all ($1::int[])`, pids); err != nil {
		return err
	}
	if schema, err := d.catalogues(ctx); err != nil || schema != d.schema {
		return cmp.Or(err, errChanged)
	}
	tables, err := d.written(ctx)
	if err != nil {
		return err
	}
	// As a replica, so that no trigger or foreign key refuses to let all
	// rows go.
	sql := "begin; set local session_replication_role = replica; delete from " + strings.Join(tables, "; delete from ")
	if _, err := d.keeper.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		return err
	}
	for table, rows := range migrated {
		if _, err := d.keeper.PgConn().CopyFrom(ctx, bytes.NewReader(rows), "copy "+table+" from stdin binary"); err != nil {
			return err
		}
	}
	_, err = d.keeper.PgConn().Exec(ctx, sequences+"; commit").ReadAll()
	return err
}

// resetSessions undoes what tests set in the sessions of the pool, and returns
// the processes of these and of the keeper.
func (d *database) resetSessions(ctx context.Context) ([]uint32, error) {
	idle := db.Driver(d.pool).AcquireAllIdle(ctx)
	defer func() {
		for _, c := range idle {
			c.Release()
		}
	}()
	if len(idle) == 0 || int(d.pool.Stat().TotalConns()) != len(idle) {
		return nil, errChanged
	}
	pids := []uint32{d.keeper.PgConn().PID()}
	for _, c := range idle {
		pids = append(pids, c.Conn().PgConn().PID())
		_, err := c.Conn().PgConn().Exec(ctx, "reset all; select pg_advisory_unlock_all(); unlisten *").ReadAll()
		if err != nil {
			return nil, err
		}
	}
	return pids, nil
}

// catalogues counts what is in the schema, and what of it was changed since the
// database was made.
func (d *database) catalogues(ctx context.Context) (counts string, err error) {
	var each []string
	for _, catalogue := range []string{
		"pg_class", "pg_attribute", "pg_constraint", "pg_trigger", "pg_proc", "pg_statistic", "pg_db_role_setting",
	} {
		each = append(each, fmt.Sprintf("(select (count(*), count(*) filter (where age(xmin) < age('%d'::xid))) from %s)", d.made, catalogue))
	}
	err = d.keeper.QueryRow(ctx, "select ("+strings.Join(each, ", ")+")::text").Scan(&counts)
	return counts, err
}

// written are the tables that have rows, or had some.
func (d *database) written(ctx context.Context) ([]string, error) {
	rows, err := d.keeper.Query(ctx, `select relname::text from pg_class
		where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// readMigrated keeps what the migrations wrote, and where they left the
// sequences. It runs once a process, on a database that no test has used yet.
func (d *database) readMigrated(ctx context.Context) error {
	tables, err := d.written(ctx)
	if err != nil {
		return err
	}
	for _, table := range tables {
		var rows bytes.Buffer
		if _, err := d.keeper.PgConn().CopyTo(ctx, &rows, "copy "+table+" to stdout binary"); err != nil {
			return err
		}
		migrated[table] = rows.Bytes()
	}
	return d.keeper.QueryRow(ctx, `select 'select ' || string_agg(format('setval(%L, %s, %L)', sequencename,
		coalesce(last_value, start_value), last_value is not null), ', ') from pg_sequences`).Scan(&sequences)
}
