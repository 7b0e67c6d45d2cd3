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

// Requisites are all requisites in memory, by pool, with the terms of their
// traders.
type Requisites struct {
	mu      sync.Mutex
	known   map[int64]*requisite
	traders map[int64]db.TradersSinceRow
	pools   map[poolKey]*pool
	zones   map[string]*time.Location
	// heldUntil are the traders who are skipped because another transaction
	// has locked their accounts.
	heldUntil map[int64]time.Time
}

// poolKey is the kind of payment that a pool is for.
type poolKey struct{ currency, method string }

// pool are the requisites to choose from. The first one is that which this
// process gave to a payment the longest time ago; among equals it is the one
// with the highest weight. Those that are off or outside their hours, which may
// be most of them, are in a list of their own, so that no payment has to skip
// them.
type pool struct {
	on, off list.List
	// wakesAt is when the hours of one of those in off begin next.
	wakesAt time.Time
}

// requisite is a requisite as it was last read, with its place in the pool.
type requisite struct {
	db.RequisitesSinceRow
	// hours are the operators' hours, in whose zone the days of limits are
	// counted; own are the trader's hours.
	hours, own hours
	// place is its element in the pool's list of those that are on, or in
	// that of those that are off.
	pool  *pool
	place *list.Element
	off   bool
	rests
}

// NewRequisites returns an empty memory. Renew fills it.
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

// Queries read what has changed since a version, that version included.
func (n *Renewal) Queries(version int64) []db.Query {
	return []db.Query{
		db.One(&n.traders, (*db.Queries).TradersSince, version),
		db.One(&n.requisites, (*db.Queries).RequisitesSince, version),
	}
}

// Renew takes over what has changed.
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
				r.reinsert(known)
			}
		}
	}
}

// put stores a requisite, and reports whether its place in the pool has to be
// determined again.
func (r *Requisites) put(row db.RequisitesSinceRow) (known *requisite, resort bool) {
	known = r.known[row.ID]
	if resort = known == nil; resort {
		known = &requisite{pool: r.pool(poolKey{row.Currency, row.Method})}
		r.known[row.ID] = known
	} else {
		row.UsedAt = known.UsedAt // this process knows it more exactly
		resort = known.Weight != row.Weight
	}
	known.RequisitesSinceRow = row
	known.hours = newHours(r.zone(row.TimeZone), row.WorkFrom, row.WorkUntil)
	known.own = newHours(r.zone(row.OwnTimeZone), row.OwnWorkFrom, row.OwnWorkUntil)
	if !resort {
		r.reinsert(known)
	}
	return known, resort
}

// pool returns a pool, and makes it if needed.
func (r *Requisites) pool(key poolKey) *pool {
	if r.pools[key] == nil {
		r.pools[key] = &pool{}
	}
	return r.pools[key]
}

// takesPart reports whether a trader gets payments now.
func takesPart(trader db.TradersSinceRow) bool { return trader.Enabled && !trader.OnBreak }

// switchedOn reports whether both the requisite and its trader are switched on.
func (r *Requisites) switchedOn(known *requisite) bool {
	return known.Enabled && !known.OwnOff && takesPart(r.traders[known.TraderID])
}

// reinsert puts a requisite into the list of those that are on, in order, or of
// those that are off. Whether it is within its hours is checked when its turn
// comes.
func (r *Requisites) reinsert(known *requisite) {
	off := !r.switchedOn(known)
	switch {
	case off:
		known.apart()
	case known.off:
		known.back()
	}
}

// apart removes a requisite from its list.
func (known *requisite) apart() {
	if !known.off {
		known.pool.on.Remove(known.place)
		known.place, known.off = known.pool.off.PushBack(known), true
	}
}

// order compares requisites by whose turn it is.
func order(a, b *requisite) int {
	return cmp.Or(a.UsedAt.Compare(b.UsedAt), cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.ID, b.ID))
}

// back inserts it in the order, before the first one whose turn is later.
func (known *requisite) back() {
	known.pool.off.Remove(known.place)
	known.off = false
	for e := known.pool.on.Front(); e != nil; e = e.Next() {
		if order(known, at(e)) < 0 {
			known.place = known.pool.on.InsertBefore(known, e)
			return
		}
	}
	known.place = known.pool.on.PushBack(known)
}

// at is the requisite of a list's element.
func at(e *list.Element) *requisite {
	return e.Value.(*requisite) //nolint:forcetypeassert // only requisites are put into the lists
}

// sleep keeps a requisite out of the order until its hours begin.
func (known *requisite) sleep(now time.Time) {
	known.apart()
	if wakes := known.worksFrom(now); known.pool.wakesAt.IsZero() || wakes.Before(known.pool.wakesAt) {
		known.pool.wakesAt = wakes
	}
}

// sortOver is the number of woken requisites above which the whole pool is
// sorted instead of inserting each.
const sortOver = 50

// wake puts back the requisites whose hours have begun.
func (r *Requisites) wake(p *pool, now time.Time) {
	if p.wakesAt.IsZero() || now.Before(p.wakesAt) {
		return
	}
	if p.off.Len() > sortOver {
		r.sort(p) // those that still sleep are recognized when their turn comes
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

// zone loads a time zone. UTC replaces a zone that is not known any more, since
// an error would stop the whole pool.
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

// sort sorts a pool.
func (r *Requisites) sort(p *pool) {
	var all []*requisite
	for _, known := range r.known {
		if known.pool == p {
			all = append(all, known)
		}
	}
	slices.SortFunc(all, order)
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

// inOrder iterates over a pool; those that are off or outside their hours come
// last. The caller holds the lock.
//
//rule:in which order requisites are tried
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

// next takes the first requisite that may be available, as far as this process
// knows, and moves it to the end, so that concurrent payments get different
// ones.
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

// moveBack moves a requisite to the end.
func (known *requisite) moveBack(usedAt time.Time) {
	known.UsedAt = usedAt
	if !known.off {
		known.pool.on.MoveToBack(known.place)
	}
}

// got moves a requisite to the end because a payment has got it.
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

// putBack returns a requisite to the place that it had before next took it.
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

// gone reports whether another payment of this process got the candidate since
// it was checked.
func (r *Requisites) gone(c Candidate, w Want, lookedAt time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[c.ID].gone(w.Amount, lookedAt)
}

// rested stores why a requisite was refused, so that it is not tried again at
// once.
func (r *Requisites) rested(c Candidate, amount decimal.Decimal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[c.ID].rest(c.DroppedBy, amount, time.Now())
}
