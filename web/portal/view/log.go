package view

import (
	"time"

	"gateway.example/web/portal/say"
)

// What merchants and operators read, and no trader.

// OnBadge shows whether something is switched on.
func OnBadge(on bool) Badge {
	if on {
		return Badge{say.SwitchedOn, "good"}
	}
	return Badge{say.SwitchedOff, "off"}
}

// LogRow is a change. Notes say what differs.
type LogRow struct {
	At          time.Time
	Login, What string
	Notes       []string
}
