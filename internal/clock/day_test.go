package clock_test

import (
	"testing"
	"time"

	"gateway.example/internal/clock"
	"gateway.example/internal/testenv"
)

// Each time of day comes when clocks in its zone show it first at or after it,
// also where they are put forward over it, west and east of Greenwich.
func TestOn(t *testing.T) {
	t.Parallel()
	for _, c := range [][4]string{
		{"Europe/Kyiv", "2026-11-20", "0s", "2026-11-20T00:00:00+02:00"},
		{"Europe/Kyiv", "2026-03-29", "3h30m", "2026-03-29T04:00:00+03:00"},
		{"Europe/Kyiv", "2026-10-25", "5h", "2026-10-25T05:00:00+02:00"},
		{"America/New_York", "2026-03-08", "2h30m", "2026-03-08T03:00:00-04:00"},
		{"America/Sao_Paulo", "2018-11-04", "0s", "2018-11-04T01:00:00-02:00"},
		{"America/Sao_Paulo", "2018-11-04", "10m", "2018-11-04T01:00:00-02:00"},
		{"America/Santiago", "2026-09-06", "0s", "2026-09-06T01:00:00-03:00"},
		{"Atlantic/Azores", "2026-03-29", "0s", "2026-03-29T01:00:00Z"},
		{"Africa/Cairo", "2026-04-24", "0s", "2026-04-24T01:00:00+03:00"},
		{"Asia/Kolkata", "2026-11-20", "30m", "2026-11-20T00:30:00+05:30"},
	} {
		zone := testenv.Must(time.LoadLocation(c[0]))(t)
		day := testenv.Must(time.Parse(time.DateOnly, c[1]))(t)
		since := testenv.Must(time.ParseDuration(c[2]))(t)
		got := clock.On(day.Year(), day.Month(), day.Day(), since, zone)
		testenv.Want(t, got.Format(time.RFC3339), c[3], "%s in %s, %s after midnight", c[1], c[0], c[2])
		if since == 0 {
			testenv.Want(t, clock.Midnight(got.Add(12*time.Hour), 0).Equal(got), true, "the midnight before noon of %s in %s", c[1], c[0])
			testenv.Want(t, clock.Midnight(got.Add(-12*time.Hour), 1).Equal(got), true, "the midnight after noon before %s in %s", c[1], c[0])
		}
	}
}
