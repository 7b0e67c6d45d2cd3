package routing

import (
	"cmp"
	"container/list"
	"maps"
	"slices"
	"sync"
	"time"
	_ "time/tzdata" // zones must be known also where the machine has none

	"github.com/shopspring/decimal"

	"gateway/internal/db"
)

// Requisites are all requisites in memory, by pools, with the terms of their traders. The one that this process has given to
// a payment longest ago stands first in its pool; of those used at the same time, or never, the heaviest.
type Requisites struct {
	mu      sync.Mutex
	known   map[int64]*requisite
	traders map[int64]db.TradersSinceRow
	pools   map[pool]*list.List
	zones   map[string]*time.Location
}

// pool names the requisites that payments of one kind choose among.
type pool struct{ currency, method string }

// requisite is one as it was last read, at its place in its pool.
type requisite struct {
	db.RequisitesSinceRow
	zone *time.Location
	// workFrom and workUntil are times of day.
	workFrom, workUntil time.Duration
	place               *list.Element
	rests
}

// NewRequisites makes the memory, which Renew fills.
func NewRequisites() *Requisites {
	return &Requisites{
		known: map[int64]*requisite{}, traders: map[int64]db.TradersSinceRow{}, pools: map[pool]*list.List{},
		zones: map[string]*time.Location{},
	}
}

// Renewal is what has changed since a version.
type Renewal struct {
	traders    []db.TradersSinceRow
	requisites []db.RequisitesSinceRow
}

// Queries read what has changed at a version or after it.
func (n *Renewal) Queries(version int64) []db.Query {
	return []db.Query{
		db.One(&n.traders, (*db.Queries).TradersSince, version),
		db.One(&n.requisites, (*db.Queries).RequisitesSince, version),
	}
}

// Renew takes in what has changed.
func (r *Requisites) Renew(n *Renewal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, row := range n.traders {
		r.traders[row.ID] = row
	}
	unsorted := map[pool]bool{}
	for _, row := range n.requisites {
		if r.put(row) {
			unsorted[pool{row.Currency, row.Method}] = true
		}
	}
	for of := range maps.Keys(unsorted) {
		r.sort(of)
	}
}

// put takes a requisite in, and reports whether its place in the pool has to be found anew.
func (r *Requisites) put(row db.RequisitesSinceRow) bool {
	known := r.known[row.ID]
	isNew := known == nil
	if isNew {
		known = &requisite{}
		r.known[row.ID] = known
	} else {
		row.UsedAt = known.UsedAt // known better here
	}
	resort := isNew || known.Weight != row.Weight
	known.RequisitesSinceRow = row
	known.zone = r.zone(row.TimeZone)
	known.workFrom, known.workUntil = timeOfDay(row.WorkFrom), timeOfDay(row.WorkUntil)
	return resort
}

// zone is a zone by its name. One that is not known any more has UTC stand in, since an error would fail the whole pool.
func (r *Requisites) zone(name string) *time.Location {
	if r.zones[name] == nil {
		found, err := time.LoadLocation(name)
		if err != nil {
			found = time.UTC
		}
		r.zones[name] = found
	}
	return r.zones[name]
}

func timeOfDay(clock string) time.Duration {
	at, err := time.Parse(time.TimeOnly, clock)
	if err != nil {
		return 0
	}
	return sinceMidnight(at)
}

func sinceMidnight(t time.Time) time.Duration {
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute +
		time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())
}

// sort puts a pool in its order.
func (r *Requisites) sort(of pool) {
	var all []*requisite
	for _, known := range r.known {
		if (pool{known.Currency, known.Method}) == of {
			all = append(all, known)
		}
	}
	slices.SortFunc(all, func(a, b *requisite) int {
		return cmp.Or(a.UsedAt.Compare(b.UsedAt), cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.ID, b.ID))
	})
	ordered := list.New()
	for _, known := range all {
		known.place = ordered.PushBack(known)
	}
	r.pools[of] = ordered
}

// inOrder goes through a pool. The caller holds the lock.
func (r *Requisites) inOrder(w Want) func(yield func(*requisite) bool) {
	return func(yield func(*requisite) bool) {
		ordered := r.pools[pool{w.Currency, w.Method}]
		if ordered == nil {
			return
		}
		for e := ordered.Front(); e != nil; e = e.Next() {
			if !yield(e.Value.(*requisite)) { //nolint:forcetypeassert // only requisites are put in
				return
			}
		}
	}
}

// next takes the first requisite that may do, as far as this process knows, and puts it last: payments that choose at the same
// time get different ones.
func (r *Requisites) next(w Want) *Candidate {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for known := range r.inOrder(w) {
		if r.bySettings(w, known) == Free && !known.resting(w.Amount, now) {
			found := r.candidate(w, known)
			r.moveBack(known, w.Now)
			return &found
		}
	}
	return nil
}

func (r *Requisites) moveBack(known *requisite, usedAt time.Time) {
	known.UsedAt = usedAt
	r.pools[pool{known.Currency, known.Method}].MoveToBack(known.place)
}

// got puts a requisite last that a payment has got.
func (r *Requisites) got(c Candidate, w Want) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.known[c.ID]
	r.moveBack(known, w.Now)
	if !w.Desk {
		known.rest(SlotTaken, w.Amount, time.Now())
	}
}

// putBack gives a requisite the place again that it had before next took it.
func (r *Requisites) putBack(c Candidate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.known[c.ID]
	known.UsedAt = c.LastUsedAt
	ordered := r.pools[pool{known.Currency, known.Method}]
	for e := ordered.Front(); e != nil; e = e.Next() {
		if e != known.place && e.Value.(*requisite).UsedAt.After(known.UsedAt) { //nolint:forcetypeassert // as above
			ordered.MoveBefore(known.place, e)
			return
		}
	}
}

// gone tells that a candidate has been given away since it was looked at.
func (r *Requisites) gone(c Candidate, w Want, lookedAt time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[c.ID].gone(w.Amount, lookedAt)
}

// rested notes why a requisite would not do, so that it is not tried again at once.
func (r *Requisites) rested(c Candidate, amount decimal.Decimal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[c.ID].rest(c.DroppedBy, amount, time.Now())
}
