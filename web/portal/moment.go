package portal

import (
	"net/http"
	"time"

	"gateway.example/internal/timeline"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// asksAt asks for the state at the end of a minute.
const asksAt = "at"

// Moment is a point in time at which something is shown: now, or the end of a
// minute.
type Moment struct {
	path string
	// At is zero for now.
	At           time.Time
	typed, wrong string
}

// Moment reads from the address at which moment something is shown. A moment
// before its creation is a mistake.
func (v *Visit) Moment(path string, created time.Time) Moment {
	m := Moment{path: path, typed: v.R.URL.Query().Get(asksAt)}
	if m.typed == "" {
		return m
	}
	const minute = "2006-01-02T15:04"
	at, err := time.ParseInLocation(minute, m.typed[:min(len(m.typed), len(minute))], v.Shell.Zone)
	end := at.Add(time.Minute - time.Nanosecond)
	switch {
	case err != nil || at.Year() < 2000:
		m.wrong = v.Say(say.WrongMoment)
	case end.Before(created):
		m.wrong = v.Say(say.WrongBefore)
	default:
		m.At = end
	}
	v.Shell.Mistakes = m.wrong != ""
	return m
}

func (m Moment) Past() bool { return !m.At.IsZero() }

// Status is the status of the answer.
func (m Moment) Status() int {
	if m.wrong != "" {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

// Shown is the form that asks for a moment.
func (m Moment) Shown() view.Moment {
	return view.Moment{Path: m.path, Typed: m.typed, Wrong: m.wrong, At: m.At}
}

// Cut leaves out the lines after the moment.
func (m Moment) Cut(lines []timeline.Line) []timeline.Line {
	if !m.Past() {
		return lines
	}
	var kept []timeline.Line
	for _, line := range lines {
		if !line.At.After(m.At) {
			kept = append(kept, line)
		}
	}
	return kept
}

// Last is the last change of status before the moment.
func (m Moment) Last(lines []timeline.Line) *timeline.Line {
	var last *timeline.Line
	for _, line := range m.Cut(lines) {
		if line.What == timeline.WhatStatus {
			last = &line
		}
	}
	return last
}

// SettledLater reports whether the sum in USDT was not known yet at the moment.
func (m Moment) SettledLater(lines []timeline.Line) bool {
	for _, line := range lines {
		if m.Past() && line.What == timeline.WhatRateSettled && line.At.After(m.At) {
			return true
		}
	}
	return false
}
