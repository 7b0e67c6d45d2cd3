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
