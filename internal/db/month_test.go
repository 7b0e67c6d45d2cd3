package db_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// partitions lists a table's partitions by name.
func partitions(t *testing.T, d *dbtest.DB, table string) []string {
	t.Helper()
	rows := must(d.Pool.Query(t.Context(),
		"select inhrelid::regclass::text from pg_inherits where inhparent = $1::text::regclass order by 1", table))(t)
	return must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
}

// Months are made ahead of time and once, also by processes that do it together, and what is written goes
// to its own month.
func TestMakeMonths(t *testing.T) {
	d := setup(t)
	at := time.Now().UTC().AddDate(1, 0, 0)
	month := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
	noError(t, testenv.AtOnce(4, func(int) error { return db.MakeMonths(t.Context(), d.Pool, at) })...)
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

// A month of which rows came before its partition, since their clock was ahead, gets none, and the months after it do.
func TestMonthOfStrays(t *testing.T) {
	d := setup(t)
	at := time.Date(2040, 5, 17, 0, 0, 0, 0, time.UTC)
	d.Exec(t, `insert into payment_history (merchant_id, payment_id, at, actor, to_status)
		values (1, 1, $1, 'system', 'pending')`, at)
	noError(t, db.MakeMonths(t.Context(), d.Pool, at))
	have := partitions(t, d, "payment_history")
	if slices.Contains(have, "payment_history_2040_05") || !slices.Contains(have, "payment_history_2040_06") {
		t.Errorf("made %v", have)
	}
	if have := partitions(t, d, "transfer"); !slices.Contains(have, "transfer_2040_05") {
		t.Errorf("made %v", have)
	}
}

// What may not be changed in a table may not be changed in a month of it either, and a month has the keys of all.
func TestMonthsKeepTheirRows(t *testing.T) {
	d := setup(t)
	for _, table := range []string{"transfer", "payment_history"} {
		for _, part := range append(partitions(t, d, table), table) {
			for _, sql := range []string{"delete from " + part, "truncate " + part, "update " + part + " set id = 1"} {
				if _, err := d.Pool.Exec(t.Context(), sql); err == nil ||
					!strings.Contains(err.Error(), "append-only") {
					t.Errorf("%s: %v", sql, err)
				}
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
