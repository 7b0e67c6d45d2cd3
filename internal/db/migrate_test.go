package db_test

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

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
	d := dbtest.New(t)
	ctx := context.Background()
	// The migration as it stands, by itself: of those after it nothing can be undone.
	funding, err := schema.FS.ReadFile("00021_funding.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"drop table trader_funding", "update account set balance = 7 where owner_kind = 'platform' and purpose = 'available'", string(funding),
	} {
		if _, err := d.Pool.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	var accounts, kept int
	err = d.Pool.QueryRow(ctx, "select count(*), sum(balance) from account").Scan(&accounts, &kept)
	if err != nil || accounts != 4 || kept != 7 {
		t.Errorf("%d accounts with %d, %v", accounts, kept, err)
	}
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
