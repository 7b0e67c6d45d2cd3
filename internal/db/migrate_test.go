package db_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
	"gateway.example/schema"
)

func TestMigrateAgainChangesNothing(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t) // migrated already
	testenv.NoError(t, insert(t.Context(), d.Queries()))
	for range 2 {
		testenv.NoError(t, db.Migrate(t.Context(), d.URL))
	}
	n := merchants(t, d)
	testenv.Need(t, n == 1, "%d merchants", n)
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
	address := testenv.Must(url.Parse(d.URL))(t)
	address.User = url.User(role)
	testenv.NoError(t, db.Migrate(ctx, address.String()))
	const months = "select count(*) from pg_inherits where inhparent = 'payment_history'::regclass"
	var before, after, others int
	d.Get(t, &before, months)
	d.Exec(t, `do $$ begin execute (select format('drop table %s', max(inhrelid::regclass::text)) from pg_inherits
		where inhparent = 'payment_history'::regclass and inhrelid::regclass::text ~ '_[0-9]{4}_[0-9]{2}$'); end $$`)
	testenv.NoError(t, db.Migrate(ctx, d.URL))
	d.Get(t, &after, months)
	d.Get(t, &others, `select count(*) from pg_class
		where relnamespace = 'public'::regnamespace and pg_get_userbyid(relowner) <> $1`, role)
	testenv.Check(t, after == before && others == 0,
		"%d months and then %d; %d tables belong to somebody else", before, after, others)
}

// Every column of bytes is among those that the vault seals, or known to be
// none of them: a start looks through the view.
func TestSealedColumnsAreKnown(t *testing.T) {
	d := setup(t)
	const open = `{session.hash,recovery_code.hash,invitation.hash,invitation.code_hash,passkey.id,api_key.secret_hash,webhook_event.body,webhook_attempt.answer,appeal_chunk.content,
		payment_receipt_chunk.content,payin_proof_chunk.content,bank.logo,cashbox.page_logo,link_picture.content,payment_link.proof,card_declined.source,card_declined.card,failure_count.counted,card_attempt.source,card_attempt.card,signing_key.public_key,
		ledger_page.root,ledger_page.totals_hash,ledger_page.previous_hash,ledger_page.hash,ledger_page.signature,ledger_part.hash,ledger_seal.salt,
		requisite.hash,requisite_slot.hash,notify_channel.mark,notify_code.hash,notify_mailed.mark}`
	unknown := d.Texts(t, `select c.table_name || '.' || c.column_name from information_schema.columns c
		join pg_class p on p.oid = c.table_name::regclass and not p.relispartition
		where c.table_schema = 'public' and c.data_type = 'bytea'
		  and not c.table_name || '.' || c.column_name = any ($1::text[])
		  and pg_get_viewdef('sealed_value'::regclass) not like '%''' || c.table_name || '.' || c.column_name || '''%'`, open)
	testenv.Check(t, len(unknown) == 0, "neither known to be open nor in the view sealed_value: %v", unknown)
}

// Replicas that start together on an empty database must not trip over each
// other.
func TestMigrateInParallel(t *testing.T) {
	t.Parallel()
	empty := dbtest.Empty(t)
	testenv.NoError(t, testenv.AtOnce(3, func(int) error { return db.Migrate(t.Context(), empty.URL) })...)
	testenv.NoError(t, insert(t.Context(), empty.Queries()))
}

// A start waits for another process that migrates, and gives up in the end,
// without a trace.
func TestMigrateWaits(t *testing.T) {
	t.Parallel()
	empty := dbtest.Empty(t)
	other := testenv.Must(pgx.Connect(t.Context(), empty.URL))(t)
	defer func() { _ = other.Close(context.Background()) }()
	tx := testenv.Must(other.Begin(t.Context()))(t)
	testenv.Must(tx.Exec(t.Context(), "select pg_advisory_xact_lock(7220714513)"))(t)
	err := db.MigrateWithin(t.Context(), empty.URL, time.Second)
	testenv.Check(t, errors.Is(err, db.ErrMigrating), "while another migrates: %v", err)
	var tables, locks int
	testenv.NoError(t, other.QueryRow(t.Context(), "select count(*) from pg_tables where schemaname = 'public'").Scan(&tables))
	testenv.NoError(t, other.QueryRow(t.Context(), `select count(*) from pg_locks
		where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`).Scan(&locks))
	testenv.Check(t, tables == 0 && locks == 1, "%d tables, %d locks", tables, locks)
	done := make(chan error)
	go func() { done <- db.Migrate(t.Context(), empty.URL) }()
	time.Sleep(100 * time.Millisecond) // it waits meanwhile
	testenv.NoError(t, tx.Commit(t.Context()))
	testenv.NoError(t, <-done)
}

