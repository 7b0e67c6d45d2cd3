package db_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"gateway/internal/db"
	"gateway/internal/dbtest"
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
	d := dbtest.At(t, 20)
	_, err := d.Pool.Exec(ctx, "insert into account (id, owner_kind, owner_id, purpose, balance) values (2, 'platform', 0, 'available', 7)")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Migrate(ctx, d.URL); err != nil {
		t.Fatal(err)
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
	empty := dbtest.Empty(t)
	var replicas sync.WaitGroup
	errs := make([]error, 3)
	for i := range errs {
		replicas.Go(func() { errs[i] = db.Migrate(ctx, empty.URL) })
	}
	replicas.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if err := insert(ctx, empty.Queries()); err != nil {
		t.Fatal(err)
	}
	var jobs int
	if err := empty.Pool.QueryRow(ctx, "select count(*) from river_job").Scan(&jobs); err != nil {
		t.Fatal(err)
	}
}
