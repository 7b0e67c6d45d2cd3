package webhook

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// read counts the rows of events that the pool's one connection has read so far.
func read(t *testing.T, pool *pgxpool.Pool) int64 {
	t.Helper()
	for _, sql := range []string{"select pg_stat_force_next_flush()", "select pg_stat_clear_snapshot()"} {
		_, err := pool.Exec(t.Context(), sql)
		noError(t, err)
	}
	var rows int64
	noError(t, pool.QueryRow(t.Context(),
		"select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = 'webhook_event'").Scan(&rows))
	return rows
}

// Asking for the few events in one status reads those, and not all the others a merchant has.
func TestFeedByStatusReadsOnlyThose(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Pool.Exec(t.Context(), `insert into webhook_event
		(merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at, status, number)
		select $1, gen_random_uuid(), $2, 'payment.status.updated', 'payment', n, 1, 'https://shop.example', '{}', now(),
			case when n % 1000 = 0 then 'dead' else 'delivered' end, n
		from generate_series(1, 5000) n`, b.merchant.ID, b.merchant.CashboxID)
	noError(t, err)
	_, err = b.Pool.Exec(t.Context(), "update webhook_relay set last_number = 5000")
	noError(t, err)
	_, err = b.Pool.Exec(t.Context(), "analyze webhook_event")
	noError(t, err)
	pool, err := db.Open(t.Context(), b.URL, 1, db.ForCommands)
	noError(t, err)
	defer pool.Close()
	events := NewEvents(db.OnePool(pool), b.vault, b.clock)
	dead, pending, limit := statusDead, statusPending, int32(3)
	before := read(t, pool)
	for range 10 { // more often than a plan is made anew for each call
		page := FeedPage{Status: &dead, Limit: &limit}
		var found int
		for range 3 {
			list, cursor, err := events.List(t.Context(), portal(b.merchant.ID), page)
			noError(t, err)
			found, page.Cursor = found+len(list), cursor
			for _, event := range list {
				if event.Status != dead {
					t.Errorf("a %s event", event.Status)
				}
			}
		}
		if found != 5 {
			t.Errorf("found %d", found)
		}
		if list, _, err := events.List(t.Context(), portal(b.merchant.ID), FeedPage{Status: &pending}); err != nil ||
			len(list) != 0 {
			t.Errorf("pending: %d, %v", len(list), err)
		}
	}
	if rows := read(t, pool) - before; rows > 200 {
		t.Errorf("read %d rows for the same five, ten times", rows)
	}
}

// A cursor beyond the last event is of the time before a restore. Going on from it would leave out what
// comes next, so it is refused.
func TestFeedRefusesCursorBeyond(t *testing.T) {
	t.Parallel()
	b := setup(t)
	events := NewEvents(b.Pools(), b.vault, b.clock)
	for last, want := range []string{"cursor", ""} {
		_, err := b.Pool.Exec(t.Context(), "update webhook_relay set last_number = $1", last)
		noError(t, err)
		cursor, status := "1", statusDead
		for _, page := range []FeedPage{{Cursor: &cursor}, {Cursor: &cursor, Status: &status}} {
			_, next, err := events.List(t.Context(), portal(b.merchant.ID), page)
			var found *fault.Error
			if errors.As(err, &found); want == "" && (err != nil || *next != cursor) ||
				want != "" && (found == nil || len(found.Fields[want]) != 1) {
				t.Errorf("after number %d the cursor 1 is answered with %v", last, err)
			}
		}
	}
}
