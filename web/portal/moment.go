package portal

import (
	"net/http"
	"time"

	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// asksAt asks for something as it stood at a minute.
const asksAt = "at"

// moment is when something is looked at: now, or as it stood at the end of a minute.
type moment struct {
	path string
	// at is zero for now.
	at           time.Time
	typed, wrong string
}

// moment reads from when something is asked for that was made at a time.
func (v *visit) moment(path string, created time.Time) moment {
	m := moment{path: path, typed: v.r.URL.Query().Get(asksAt)}
	if m.typed == "" {
		return m
	}
	const minute = "2006-01-02T15:04"
	at, err := time.ParseInLocation(minute, m.typed[:min(len(m.typed), len(minute))], v.shell.Zone)
	end := at.Add(time.Minute - time.Nanosecond)
	switch {
	case err != nil || at.Year() < 2000:
		m.wrong = v.shell.Say(say.WrongMoment)
	case end.Before(created):
		m.wrong = v.shell.Say(say.WrongBefore)
	default:
		m.at = end
	}
	v.shell.Mistakes = m.wrong != ""
	return m
}

func (m moment) past() bool { return !m.at.IsZero() }

// status is what the page answers with.
func (m moment) status() int {
	if m.wrong != "" {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

func (m moment) shown() view.Moment {
	return view.Moment{Path: m.path, Typed: m.typed, Wrong: m.wrong, At: m.at}
}

// cut leaves out what happened later.
func (m moment) cut(lines []report.Line) []report.Line {
	if !m.past() {
		return lines
	}
	var kept []report.Line
	for _, line := range lines {
		if !line.At.After(m.at) {
			kept = append(kept, line)
		}
	}
	return kept
}

// last is the last change of status until then.
func (m moment) last(lines []report.Line) *report.Line {
	var last *report.Line
	for _, line := range m.cut(lines) {
		if line.What == report.WhatStatus {
			last = &line
		}
	}
	return last
}

// settledLater tells that the sum in USDT was not known yet.
func (m moment) settledLater(lines []report.Line) bool {
	for _, line := range lines {
		if m.past() && line.What == report.WhatRateSettled && line.At.After(m.at) {
			return true
		}
	}
	return false
}
