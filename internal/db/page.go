package db

import (
	"math"
	"strconv"

	"gateway.example/internal/fault"
)

const (
	pageDefault = 50
	pageMax     = 100
)

// Page asks for part of a list that goes from the newest id down.
type Page struct {
	// Limit is 1 to 100; nil is 50.
	Limit *int32
	// Cursor is where the page before ended, or nil.
	Cursor *string
}

// Bounds are what a page means in SQL: its size, and the id it stays below.
func (p Page) Bounds(f fault.Fields) (limit int32, before int64) {
	limit, before = pageDefault, math.MaxInt64
	if p.Limit != nil {
		limit = *p.Limit
		f.Check(limit >= 1 && limit <= pageMax, "limit", "must be between 1 and %d", pageMax)
	}
	if p.Cursor != nil {
		id, err := strconv.ParseInt(*p.Cursor, 10, 64)
		f.Check(err == nil && id > 0, "cursor", "is not a cursor of ours")
		before = id
	}
	return limit, before
}

// Cut takes a list that was read one row longer than its limit down to it, and names the cursor of
// the next page, nil on the last.
func Cut[R any](rows []R, limit int32, id func(R) int64) ([]R, *string) {
	if len(rows) <= int(limit) {
		return rows, nil
	}
	rows = rows[:limit]
	cursor := strconv.FormatInt(id(rows[limit-1]), 10)
	return rows, &cursor
}