// A migration does not wait long for a lock that somebody holds, so that nobody
// waits behind it, and is made again.
func TestMigrationsWaitBriefly(t *testing.T) {
	t.Parallel()
	const before = 8 // payouts are next, and a table of theirs refers to keys
	d := dbtest.At(t, before)
	holder := d.Beside(t)
	testenv.Must(holder.Exec(t.Context(), "lock table api_key in row exclusive mode"))(t)
	err := db.MigrateWithin(t.Context(), d.URL, time.Second)
	testenv.Need(t, db.IsLockTimeout(err), "while somebody writes for long: %v", err)
	testenv.Want(t, d.Count(t, "select count(*) from pg_tables where tablename = 'payin'"), 0,
		"tables of a migration that failed")
	done := make(chan error)
	go func() { done <- db.Migrate(t.Context(), d.URL) }()
	d.AwaitTries(t, 2)
	testenv.NoError(t, holder.Commit(t.Context()))
	testenv.NoError(t, <-done)
}

// blocking are the indexes that a migration makes while nobody may write what
// they are on: of tables that grow, unless it makes the table itself.
func blocking(migration string) (indexes []string) {
	// Settings, who may sign in, what is proposed, and one row for each
	// amount of a requisite.
	small := map[string]bool{
		"card_conflict": true, "app_user": true, "setting_change": true, "requisite": true, "requisite_slot": true,
		"proposal": true,
	}
	for _, found := range createIndex.FindAllStringSubmatch(migration, -1) {
		made := strings.Contains(migration, "create table "+found[2]+" (")
		if found[1] == "" && !made && !small[found[2]] {
			indexes = append(indexes, found[0])
		}
	}
	return indexes
}

var createIndex = regexp.MustCompile(
	`(?i)create\s+(?:unique\s+)?index\s+(concurrently\s+)?(?:if\s+not\s+exists\s+)?\w+\s+on\s+(?:only\s+)?(\w+)`,
)

// Indexes on tables that grow are built beside those who write, from the first
// migration after the baseline on.
func TestIndexesAreBuiltConcurrently(t *testing.T) {
	t.Parallel()
	const first = "00017"
	files := testenv.Must(schema.FS.ReadDir("."))(t)
	for _, file := range files {
		if file.Name() < first {
			continue
		}
		text := testenv.Must(schema.FS.ReadFile(file.Name()))(t)
		for _, index := range blocking(string(text)) {
			t.Errorf("%s: %s keeps those from writing who use the table: build it concurrently", file.Name(), index)
		}
	}
	const migration = `create table new (id bigint);
		create index new_idx on new (id);
		create index app_user_idx on app_user (zone);
		create index concurrently payment_idx on payment (bank);
		CREATE UNIQUE INDEX IF NOT EXISTS payin_idx ON ONLY payin (bank);`
	found := strings.Join(blocking(migration), "\n")
	testenv.Want(t, found, "CREATE UNIQUE INDEX IF NOT EXISTS payin_idx ON ONLY payin", "indexes that block")
}

// partitions lists a table's partitions by name.
func partitions(t *testing.T, d *dbtest.DB, table string) []string {
	t.Helper()
	return d.Texts(t, "select inhrelid::regclass::text from pg_inherits where inhparent = $1::text::regclass order by 1", table)
}

