package clock

import "time"

// On is when a time of day, told by the time since midnight, comes on a day in
// a zone; the day is taken as by time.Date. Where clocks are put forward over
// it, it never comes, and this is when they are. There time.Date answers with a
// time that is up to an hour off, at midnight even on the day before.
func On(year int, month time.Month, day int, since time.Duration, zone *time.Location) time.Time {
	at, told := time.Date(year, month, day, 0, 0, 0, int(since), zone), time.Date(year, month, day, 0, 0, 0, int(since), time.UTC)
	_, offset := at.Zone()
	began, ends := at.ZoneBounds()
	switch shown := at.Add(time.Duration(offset) * time.Second); {
	case shown.Before(told):
		return ends
	case shown.After(told):
		return began
	}
	return at
}

// Midnight is when the day of a time begins in the time's own zone, or that of
// the given number of days later.
func Midnight(at time.Time, later int) time.Time {
	year, month, day := at.Date()
	return On(year, month, day+later, 0, at.Location())
}
