package db

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"gateway.example/internal/fault"
)

const (
	pageDefault = 50
	pageMax     = 100
)

// Page asks for a page of a list from the newest id down.
type Page struct {
	// Limit is 1 to 100; nil is 50.
	Limit *int32
	// Cursor is where the page before ended, or nil.
	Cursor *string
}

// Size is how many rows a page has.
func (p Page) Size(f fault.Fields) int32 {
	if p.Limit == nil {
		return pageDefault
	}
	f.Check(*p.Limit >= 1 && *p.Limit <= pageMax, "limit", "must be between 1 and %d", pageMax)
	return *p.Limit
}

// Bounds are a page in SQL: its size, and the id that it stays below.
func (p Page) Bounds(f fault.Fields) (limit int32, before int64) {
	limit, before = p.Size(f), math.MaxInt64
	if p.Cursor != nil {
		id, err := strconv.ParseInt(*p.Cursor, 10, 64)
		f.Check(err == nil && id > 0, "cursor", "is not a cursor of ours")
		before = id
	}
	return limit, before
}

// LateMost is how long after the end of an hour or a day something of it may
// still be committed.
const LateMost = time.Hour

// The names of payments and payouts in whatever is about both: transfers,
// events and first ids.
const (
	SubjectPayment = "payment"
	SubjectPayout  = "payin"
)

// Span is a period of creation, at or after From and before To. Nil leaves that
// end open.
type Span struct{ From, To *time.Time }

// Check refuses a span that ends before it begins.
func (s Span) Check(f fault.Fields) {
	f.Check(s.From == nil || s.To == nil || !s.To.Before(*s.From), "to", "must not be before from")
}

// IDs narrows the range of ids that a list reads to the ids of the span, using
// the first ids of days. So old payments and payouts are found without reading
// all newer ones.
func (s Span) IDs(ctx context.Context, q *Queries, subject string, above, below int64) (int64, int64, error) {
	if s.From != nil {
		first, err := q.DayFirstIDFrom(ctx, DayFirstIDFromParams{Subject: subject, Day: DayOf(*s.From)})
		if IgnoreNoRows(err) != nil {
			return 0, 0, fmt.Errorf("find the first id of a day: %w", err)
		}
		above = max(above, first-1)
	}
	if s.To != nil {
		next := DayOf(*s.To).AddDate(0, 0, 1)
		until, err := q.DayFirstIDUntil(ctx, DayFirstIDUntilParams{Subject: subject, Day: next})
		switch {
		case err == nil:
			below = min(below, until)
		case !NoRows(err):
			return 0, 0, fmt.Errorf("find the first id of a day: %w", err)
		}
	}
	return above, below, nil
}

// DayOf is the day in UTC.
func DayOf(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }

// Cut shortens a list that was read with one row too many, and returns the
// cursor of the next page; nil on the last.
func Cut[R any](rows []R, limit int32, id func(R) int64) ([]R, *string) {
	if len(rows) <= int(limit) {
		return rows, nil
	}
	rows = rows[:limit]
	cursor := strconv.FormatInt(id(rows[limit-1]), 10)
	return rows, &cursor
}
