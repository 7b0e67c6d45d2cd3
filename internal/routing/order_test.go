package routing

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// pooled is a memory of requisites 1 to count, all of one pool and of trader 1, each used a minute
// after the one before.
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
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Whoever is switched off and on again has the place of their last use, and one that was tried in
// vain has the place it had.
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
	if got := r.taken(5, noon.Add(5*time.Second)); len(got) != 5 {
		t.Errorf("of five requisites %v are back", got)
	}
}

// A requisite outside its hours stands apart until they begin, and again after they have ended; one
// whose hours are changed has its place at once.
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
			if p := r.pools[poolKey{"RUB", "sbp"}]; p.on.Len() != 1 || int64(p.off.Len()) != sleepers {
				t.Errorf("%d on, %d off", p.on.Len(), p.off.Len())
			}
			wantIDs(t, r.taken(1, noon.Add(150*time.Minute-time.Second)), last)
			wantIDs(t, r.taken(1, noon.Add(150*time.Minute)), 1)
			wantIDs(t, r.taken(1, noon.Add(4*time.Hour)), last)
			changed := plain(1)
			r.Renew(&Renewal{requisites: []db.RequisitesSinceRow{changed}})
			wantIDs(t, r.taken(1, noon.Add(4*time.Hour+time.Second)), 1)
			// The clock goes round: the next day they work again.
			if got := r.taken(int(last), noon.Add(27*time.Hour)); !slices.Contains(got, sleepers) {
				t.Errorf("the next day %v", got)
			}
		})
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
		if (c.DroppedBy == RequisiteOff) != (c.ID == 1) {
			t.Errorf("%d is dropped by %q", c.ID, c.DroppedBy)
		}
	}
	wantIDs(t, ids, 2, 3, 1)
}
