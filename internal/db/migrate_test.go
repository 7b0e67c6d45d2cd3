package db_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
	"gateway.example/schema"
)

func TestMigrateAgainChangesNothing(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t) // migrated already
	ctx := context.Background()
	noError(t, insert(ctx, d.Queries()))
	for range 2 {
		noError(t, db.Migrate(ctx, d.URL))
	}
	if n := merchants(t, d); n != 1 {
		t.Fatalf("%d merchants", n)
	}
}

// What an administrator's migration makes belongs to whom the rest belongs.
func TestMigrateAsAnother(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := dbtest.Empty(t)
	role := "keeper_" + strings.ToLower(rand.Text())
	for _, sql := range []string{
		"create role " + role + " login",
		"do $$ begin execute format('alter database %I owner to " + role + "', current_database()); end $$",
	} {
		d.Exec(t, sql)
	}
	t.Cleanup(func() {
		for _, sql := range []string{"reassign owned by " + role + " to postgres", "drop role " + role} {
			d.Exec(t, sql)
		}
	})
	address, err := url.Parse(d.URL)
	noError(t, err)
	address.User = url.User(role)
	noError(t, db.Migrate(ctx, address.String()))
	const months = "select count(*) from pg_inherits where inhparent = 'payment_history'::regclass"
	var before, after, others int
	d.Get(t, &before, months)
	d.Exec(t, `do $$ begin execute (select format('drop table %s', max(inhrelid::regclass::text)) from pg_inherits
		where inhparent = 'payment_history'::regclass and inhrelid::regclass::text ~ '_[0-9]{4}_[0-9]{2}$'); end $$`)
	noError(t, db.Migrate(ctx, d.URL))
	d.Get(t, &after, months)
	d.Get(t, &others, `select count(*) from pg_class
		where relnamespace = 'public'::regnamespace and pg_get_userbyid(relowner) <> $1`, role)
	if after != before || others != 0 {
		t.Errorf("%d months and then %d; %d tables belong to somebody else", before, after, others)
	}
}

// A database in which the accounts of the platform and of the world outside were opened by hand
// keeps what is on them.
func TestMigrateKeepsAccounts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	d := dbtest.At(t, 20)
	d.Exec(t,
		"insert into account (id, owner_kind, owner_id, purpose, balance) values (2, 'platform', 0, 'available', 7)")
	noError(t, db.Migrate(ctx, d.URL))
	var accounts, kept int
	err := d.Pool.QueryRow(ctx, "select count(*), sum(balance) from account_balance").Scan(&accounts, &kept)
	if err != nil || accounts != 4 || kept != 7 {
		t.Errorf("%d accounts with %d, %v", accounts, kept, err)
	}
}

// What was sealed before keys were noted is found, and so is the secret that still signs besides.
func TestMigrateNotesKeys(t *testing.T) {
	t.Parallel()
	d := dbtest.At(t, 21)
	d.Exec(t, `with m as (insert into merchant (name, created_at) values ('Shop', now()) returning id)
		insert into cashbox (merchant_id, name, currency, webhook_secret, webhook_secret_previous, webhook_secret_previous_until, created_at)
		select id, 'Shop', 'RUB', '\x01aabbccdd0011'::bytea, '\x01000000ff0011'::bytea, now() + interval '1 hour', now() from m
		union all select id, 'Shop', 'RUB', '', null, null, now() from m
		union all select id, 'Shop', 'RUB', 'garbage', null, null, now() from m`)
	noError(t, db.Migrate(t.Context(), d.URL))
	needed, err := d.Queries().SecretKeyNeeded(t.Context(), dbtest.Start)
	noError(t, err)
	want := []db.SecretKeyNeededRow{
		{Purpose: "vault", Fingerprint: "000000ff"},
		{Purpose: "vault", Fingerprint: "aabbccdd"},
	}
	if !slices.Equal(needed, want) {
		t.Errorf("needed: %v", needed)
	}
	counted, err := d.Queries().SealedCount(t.Context())
	previous := db.SealedCountRow{Fingerprint: "000000ff", Place: "webhook_secret_previous.secret", Sealed: 1}
	if err != nil || !slices.Contains(counted, previous) {
		t.Errorf("%v, %v", counted, err)
	}
}

// Every column of bytes is among those that the vault seals, or known to be none of them: a start
// looks through the view.
func TestSealedColumnsAreKnown(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	const open = `{session.hash,recovery_code.hash,invitation.hash,passkey.id,api_key.secret_hash,webhook_event.body,webhook_attempt.answer,appeal_chunk.content,
		payment_receipt_chunk.content,bank.logo,card_declined.source,card_declined.card,failure_count.counted,card_attempt.source,card_attempt.card,signing_key.public_key,
		ledger_page.root,ledger_page.totals_hash,ledger_page.previous_hash,ledger_page.hash,ledger_page.signature,ledger_part.hash,ledger_seal.salt,
		requisite.hash,requisite_slot.hash}`
	rows, err := d.Pool.Query(
		t.Context(),
		`select c.table_name || '.' || c.column_name from information_schema.columns c
		join pg_class p on p.oid = c.table_name::regclass and not p.relispartition
		where c.table_schema = 'public' and c.data_type = 'bytea'
		  and not c.table_name || '.' || c.column_name = any ($1::text[])
		  and pg_get_viewdef('sealed_value'::regclass) not like '%''' || c.table_name || '.' || c.column_name || '''%'`,
		open,
	)
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
	empty := dbtest.Empty(t)
	var replicas sync.WaitGroup
	errs := make([]error, 3)
	for i := range errs {
		replicas.Go(func() { errs[i] = db.Migrate(ctx, empty.URL) })
	}
	replicas.Wait()
	noError(t, errors.Join(errs...))
	noError(t, insert(ctx, empty.Queries()))
}

