package db_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
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
	pool := migrateTo(t, url, 20)
	_, err := pool.Exec(ctx, `insert into account (id, owner_kind, owner_id, purpose, balance) values (2, 'platform', 0, 'available', 7)`)
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

// migrateTo brings a database to a version of the past.
func migrateTo(t *testing.T, url string, version int64) *pgxpool.Pool {
	t.Helper()
	pool, err := db.Open(t.Context(), url, 1)
	noError(t, err)
	t.Cleanup(pool.Close)
	std := stdlib.OpenDBFromPool(pool)
	defer func() { _ = std.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, std, schema.FS)
	noError(t, err)
	_, err = provider.UpTo(t.Context(), version)
	noError(t, err)
	return pool
}

// What was sealed before keys were noted is found, and so is the secret that still signs besides.
func TestMigrateNotesKeys(t *testing.T) {
	t.Parallel()
	url := emptyDatabase(t)
	pool := migrateTo(t, url, 21)
	_, err := pool.Exec(t.Context(), `with m as (insert into merchant (name, created_at) values ('Shop', now()) returning id)
		insert into cashbox (merchant_id, name, currency, webhook_secret, webhook_secret_previous, webhook_secret_previous_until, created_at)
		select id, 'Shop', 'RUB', '\x01aabbccdd0011'::bytea, '\x01000000ff0011'::bytea, now() + interval '1 hour', now() from m
		union all select id, 'Shop', 'RUB', '', null, null, now() from m
		union all select id, 'Shop', 'RUB', 'garbage', null, null, now() from m`)
	noError(t, err)
	noError(t, db.Migrate(t.Context(), url))
	needed, err := db.New(pool).SecretKeyNeeded(t.Context(), dbtest.Start)
	noError(t, err)
	want := []db.SecretKeyNeededRow{{Purpose: "vault", Fingerprint: "000000ff"}, {Purpose: "vault", Fingerprint: "aabbccdd"}}
	if !slices.Equal(needed, want) {
		t.Errorf("needed: %v", needed)
	}
	places, err := db.New(pool).SealedWith(t.Context(), "000000ff")
	if err != nil || !slices.Contains(places, "webhook_secret_previous.secret") {
		t.Errorf("%v, %v", places, err)
	}
}

// Every column of bytes is among those that the vault seals, or known to be none of them: a start looks through the view.
func TestSealedColumnsAreKnown(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	const open = `{cashbox.webhook_secret_previous,token.hash,api_key.secret_hash,webhook_event.body,webhook_attempt.answer,appeal_chunk.content,
		card_declined.source,card_declined.card,card_attempt.source,card_attempt.card}`
	rows, err := d.Pool.Query(t.Context(), `select c.table_name || '.' || c.column_name from information_schema.columns c
		where c.table_schema = 'public' and c.data_type = 'bytea' and c.table_name not like 'river%'
		  and not c.table_name || '.' || c.column_name = any ($1::text[])
		  and pg_get_viewdef('sealed_value'::regclass) not like '%''' || c.table_name || '.' || c.column_name || '''%'`, open)
	noError(t, err)
	unknown, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(unknown) > 0 {
		t.Errorf("neither known to be open nor in the view sealed_value: %v, %v", unknown, err)
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
