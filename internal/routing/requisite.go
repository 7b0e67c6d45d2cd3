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

	"gateway.example/internal/db"
)

// Requisites are all requisites in memory, by pools, with the terms of their traders.
type Requisites struct {
	mu      sync.Mutex
	known   map[int64]*requisite
	traders map[int64]db.TradersSinceRow
	pools   map[poolKey]*pool
	zones   map[string]*time.Location
	// heldUntil are the traders who are passed by, since somebody has their accounts locked.
	heldUntil map[int64]time.Time
}

// poolKey names the requisites that payments of one kind choose among.
type poolKey struct{ currency, method string }

// pool are these requisites. The one that this process has given to a payment longest ago stands
// first; of those used at the same time, or never, the heaviest. Those that are switched off, or
// outside their hours, stand apart, so that no payment has to pass by them: they may be most of
// all.
type pool struct {
	on, off list.List
	// wakesAt is when the hours of one that is off begin.
	wakesAt time.Time
}

// requisite is one as it was last read, at its place in its pool.
type requisite struct {
	db.RequisitesSinceRow
	// hours are the operators', whose zone has the day that limits count by; own are the trader's.
	hours, own hours
	// place is where it stands in pool: among those on or off.
	pool  *pool
	place *list.Element
	off   bool
	rests
}

// NewRequisites makes the memory, which Renew fills.
func NewRequisites() *Requisites {
	return &Requisites{
		known: map[int64]*requisite{}, traders: map[int64]db.TradersSinceRow{}, pools: map[poolKey]*pool{},
		zones: map[string]*time.Location{}, heldUntil: map[int64]time.Time{},
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
	switched := map[int64]bool{}
	for _, row := range n.traders {
		switched[row.ID] = takesPart(r.traders[row.ID]) != takesPart(row)
		r.traders[row.ID] = row
	}
	unsorted := map[*pool]bool{}
	for _, row := range n.requisites {
		if known, resort := r.put(row); resort {
			unsorted[known.pool] = true
		}
	}
	for p := range unsorted {
		r.sort(p)
	}
	if slices.Contains(slices.Collect(maps.Values(switched)), true) {
		for _, known := range r.known {
			if switched[known.TraderID] {
				r.stand(known)
			}
		}
	}
}

// put takes a requisite in, and reports whether its place in the pool has to be found anew.
func (r *Requisites) put(row db.RequisitesSinceRow) (known *requisite, resort bool) {
	known = r.known[row.ID]
	if resort = known == nil; resort {
		known = &requisite{pool: r.pool(poolKey{row.Currency, row.Method})}
		r.known[row.ID] = known
	} else {
		row.UsedAt = known.UsedAt // known better here
		resort = known.Weight != row.Weight
	}
	known.RequisitesSinceRow = row
	known.hours = newHours(r.zone(row.TimeZone), row.WorkFrom, row.WorkUntil)
	known.own = newHours(r.zone(row.OwnTimeZone), row.OwnWorkFrom, row.OwnWorkUntil)
	if !resort {
		r.stand(known)
	}
	return known, resort
}

// pool is a pool by its name.
func (r *Requisites) pool(key poolKey) *pool {
	if r.pools[key] == nil {
		r.pools[key] = &pool{}
	}
	return r.pools[key]
}

// takesPart tells whether a trader gets payments at present.
func takesPart(trader db.TradersSinceRow) bool { return trader.Enabled && !trader.OnBreak }

// switchedOn tells whether requisite and trader are.
func (r *Requisites) switchedOn(known *requisite) bool {
	return known.Enabled && !known.OwnOff && takesPart(r.traders[known.TraderID])
}

// stand has a requisite stand where it belongs by its switches: among those on in its order. Its
// hours are looked at when its turn comes.
func (r *Requisites) stand(known *requisite) {
	off := !r.switchedOn(known)
	switch {
	case off:
		known.apart()
	case known.off:
		known.back()
	}
}

// apart takes a requisite out of the order.
func (known *requisite) apart() {
	if !known.off {
		known.pool.on.Remove(known.place)
		known.place, known.off = known.pool.off.PushBack(known), true
	}
}

// back gives it its place in the order again: before the first that was used after it.
func (known *requisite) back() {
	known.pool.off.Remove(known.place)
	known.off = false
	for e := known.pool.on.Front(); e != nil; e = e.Next() {
		if at(e).UsedAt.After(known.UsedAt) {
			known.place = known.pool.on.InsertBefore(known, e)
			return
		}
	}
	known.place = known.pool.on.PushBack(known)
}

// at is the requisite at a place.
func at(e *list.Element) *requisite {
	return e.Value.(*requisite) //nolint:forcetypeassert // only requisites are put in
}

// sleep has a requisite stand apart until its hours begin.
func (known *requisite) sleep(now time.Time) {
	known.apart()
	if wakes := known.worksFrom(now); known.pool.wakesAt.IsZero() || wakes.Before(known.pool.wakesAt) {
		known.pool.wakesAt = wakes
	}
}

// sortOver is how many wake at most that look for their places one by one.
const sortOver = 50

// wake gives those their places again whose hours have begun.
func (r *Requisites) wake(p *pool, now time.Time) {
	if p.wakesAt.IsZero() || now.Before(p.wakesAt) {
		return
	}
	if p.off.Len() > sortOver {
		r.sort(p) // those that still sleep are found out when their turn comes
		return
	}
	p.wakesAt = time.Time{}
	for e := p.off.Front(); e != nil; {
		known := at(e)
		e = e.Next()
		switch {
		case !r.switchedOn(known):
		case known.works(now):
			known.back()
		default:
			known.sleep(now)
		}
	}
}

// zone is a zone by its name. One that is not known any more has UTC stand in, since an error would
// fail the whole pool.
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
func (r *Requisites) sort(p *pool) {
	var all []*requisite
	for _, known := range r.known {
		if known.pool == p {
			all = append(all, known)
		}
	}
	slices.SortFunc(all, func(a, b *requisite) int {
		return cmp.Or(a.UsedAt.Compare(b.UsedAt), cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.ID, b.ID))
	})
	p.on.Init()
	p.off.Init()
	p.wakesAt = time.Time{}
	for _, known := range all {
		if known.off = !r.switchedOn(known); known.off {
			known.place = p.off.PushBack(known)
		} else {
			known.place = p.on.PushBack(known)
		}
	}
}

