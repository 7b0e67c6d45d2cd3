package routing

import "time"

// hours are times of day, in a zone, between which a requisite works. They may go over midnight.
type hours struct {
	zone *time.Location
	// limited is false where it works all day.
	limited     bool
	from, until time.Duration
}

func newHours(zone *time.Location, from, until string) hours {
	return hours{zone: zone, limited: from != "", from: timeOfDay(from), until: timeOfDay(until)}
}

// hold tells whether it is within the hours.
func (h hours) hold(now time.Time) bool {
	if !h.limited {
		return true
	}
	local := sinceMidnight(now.In(h.zone))
	if h.from <= h.until {
		return local >= h.from && local < h.until
	}
	return local >= h.from || local < h.until
}

// begin is when the hours begin on the local day that is so many after a time's.
func (h hours) begin(now time.Time, days int) time.Time {
	year, month, day := now.In(h.zone).Date()
	return time.Date(year, month, day+days, 0, 0, 0, int(h.from), h.zone)
}

// works tells whether it is within the requisite's hours, which operators set, and its trader's own.
func (known *requisite) works(now time.Time) bool {
	return known.hours.hold(now) && known.own.hold(now)
}

// wakeWithin is when hours are looked at again at the latest: where clocks change, a time of day
// may not come at all.
const wakeWithin = time.Hour

// worksFrom is when some of its hours begin next, or when to look again.
func (known *requisite) worksFrom(now time.Time) time.Time {
	next := now.Add(wakeWithin)
	for _, h := range []hours{known.hours, known.own} {
		if begins := h.begin(now, 0); h.limited && begins.After(now) && begins.Before(next) {
			next = begins
		}
	}
	return next
}

// lookAhead is how many days opensAt looks at: clocks that change leave out a time of day for one.
const lookAhead = 3

// opensAt is when the requisite works next, which is when hours of either kind begin. Nil is never:
// hours that have nothing in common.
func (known *requisite) opensAt(now time.Time) *time.Time {
	var next *time.Time
	for _, h := range []hours{known.hours, known.own} {
		for days := range lookAhead {
			begins := h.begin(now, days)
			sooner := next == nil || begins.Before(*next)
			if h.limited && begins.After(now) && sooner && known.works(begins) {
				next = &begins
			}
		}
	}
	return next
}

// dayEnds is when the day ends that limits count by.
func (known *requisite) dayEnds(now time.Time) time.Time {
	year, month, day := now.In(known.hours.zone).Date()
	return time.Date(year, month, day+1, 0, 0, 0, 0, known.hours.zone)
}
