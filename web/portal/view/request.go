package view

import (
	"strconv"
	"time"

	"github.com/a-h/templ"
)

// Requests are what a merchant's programs asked of the API.
type Requests struct {
	Filters Filters
	Items   []RequestRow
	Empty   Empty
	Pages   Pages
}

// RequestRow is a request in the log.
type RequestRow struct {
	At           time.Time
	Method, Path string
	Status       int
	// Code is the error's, "" where there was none; OfCode and OfKey lead to all with the same.
	Code, KeyID   string
	OfCode, OfKey templ.SafeURL
	// RequestID is "" where none was kept.
	RequestID, Took string
}

func (r RequestRow) status() string { return strconv.Itoa(r.Status) }

// tone is the stylesheet's for a status.
func (r RequestRow) tone() string {
	switch r.Status / 100 {
	case 2:
		return "good"
	case 5:
		return "bad"
	}
	return "late"
}