// inOrder goes through a pool, those that stand apart last. The caller holds the lock.
func (r *Requisites) inOrder(w Want) func(yield func(*requisite) bool) {
	return func(yield func(*requisite) bool) {
		p := r.pools[poolKey{w.Currency, w.Method}]
		if p == nil {
			return
		}
		if !w.Dry {
			r.wake(p, w.Now)
		}
		for _, ordered := range []*list.List{&p.on, &p.off} {
			for e := ordered.Front(); e != nil; e = e.Next() {
				if !yield(at(e)) {
					return
				}
			}
		}
	}
}

// next takes the first requisite that may do, as far as this process knows, and puts it last:
// payments that choose at the same time get different ones.
func (r *Requisites) next(w Want) *Candidate {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.pools[poolKey{w.Currency, w.Method}]
	if p == nil {
		return nil
	}
	r.wake(p, w.Now)
	now, looked := time.Now(), int32(0)
	var passed []Passed
	for e := p.on.Front(); e != nil; {
		known := at(e)
		e = e.Next()
		looked++
		switch rule := r.bySettings(w, known); {
		case rule == WorkingHours:
			known.sleep(w.Now)
			passed = pass(passed, known.ID, rule)
		case rule != Free:
			passed = pass(passed, known.ID, rule)
		case known.resting(w.Amount, now):
			passed = pass(passed, known.ID, Resting)
		case r.isHeld(known.TraderID, now):
			passed = pass(passed, known.ID, Held)
		default:
			found := r.candidate(w, known)
			found.Pool, found.Looked, found.Passed = int32(p.on.Len()), looked, passed
			known.moveBack(w.Now)
			return &found
		}
	}
	return nil
}

// moveBack puts a requisite last.
func (known *requisite) moveBack(usedAt time.Time) {
	known.UsedAt = usedAt
	if !known.off {
		known.pool.on.MoveToBack(known.place)
	}
}

// got puts a requisite last that a payment has got.
func (r *Requisites) got(c Candidate, w Want) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.heldUntil, c.TraderID)
	known := r.known[c.ID]
	known.moveBack(w.Now)
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
	if !known.off {
		known.apart()
		known.back()
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
