package db_test

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"gateway/internal/db"
	"gateway/internal/dbtest"
	"gateway/schema"
)

func TestMigrateAgainChangesNothing(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t) // migrated already
	ctx := context.Background()
	if err := insert(ctx, d.Queries()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := db.Migrate(ctx, d.URL); err != nil {
			t.Fatal(err)
		}
	}
	if n := merchants(t, d); n != 1 {
		t.Fatalf("%d merchants", n)
	}
}

// A database in which the accounts of the platform and of the world outside were opened by hand keeps what is on them.
func TestMigrateKeepsAccounts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	url := emptyDatabase(t)
	pool := databaseAt(t, url, 20)
	_, err := pool.Exec(ctx, "insert into account (id, owner_kind, owner_id, purpose, balance) values (2, 'platform', 0, 'available', 7)")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Migrate(ctx, url); err != nil {
		t.Fatal(err)
	}
	var accounts, kept int
	err = pool.QueryRow(ctx, "select count(*), sum(balance) from account").Scan(&accounts, &kept)
	if err != nil || accounts != 4 || kept != 7 {
		t.Errorf("%d accounts with %d, %v", accounts, kept, err)
	}
}

// databaseAt brings an empty database to an earlier version of the schema.
func databaseAt(t *testing.T, url string, version int64) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	migrations, err := goose.NewProvider(goose.DialectPostgres, stdlib.OpenDBFromPool(pool), schema.FS)
	if err == nil {
		_, err = migrations.UpTo(context.Background(), version)
	}
	if err != nil {
		t.Fatal(err)
	}
	return pool
}

// Replicas that start together on an empty database must not trip over each other.
func TestMigrateInParallel(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	empty := emptyDatabase(t)
	var replicas sync.WaitGroup
	errs := make([]error, 3)
	for i := range errs {
		replicas.Go(func() { errs[i] = db.Migrate(ctx, empty) })
	}
	replicas.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	pool, err := db.Open(ctx, empty, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := insert(ctx, db.New(pool)); err != nil {
		t.Fatal(err)
	}
	var jobs int
	if err := pool.QueryRow(ctx, "select count(*) from river_job").Scan(&jobs); err != nil {
		t.Fatal(err)
	}
}

// emptyDatabase makes a database without a schema beside the test's own.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	d := dbtest.New(t)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, d.URL)
	if err != nil {
		t.Fatal(err)
	}
	name := conn.Config().Database + "_empty"
	if _, err := conn.Exec(ctx, "create database "+name+" template template0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := conn.Exec(ctx, "drop database "+name+" with (force)")
		if err := errors.Join(err, conn.Close(ctx)); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(d.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}
