package routing

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/testenv"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// pooled is a memory of requisites 1 to count, all of one pool and of trader 1,
// each used a minute after the one before.
func pooled(count int64) *Requisites {
	r := NewRequisites()
	n := &Renewal{traders: []db.TradersSinceRow{{ID: 1, Enabled: true}}}
	for id := range count {
		n.requisites = append(n.requisites, plain(id+1))
	}
	r.Renew(n)
	return r
}

func plain(id int64) db.RequisitesSinceRow {
	return db.RequisitesSinceRow{
		ID: id, TraderID: 1, Currency: "RUB", Method: "sbp", Enabled: true, TimeZone: "UTC", Weight: 1,
		MaxAmount: decimal.NewFromInt(1000), UsedAt: noon.Add(time.Duration(id-1000) * time.Minute),
	}
}

func wanted(at time.Time) Want {
	return Want{Currency: "RUB", Method: "sbp", Amount: decimal.NewFromInt(100), Now: at}
}

// taken are the next so many that payments get.
func (r *Requisites) taken(count int, at time.Time) (ids []int64) {
	for range count {
		if c := r.next(wanted(at)); c != nil {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func wantIDs(t *testing.T, got []int64, want ...int64) {
	t.Helper()
	testenv.Check(t, slices.Equal(got, want), "%v, want %v", got, want)
}

// Whoever is switched off and on again has the place of their last use, and one
// that was tried in vain has the place it had.
func TestOrder(t *testing.T) {
	t.Parallel()
	r := pooled(5)
	off, on := plain(2), plain(2)
	off.Enabled = false
	r.Renew(&Renewal{requisites: []db.RequisitesSinceRow{off}})
	wantIDs(t, r.taken(2, noon), 1, 3)
	r.Renew(&Renewal{requisites: []db.RequisitesSinceRow{on}})
	wantIDs(t, r.taken(1, noon.Add(time.Second)), 2)
	first := r.next(wanted(noon.Add(2 * time.Second)))
	r.putBack(*first)
	wantIDs(t, r.taken(5, noon.Add(3*time.Second)), 4, 5, 1, 3, 2)

	r.Renew(&Renewal{traders: []db.TradersSinceRow{{ID: 1}}})
	wantIDs(t, r.taken(1, noon.Add(4*time.Second)))
	r.Renew(&Renewal{traders: []db.TradersSinceRow{{ID: 1, Enabled: true}}})
	testenv.Want(t, len(r.taken(5, noon.Add(5*time.Second))), 5, "of five requisites, back")
}

// Among those used equally long ago, as all are that were never used, the
// heavier comes first, also when it was switched off meanwhile, outside its
// hours, or tried in vain.
func TestOrderOfEquals(t *testing.T) {
	t.Parallel()
	row := func(id int64, weight int32) db.RequisitesSinceRow {
		row := plain(id)
		row.Weight, row.UsedAt = weight, time.Unix(0, 0)
		return row
	}
	for name, meanwhile := range map[string]func(r *Requisites){
		"nothing": func(*Requisites) {},
		"switched off": func(r *Requisites) {
			off := row(2, 5)
			off.Enabled = false
			r.Renew(&Renewal{requisites: []db.RequisitesSinceRow{off}})
			r.Renew(&Renewal{requisites: []db.RequisitesSinceRow{row(2, 5)}})
		},
		"a break": func(r *Requisites) {
			r.Renew(&Renewal{traders: []db.TradersSinceRow{{ID: 1, Enabled: true, OnBreak: true}}})
			r.Renew(&Renewal{traders: []db.TradersSinceRow{{ID: 1, Enabled: true}}})
		},
		"asleep": func(r *Requisites) {
			night := row(2, 5)
			night.WorkFrom, night.WorkUntil = "12:00:00", "06:00:00"
			r.Renew(&Renewal{requisites: []db.RequisitesSinceRow{night}})
			tried := r.next(wanted(noon.Add(-time.Minute)))
			r.putBack(*tried)
		},
		"tried in vain": func(r *Requisites) {
			tried := r.next(wanted(noon))
			r.putBack(*tried)
		},
	} {
		r := NewRequisites()
		r.Renew(&Renewal{
			traders:    []db.TradersSinceRow{{ID: 1, Enabled: true}},
			requisites: []db.RequisitesSinceRow{row(1, 1), row(2, 5), row(3, 1), row(4, 3)},
		})
		meanwhile(r)
		got := r.taken(4, noon)
		testenv.Check(t, slices.Equal(got, []int64{2, 4, 1, 3}), "%s: in the order %v", name, got)
	}
}

// A requisite outside its hours stands apart until they begin, and again after
// they have ended; one whose hours are changed has its place at once.
func TestHours(t *testing.T) {
	t.Parallel()
	for _, sleepers := range []int64{1, sortOver + 10} {
		t.Run(fmt.Sprint(sleepers), func(t *testing.T) {
			t.Parallel()
			r := pooled(sleepers + 1)
			n := &Renewal{}
			for id := range sleepers {
				row := plain(id + 1)
				row.WorkFrom, row.WorkUntil = "14:30:00", "16:00:00"
				n.requisites = append(n.requisites, row)
			}
			r.Renew(n)
			last := sleepers + 1
			wantIDs(t, r.taken(2, noon), last, last)
			p := r.pools[poolKey{"RUB", "sbp"}]
			testenv.Check(t, p.on.Len() == 1 && int64(p.off.Len()) == sleepers, "%d on, %d off", p.on.Len(), p.off.Len())
			wantIDs(t, r.taken(1, noon.Add(150*time.Minute-time.Second)), last)
			wantIDs(t, r.taken(1, noon.Add(150*time.Minute)), 1)
			wantIDs(t, r.taken(1, noon.Add(4*time.Hour)), last)
			changed := plain(1)
			r.Renew(&Renewal{requisites: []db.RequisitesSinceRow{changed}})
			wantIDs(t, r.taken(1, noon.Add(4*time.Hour+time.Second)), 1)
			// The clock goes round: the next day they work again.
			got := r.taken(int(last), noon.Add(27*time.Hour))
			testenv.Check(t, slices.Contains(got, sleepers), "the next day %v", got)
		})
	}
}

// Hours that begin soon after midnight begin then for who fell asleep before
// it, too.
func TestHoursAfterMidnight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, falls, before, begins string }{
		{"UTC", "20T23:30", "20T23:59", "21T00:00"},
		{"Asia/Kolkata", "20T18:00", "20T18:29", "20T18:30"},
		{"America/Sao_Paulo", "21T02:10", "21T02:59", "21T03:00"},
	} {
		r := pooled(2)
		row := plain(1)
		row.TimeZone, row.WorkFrom, row.WorkUntil = c.zone, "00:00:00", "20:00:00"
		r.Renew(&Renewal{requisites: []db.RequisitesSinceRow{row}})
		wantIDs(t, r.taken(1, when(t, c.falls)), 2)
		wantIDs(t, r.taken(1, when(t, c.before)), 2)
		wantIDs(t, r.taken(1, when(t, c.begins)), 1)
	}
}

// All are told of that explain a choice, those that stand apart last.
func TestApartIsExplained(t *testing.T) {
	t.Parallel()
	r := pooled(3)
	off := plain(1)
	off.Enabled = false
	r.Renew(&Renewal{requisites: []db.RequisitesSinceRow{off}})
	var ids []int64
	for _, c := range r.candidates(wanted(noon), 100) {
		ids = append(ids, c.ID)
		testenv.Want(t, c.DroppedBy == RequisiteOff, c.ID == 1, "%d is dropped by %q", c.ID, c.DroppedBy)
	}
	wantIDs(t, ids, 2, 3, 1)
}

// testdata/opens.txt says what it is about.
func TestOpensAt(t *testing.T) {
	t.Parallel()
	hours := func(cell string) (from, until string) {
		if from, until, set := strings.Cut(cell, " "); set {
			return from + ":00", until + ":00"
		}
		return "", ""
	}
	for _, c := range testenv.Rows(t, "opens.txt") {
		r, row := NewRequisites(), plain(1)
		row.TimeZone, row.OwnTimeZone = "Europe/Moscow", c[3]
		row.WorkFrom, row.WorkUntil = hours(c[1])
		row.OwnWorkFrom, row.OwnWorkUntil = hours(c[2])
		r.Renew(&Renewal{traders: []db.TradersSinceRow{{ID: 1, Enabled: true}}, requisites: []db.RequisitesSinceRow{row}})
		got := "never"
		if at := r.known[1].opensAt(when(t, c[4])); at != nil {
			got = at.UTC().Format("02T15:04")
		}
		testenv.Want(t, got, c[5], "%s: opens at", c[0])
	}
}

// In the night in which clocks are put forward hours begin, and a day of limits
// ends, when they are, if it is over that time of day.
func TestHoursWhereClocksChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, from, now, opens, ends string }{
		{"America/New_York", "02:30:00", "2026-03-08T06:00:00Z", "2026-03-08T07:00:00Z", "2026-03-09T04:00:00Z"},
		{"Europe/Kyiv", "03:30:00", "2026-03-29T00:10:00Z", "2026-03-29T01:00:00Z", "2026-03-29T21:00:00Z"},
		{"America/Santiago", "00:00:00", "2026-09-06T02:30:00Z", "2026-09-06T04:00:00Z", "2026-09-06T04:00:00Z"},
	} {
		r, row := NewRequisites(), plain(1)
		row.TimeZone, row.WorkFrom, row.WorkUntil = c.zone, c.from, "20:00:00"
		r.Renew(&Renewal{traders: []db.TradersSinceRow{{ID: 1, Enabled: true}}, requisites: []db.RequisitesSinceRow{row}})
		now := testenv.Must(time.Parse(time.RFC3339, c.now))(t)
		opens := r.known[1].opensAt(now)
		testenv.Need(t, opens != nil, "%s: never opens", c.zone)
		testenv.Want(t, opens.UTC().Format(time.RFC3339), c.opens, "%s: opens at", c.zone)
		testenv.Want(t, r.known[1].dayEnds(now).UTC().Format(time.RFC3339), c.ends, "%s: the day ends", c.zone)
		wantIDs(t, r.taken(1, opens.Add(-time.Minute)))
		wantIDs(t, r.taken(1, *opens), 1)
	}
}

// when is a time of November 2026.
func when(t *testing.T, text string) time.Time {
	t.Helper()
	return testenv.Must(time.Parse("2006-01-02T15:04", "2026-11-"+text))(t)
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
	night := plain(1)
	night.WorkFrom, night.WorkUntil = "22:00:00", "06:00:00" // over midnight
	r.Renew(&Renewal{requisites: []db.RequisitesSinceRow{night}})
	wantIDs(t, r.taken(1, when(t, "20T21:59")))
	wantIDs(t, r.taken(1, when(t, "20T22:00")), 1)
	wantIDs(t, r.taken(1, when(t, "21T05:59")), 1)
	wantIDs(t, r.taken(1, when(t, "21T06:00")))
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
		testenv.Want(t, c.DroppedBy, TraderBreak, "%d is dropped by", c.ID)
	}
	r.Renew(&Renewal{traders: []db.TradersSinceRow{{ID: 1, Enabled: true}}})
	testenv.Want(t, len(r.taken(2, noon.Add(3*time.Second))), 2, "after the break")
}
