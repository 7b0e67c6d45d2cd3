package notify

import (
	"testing"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/testenv"
)

// Quiet hours end when they say, also in the night in which clocks are put
// forward over their end, or back behind it; none lasts until the next day.
func TestQuietWhereClocksChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone, now   string
		from, until int16
		want        time.Duration
	}{
		{"Europe/Kyiv", "2026-11-20T23:00:00+02:00", 22 * 60, 7 * 60, 8 * time.Hour},
		{"Europe/Kyiv", "2026-11-20T06:59:00+02:00", 22 * 60, 7 * 60, time.Minute},
		{"Europe/Kyiv", "2026-11-20T07:00:00+02:00", 22 * 60, 7 * 60, 0},
		{"Europe/Kyiv", "2026-03-28T23:00:00+02:00", 22 * 60, 7 * 60, 7 * time.Hour},
		{"Europe/Kyiv", "2026-10-24T23:00:00+03:00", 22 * 60, 7 * 60, 9 * time.Hour},
		{"America/New_York", "2026-03-08T01:45:00-05:00", 22 * 60, 2*60 + 30, 15 * time.Minute},
		{"America/New_York", "2026-11-01T01:10:00-05:00", 22 * 60, 60 + 30, 20 * time.Minute},
		{"America/Santiago", "2026-09-05T23:30:00-04:00", 22 * 60, 10, 30 * time.Minute},
	} {
		now := testenv.Must(time.Parse(time.RFC3339, c.now))(t)
		got := quietFor(db.NotifyAudienceRow{Zone: c.zone, QuietFrom: &c.from, QuietUntil: &c.until}, now)
		testenv.Want(t, got, c.want, "quiet from %s in %s", c.now, c.zone)
	}
}
