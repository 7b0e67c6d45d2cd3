package portal

import (
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Lasting is how long something takes, in words.
func (v *Visit) Lasting(d time.Duration) string {
	seconds := max(0, int(d/time.Second))
	switch {
	case seconds < 60:
		return v.Say(say.Seconds, seconds)
	case seconds < 3600 && seconds%60 == 0:
		return v.Say(say.Minutes, seconds/60)
	case seconds < 3600:
		return v.Say(say.MinutesSeconds, seconds/60, seconds%60)
	}
	return v.Say(say.HoursMinutes, seconds/3600, seconds/60%60)
}

// arrow is the sign of a change, and the tone that says whether it is good. An
// increase is good unless less is wanted.
func arrow(by int, wantsLess bool) (sign, tone string) {
	switch {
	case by == 0:
		return "=", ""
	case (by > 0) == wantsLess:
		tone = "bad"
	default:
		tone = "good"
	}
	if by > 0 {
		return "▲\u00a0", tone
	}
	return "▼\u00a0", tone
}

// Points is by how many points a percentage has changed; empty if one of the
// two is not known.
func (v *Visit) Points(now, before *decimal.Decimal) view.Delta {
	if now == nil || before == nil {
		return view.Delta{}
	}
	by := now.Sub(*before)
	sign, tone := arrow(by.Sign(), false)
	if by.IsZero() {
		return view.Delta{Text: sign}
	}
	return view.Delta{Text: sign + v.Say(say.Points, v.Shell.Percent(by.Abs())), Tone: tone}
}

// Grown is by how many percent an amount has changed; empty if it was 0 before.
func (v *Visit) Grown(now, before decimal.Decimal) view.Delta {
	if !before.IsPositive() {
		return view.Delta{}
	}
	by := now.Sub(before).Shift(2).DivRound(before, 0)
	sign, tone := arrow(by.Sign(), false)
	if by.IsZero() {
		return view.Delta{Text: sign}
	}
	return view.Delta{Text: sign + v.Shell.Percent(by.Abs()) + "\u00a0%", Tone: tone}
}

// Sooner is by how much a duration that should be short has changed; empty if
// one of the two is not known.
func (v *Visit) Sooner(now, before time.Duration) view.Delta {
	if now == 0 || before == 0 {
		return view.Delta{}
	}
	by := now - before
	sign, tone := arrow(int(by/time.Second), true)
	if by/time.Second == 0 {
		return view.Delta{Text: sign}
	}
	return view.Delta{Text: sign + v.Lasting(by.Abs()), Tone: tone}
}
