package webhook

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/db"
)

// Attempts go by whole months when they have been kept long enough, and those of no month one by one.
// Each removal leaves a line in the log, and the events stay.
func TestPurgeAttempts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	event := b.event(b.merchant, "https://shop.example")
	noError(t, event.Insert().Run(t.Context(), b.Queries()))
	month := time.Date(2041, 3, 1, 0, 0, 0, 0, time.UTC)
	noError(t, db.MakeMonths(t.Context(), b.Pool, month))
	attempt := func(at time.Time) {
		_, err := b.Pool.Exec(t.Context(),
			"insert into webhook_attempt (merchant_id, event_id, at, duration_ms) values ($1, $2, $3, 1)",
			b.merchant.ID, event.ID, at)
		noError(t, err)
	}
	stray := time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC) // in no month that has a partition
	for _, at := range []time.Time{time.Now(), stray, stray, month, month.AddDate(0, 1, -1), month.AddDate(0, 1, 0)} {
		attempt(at)
	}
	const keep = 90 * 24 * time.Hour
	now := month.AddDate(0, 1, 0).Add(keep)
	noError(t, PurgeAttempts(t.Context(), b.Pool, now.Add(-time.Millisecond), keep))
	left := func() int { return b.count(t, "select count(*) from webhook_attempt") }
	if got := left(); got != 3 {
		t.Fatalf("%d attempts are left, want those of both months", got)
	}
	noError(t, PurgeAttempts(t.Context(), b.Pool, now, keep))
	if got := left(); got != 1 {
		t.Fatalf("%d attempts are left, want that of the second month", got)
	}
	if got := b.count(t, "select sum((after ->> 'count')::int) from setting_change where subject = 'purge'"); got != 5 {
		t.Errorf("the receipts speak of %d attempts", got)
	}
	if got := b.count(t, "select count(*) from webhook_event where id = '"+event.ID.String()+"'"); got != 1 ||
		event.ID == uuid.Nil {
		t.Error("the event is gone")
	}
	// The next attempt is kept as ever.
	attempt(time.Now())
	if got := left(); got != 2 {
		t.Errorf("%d attempts", got)
	}
}
