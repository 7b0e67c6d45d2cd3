package routing

import (
	"time"

	"gateway.example/internal/clock"
)

// hours are the times of day, in a zone, between which a requisite works. They
// may extend over midnight.
type hours struct {
	zone *time.Location
	// limited is false if it always works.
	limited     bool
	from, until time.Duration
}

func newHours(zone *time.Location, from, until string) hours {
	return hours{zone: zone, limited: from != "", from: timeOfDay(from), until: timeOfDay(until)}
}

// hold reports whether a time is within the hours.
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

// begin is when the hours begin on the local day that is the given number of
// days after now.
func (h hours) begin(now time.Time, days int) time.Time {
	year, month, day := now.In(h.zone).Date()
	return clock.On(year, month, day+days, h.from, h.zone)
}

// works reports whether a time is within both the operators' and the trader's
// hours.
func (known *requisite) works(now time.Time) bool {
	return known.hours.hold(now) && known.own.hold(now)
}

// wakeWithin is when hours are checked again at the latest: a time of day may
// not exist on a day when clocks change.
const wakeWithin = time.Hour

// worksFrom is when one of the hours begins next; it is wakeWithin from now if
// that is sooner.
func (known *requisite) worksFrom(now time.Time) time.Time {
	next := now.Add(wakeWithin)
	for _, h := range []hours{known.hours, known.own} {
		for days := range 2 { // shortly before midnight it may be tomorrow
			if begins := h.begin(now, days); h.limited && begins.After(now) && begins.Before(next) {
				next = begins
			}
		}
	}
	return next
}

// lookAhead is how many days opensAt looks ahead. A time of day may not exist
// on one day when clocks change.
const lookAhead = 3

// opensAt is when the requisite works next, which is at the beginning of one of
// its hours; nil is never, if the hours do not overlap.
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

// dayEnds is when the day by which limits count ends.
func (known *requisite) dayEnds(now time.Time) time.Time {
	return clock.Midnight(now.In(known.hours.zone), 1)
}