// A start waits for another process that migrates, and gives up in the end, without a trace.
func TestMigrateWaits(t *testing.T) {
	t.Parallel()
	empty := dbtest.Empty(t)
	other, err := pgx.Connect(t.Context(), empty.URL)
	noError(t, err)
	defer func() { _ = other.Close(context.Background()) }()
	tx, err := other.Begin(t.Context())
	noError(t, err)
	_, err = tx.Exec(t.Context(), "select pg_advisory_xact_lock(7220714513)")
	noError(t, err)
	if err := db.MigrateWithin(t.Context(), empty.URL, time.Second); !errors.Is(err, db.ErrMigrating) {
		t.Errorf("while another migrates: %v", err)
	}
	var tables, locks int
	noError(t, other.QueryRow(t.Context(), "select count(*) from pg_tables where schemaname = 'public'").Scan(&tables))
	noError(t, other.QueryRow(t.Context(), `select count(*) from pg_locks
		where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`).Scan(&locks))
	if tables != 0 || locks != 1 {
		t.Errorf("%d tables, %d locks", tables, locks)
	}
	done := make(chan error)
	go func() { done <- db.Migrate(t.Context(), empty.URL) }()
	time.Sleep(100 * time.Millisecond) // it waits meanwhile
	noError(t, tx.Commit(t.Context()))
	noError(t, <-done)
}

// A migration does not wait long for a lock that somebody holds, so that nobody waits behind it, and is made again.
func TestMigrationsWaitBriefly(t *testing.T) {
	t.Parallel()
	const before = 95
	d := dbtest.At(t, before)
	beside, err := pgx.Connect(t.Context(), d.URL)
	noError(t, err)
	defer func() { _ = beside.Close(context.Background()) }()
	holder, err := beside.Begin(t.Context())
	noError(t, err)
	_, err = holder.Exec(t.Context(), "select count(*) from payment_step")
	noError(t, err)
	if err := db.MigrateWithin(t.Context(), d.URL, time.Second); !db.IsLockTimeout(err) {
		t.Fatalf("while somebody reads for long: %v", err)
	}
	testenv.Want(
		t,
		d.Count(t, "select count(*) from pg_tables where tablename = 'serving'"),
		0,
		"tables of a migration that failed",
	)
	done := make(chan error)
	go func() { done <- db.Migrate(t.Context(), d.URL) }()
	d.AwaitTries(t, 2)
	noError(t, holder.Commit(t.Context()))
	noError(t, <-done)
}

// Where no event is of a month to come, the partitions of months are made without reading the ids of all events.
func TestMonthsReadNoEvents(t *testing.T) {
	t.Parallel()
	const before = 91
	d := dbtest.At(t, before)
	d.Exec(
		t,
		`insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
		select n, event_id_from(now()), 1, 'payment.status.updated', 'payment', n, 1, 'https://shop.example/', '', now()
		from generate_series(1, 1000) n`,
	)
	noError(t, db.Migrate(t.Context(), d.URL))
	const read = `select seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_user_tables where relname = 'webhook_event_first'`
	// A later migration reads them once, beside those who write.
	testenv.Want(t, d.Count(t, read), 1000, "events read")
}

// Indexes on tables that grow are built beside those who write, from the migration on that is named here. What a migration makes
// itself is empty.
func TestIndexesAreBuiltConcurrently(t *testing.T) {
	t.Parallel()
	const first = "00094"
	// Settings, who may sign in, and one row for each amount of a requisite.
	small := map[string]bool{
		"card_conflict": true, "app_user": true, "setting_change": true, "requisite": true, "requisite_slot": true,
	}
	// No release has filled the table yet.
	const before = "create index payment_requisite_clear_idx on payment"
	files, err := schema.FS.ReadDir(".")
	noError(t, err)
	index := regexp.MustCompile(
		`(?i)create\s+(?:unique\s+)?index\s+(concurrently\s+)?(?:if\s+not\s+exists\s+)?\w+\s+on\s+(?:only\s+)?(\w+)`,
	)
	looked := 0
	for _, file := range files {
		if file.Name() < first {
			continue
		}
		text, err := schema.FS.ReadFile(file.Name())
		noError(t, err)
		looked++
		for _, found := range index.FindAllStringSubmatch(string(text), -1) {
			made := strings.Contains(string(text), "create table "+found[2]+" (")
			if found[1] == "" && !made && !small[found[2]] && found[0] != before {
				t.Errorf(
					"%s: %s keeps those from writing who use %s: build it concurrently",
					file.Name(),
					found[0],
					found[2],
				)
			}
		}
	}
	if looked == 0 {
		t.Error("no migration was looked at")
	}
}