// Months are made ahead of time and once, also by processes that do it
// together, and what is written goes to its own month.
func TestMakeMonths(t *testing.T) {
	d := setup(t)
	at := time.Now().UTC().AddDate(1, 0, 0)
	month := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
	testenv.NoError(t, testenv.AtOnce(4, func(int) error { return db.MakeMonths(t.Context(), d.Pool, at) })...)
	for _, table := range []string{"transfer", "payment_history", "webhook_attempt", "webhook_event"} {
		have := partitions(t, d, table)
		for ahead := range 3 {
			want := table + month.AddDate(0, ahead, 0).Format("_2006_01")
			testenv.Check(t, slices.Contains(have, want), "%s has no partition %s, only %v", table, want, have)
		}
	}
	if dbtest.OnCitus() {
		return // a row does not say there which partition it is in
	}
	in := func(sql string, args ...any) string {
		return d.Text(t, sql+" returning tableoid::regclass::text", args...)
	}
	const transfer = `insert into transfer (debit_account, credit_account, amount, kind, subject, subject_id, created_at)
		values (1, 2, 1, 'hold', 'payment', 1, $1)`
	const event = `insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
		values (1, $1, 1, 'x', 'payment', 1, $2, 'https://shop.example', '', now())`
	last := month.AddDate(0, 1, 0).Add(-time.Millisecond)
	suffix := month.Format("_2006_01")
	for i, c := range []struct {
		at   time.Time
		want string
	}{
		{month.Add(-time.Millisecond), "_other"},
		{month, suffix},
		{last, suffix},
		{last.Add(time.Millisecond), month.AddDate(0, 1, 0).Format("_2006_01")},
		{time.Now().AddDate(-5, 0, 0), "_first"},
	} {
		testenv.Want(t, in(transfer, c.at), "transfer"+c.want, "a transfer of %s is in", c.at)
		id := uuid.Must(uuid.NewV7())
		for i, ms := 5, c.at.UnixMilli(); i >= 0; i, ms = i-1, ms>>8 {
			id[i] = byte(ms)
		}
		testenv.Want(t, in(event, id, i), "webhook_event"+c.want, "an event of %s is in", c.at)
	}
}

// A month of which rows came before its partition, since their clock was ahead,
// gets none, and the months after it do.
func TestMonthOfStrays(t *testing.T) {
	d := setup(t)
	at := time.Date(2040, 5, 17, 0, 0, 0, 0, time.UTC)
	d.Exec(t, `insert into payment_history (merchant_id, payment_id, at, actor, to_status)
		values (1, 1, $1, 'system', 'pending')`, at)
	testenv.NoError(t, db.MakeMonths(t.Context(), d.Pool, at))
	have := partitions(t, d, "payment_history")
	testenv.Check(t, !slices.Contains(have, "payment_history_2040_05") &&
		slices.Contains(have, "payment_history_2040_06"), "made %v", have)
	have = partitions(t, d, "transfer")
	testenv.Check(t, slices.Contains(have, "transfer_2040_05"), "made %v", have)
}

// What may not be changed in a table may not be changed in a month of it
// either, and a month has the keys of all.
func TestMonthsKeepTheirRows(t *testing.T) {
	d := setup(t)
	for _, table := range []string{"transfer", "payment_history"} {
		for _, part := range append(partitions(t, d, table), table) {
			for _, sql := range []string{"delete from " + part, "truncate " + part, "update " + part + " set id = 1"} {
				_, err := d.Pool.Exec(t.Context(), sql)
				testenv.Check(t, err != nil && strings.Contains(err.Error(), "append-only"), "%s: %v", sql, err)
			}
		}
	}
	for table, keys := range map[string]int{"transfer": 1, "payment_history": 1, "webhook_attempt": 1, "webhook_event": 3} {
		for _, part := range partitions(t, d, table) {
			unique := d.Count(t, "select count(*) from pg_index where indrelid = $1::text::regclass and indisunique",
				part)
			testenv.Want(t, unique, keys, "unique indexes of %s", part)
		}
	}
}

// A migration that takes away or changes what an older program uses says so, so
// that the older one refuses the database.
func TestMigrationsThatBreakSaySo(t *testing.T) {
	t.Parallel()
	files := testenv.Must(fs.Glob(schema.FS, "*.sql"))(t)
	breaks := regexp.MustCompile(`(?im)^[^-\n]*\b(drop\s+(table|column|view|function)|rename\s+(to|column)|alter\s+column\s+\w+\s+(type|set\s+not\s+null))\b`)
	const first = "00060_floor.sql" // those before it had no way to say so
	for _, file := range files[slices.Index(files, first):] {
		content := string(testenv.Must(schema.FS.ReadFile(file))(t))
		testenv.Check(t, !breaks.MatchString(content) || strings.Contains(content, "update schema_floor"),
			"%s does more than add and does not raise schema_floor", file)
	}
	testenv.Check(t, breaks.MatchString("alter table a\n    drop column b;"), "a column that is dropped is not seen")
}
