package view

import (
	"time"

	"gateway.example/web/portal/say"
)

// Parts of pages that only merchants and operators read.

// OnBadge shows whether something is switched on.
func OnBadge(on bool) Badge {
	if on {
		return Badge{say.SwitchedOn, "good"}
	}
	return Badge{say.SwitchedOff, "off"}
}

// LogRow is a change. Notes say what was changed.
type LogRow struct {
	At          time.Time
	Login, What string
	Notes       []string
}
