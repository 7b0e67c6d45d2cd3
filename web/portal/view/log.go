package view

import "time"

// LogRow is a change. Notes say what differs.
type LogRow struct {
	At          time.Time
	Login, What string
	Notes       []string
}
