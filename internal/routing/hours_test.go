package routing

import (
	"testing"
	"time"

	"gateway.example/internal/db"
)

// moscow is three hours ahead of UTC, and Baku four.
func TestOpensAt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, until, ownFrom, ownUntil, zone, now, want string
	}{
		"today":                        {"18:00", "20:00", "", "", "UTC", "20T12:00", "20T15:00"},
		"tomorrow":                     {"09:00", "12:00", "", "", "UTC", "20T12:00", "21T06:00"},
		"own, in their zone":           {"", "", "17:00", "20:00", "Asia/Baku", "20T12:00", "20T13:00"},
		"both: the later begin":        {"09:00", "20:00", "12:00", "14:00", "Europe/Moscow", "20T01:00", "20T09:00"},
		"both: the operators' later":   {"15:00", "20:00", "09:00", "18:00", "Europe/Moscow", "20T01:00", "20T12:00"},
		"over midnight":                {"22:00", "06:00", "02:00", "04:00", "Europe/Moscow", "20T12:00", "20T23:00"},
		"own within none of the other": {"09:00", "12:00", "13:00", "14:00", "Europe/Moscow", "20T12:00", "never"},
	} {
		r := NewRequisites()
		row := plain(1)
		row.TimeZone, row.OwnTimeZone = "Europe/Moscow", c.zone
		row.WorkFrom, row.WorkUntil, row.OwnWorkFrom, row.OwnWorkUntil = sec(c.from), sec(c.until), sec(
			c.ownFrom,
		), sec(c.ownUntil)
		r.Renew(
			&Renewal{traders: []db.TradersSinceRow{{ID: 1, Enabled: true}}, requisites: []db.RequisitesSinceRow{row}},
		)
		got := "never"
		if at := r.known[1].opensAt(when(t, c.now)); at != nil {
			got = at.UTC().Format("02T15:04")
		}
		if got != c.want {
			t.Errorf("%s: opens at %s, want %s", name, got, c.want)
		}
	}
}

func sec(clock string) string {
	if clock == "" {
		return ""
	}
	return clock + ":00"
}

// when is a time of November 2026.
func when(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04", "2026-11-"+text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Both hours hold, each in its zone, and who sleeps wakes when either begins.
func TestOwnHours(t *testing.T) {
	t.Parallel()
	r := pooled(1)
	row := plain(1)
	row.WorkFrom, row.WorkUntil = "10:00:00", "14:00:00"
	row.OwnWorkFrom, row.OwnWorkUntil, row.OwnTimeZone = "15:30:00", "20:00:00", "Europe/Moscow" // 12:30 to 17:00 in UTC
	r.Renew(&Renewal{requisites: []db.RequisitesSinceRow{row}})
	wantIDs(t, r.taken(1, when(t, "20T11:00")))
	wantIDs(t, r.taken(1, when(t, "20T12:29")))
	wantIDs(t, r.taken(1, when(t, "20T12:30")), 1)
	wantIDs(t, r.taken(1, when(t, "20T13:59")), 1)
	wantIDs(t, r.taken(1, when(t, "20T14:00")))
	wantIDs(t, r.taken(1, when(t, "20T16:00")))
}

// A break and a switch of the trader's own keep payments away until they end.
func TestBreakAndOwnSwitch(t *testing.T) {
	t.Parallel()
	r := pooled(2)
	off := plain(1)
	off.OwnOff = true
	r.Renew(&Renewal{requisites: []db.RequisitesSinceRow{off}})
	wantIDs(t, r.taken(2, noon), 2, 2)
	r.Renew(&Renewal{requisites: []db.RequisitesSinceRow{plain(1)}})
	wantIDs(t, r.taken(1, noon.Add(time.Second)), 1)
	r.Renew(&Renewal{traders: []db.TradersSinceRow{{ID: 1, Enabled: true, OnBreak: true}}})
	wantIDs(t, r.taken(1, noon.Add(2*time.Second)))
	for _, c := range r.candidates(wanted(noon), 100) {
		if c.DroppedBy != TraderBreak {
			t.Errorf("%d is dropped by %q", c.ID, c.DroppedBy)
		}
	}
	r.Renew(&Renewal{traders: []db.TradersSinceRow{{ID: 1, Enabled: true}}})
	if got := r.taken(2, noon.Add(3*time.Second)); len(got) != 2 {
		t.Errorf("after the break %v", got)
	}
}
