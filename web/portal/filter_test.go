package portal

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/testenv"
	"gateway.example/web/portal/view"
	"gateway.example/web/words"
)

// Where clocks are put forward at midnight, a day begins when they are: its
// list has nothing of the day before, and is called by its own date.
func TestDayWithoutMidnight(t *testing.T) {
	t.Parallel()
	english, _ := words.In("en")
	for name, c := range map[string]struct{ day, began, ended, noon string }{
		"America/Santiago": {"2026-09-06", "2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z", "2026-09-06T15:00:00Z"},
		"Atlantic/Azores":  {"2026-03-29", "2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z", "2026-03-29T12:00:00Z"},
		"Africa/Cairo":     {"2026-04-24", "2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z", "2026-04-24T10:00:00Z"},
	} {
		now := testenv.Must(time.Parse(time.RFC3339, c.noon))(t)
		v := &Visit{
			Shell: view.Shell{Words: english, Zone: testenv.Must(time.LoadLocation(name))(t), Now: now},
			R:     httptest.NewRequestWithContext(t.Context(), "GET", "/payments?from="+c.day+"&to="+c.day, nil),
		}
		a := v.Asks(List{Path: "/payments"})
		testenv.Want(t, a.Filter.From.UTC().Format(time.RFC3339), c.began, "%s: from", name)
		testenv.Want(t, a.Filter.To.UTC().Format(time.RFC3339), c.ended, "%s: to", name)
		testenv.Want(t, a.FileName("payments", now), "payments-"+c.day+"-"+c.day+".csv", "%s: the file", name)
		testenv.Want(t, v.presets(a)[0].Current, true, "%s: today is this day", name)
		for _, chip := range v.chips(a, cashboxes{}) {
			testenv.Check(t, strings.Contains(chip.Text, v.Shell.Day(now)), "%s: %s is called %q", name, v.Shell.Day(now), chip.Text)
		}
		before := testenv.Must(v.LastDay(now.AddDate(0, 0, -1).Format(time.DateOnly)))(t)
		testenv.Want(t, before.UTC().Format(time.RFC3339), c.began, "%s: the day before ended", name)
	}
}

// Where days are those of UTC, as on the page of income, a reader west of
// Greenwich is told the days that were asked for.
func TestDaysOfUTC(t *testing.T) {
	t.Parallel()
	english, _ := words.In("en")
	v := &Visit{
		Shell: view.Shell{Words: english, Zone: time.UTC, Now: time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)},
		R:     httptest.NewRequestWithContext(t.Context(), "GET", "/income?from=2026-11-20&to=2026-11-21", nil),
	}
	a := v.Asks(List{Path: IncomePath})
	for _, zone := range []string{"America/Sao_Paulo", "Asia/Kolkata"} {
		v.Shell.Zone = testenv.Must(time.LoadLocation(zone))(t)
		var said []string
		for _, chip := range v.chips(a, cashboxes{}) {
			said = append(said, chip.Text)
		}
		testenv.Want(t, strings.Join(said, ", "), "From 20\u00a0Nov, To 21\u00a0Nov", "in %s", zone)
	}
}
