package report

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
)

const (
	day = 24 * time.Hour
	// nearby is how far the id of a payment may be from the ids that were
	// given out at the time of its creation: a process keeps some ids
	// before it uses them, and its clock may be a little off.
	nearby = 20_000
)

// NoteFirstIDs stores the first id of each day, by which lists find what was
// created in a period. It may run in several processes and be repeated: the
// result is the same.
func NoteFirstIDs(ctx context.Context, pool db.Pool, c clock.Clock) error {
	q, now := db.New(pool), c.Now()
	return errors.Join(noteFirstIDs(ctx, q, paymentIDs(q), now), noteFirstIDs(ctx, q, payoutIDs(q), now))
}

// idSource reads the ids of payments or payouts.
type idSource struct {
	subject string
	// from returns the first row at an id or above it, and newest the last
	// row.
	from       func(ctx context.Context, id int64) (mark, error)
	newest     func(ctx context.Context) (mark, error)
	firstSince func(ctx context.Context, past, last int64, since time.Time) (int64, error)
}

func paymentIDs(q *db.Queries) idSource {
	return idSource{
		subject: db.SubjectPayment,
		from: func(ctx context.Context, id int64) (mark, error) {
			row, err := q.PaymentAtOrAfter(ctx, id)
			return mark{row.ID, row.CreatedAt}, err
		},
		newest: func(ctx context.Context) (mark, error) {
			row, err := q.PaymentNewest(ctx)
			return mark{row.ID, row.CreatedAt}, err
		},
		firstSince: func(ctx context.Context, past, last int64, since time.Time) (int64, error) {
			return q.PaymentFirstSince(ctx, db.PaymentFirstSinceParams{Past: past, LastID: last, Since: since})
		},
	}
}

func payoutIDs(q *db.Queries) idSource {
	return idSource{
		subject: db.SubjectPayout,
		from: func(ctx context.Context, id int64) (mark, error) {
			row, err := q.PayoutAtOrAfter(ctx, id)
			return mark{row.ID, row.CreatedAt}, err
		},
		newest: func(ctx context.Context) (mark, error) {
			row, err := q.PayoutNewest(ctx)
			return mark{row.ID, row.CreatedAt}, err
		},
		firstSince: func(ctx context.Context, past, last int64, since time.Time) (int64, error) {
			return q.PayoutFirstSince(ctx, db.PayoutFirstSinceParams{Past: past, LastID: last, Since: since})
		},
	}
}

// noteFirstIDs stores the first id of each day up to today that has none yet.
// The present day is stored only once no late row can get a lower id.
func noteFirstIDs(ctx context.Context, q *db.Queries, ids idSource, now time.Time) error {
	next, past, err := nextDay(ctx, q, ids)
	if err != nil {
		return db.IgnoreNoRows(err) // the table is empty
	}
	for !next.Add(db.LateMost).After(now) {
		first, err := ids.first(ctx, next, past)
		if db.NoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("find the first id of a day: %w", err)
		}
		err = q.DayFirstIDInsert(ctx, db.DayFirstIDInsertParams{Subject: ids.subject, Day: next, FirstID: first})
		if err != nil {
			return fmt.Errorf("note the first id of a day: %w", err)
		}
		next, past = next.Add(day), first
	}
	return nil
}

// nextDay returns the first day without a stored first id, and an id that is
// not above that day's ids.
func nextDay(ctx context.Context, q *db.Queries, ids idSource) (time.Time, int64, error) {
	last, err := q.DayFirstIDLast(ctx, ids.subject)
	if err == nil {
		return last.Day.Add(day), last.FirstID, nil
	}
	if !db.NoRows(err) {
		return time.Time{}, 0, fmt.Errorf("find the last day: %w", err)
	}
	oldest, err := ids.from(ctx, 0)
	return db.DayOf(oldest.at), 0, err
}

// first finds the lowest id of what was created on a day or later. A binary
// search finds about where it is, and then all ids near there are compared,
// because ids do not follow time exactly.
func (ids idSource) first(ctx context.Context, since time.Time, past int64) (int64, error) {
	newest, err := ids.newest(ctx)
	if err != nil {
		return 0, err
	}
	low, err := firstSince(past, newest.id+1, since, func(id int64) (mark, error) { return ids.from(ctx, id) })
	if err != nil {
		return 0, err
	}
	first, err := ids.firstSince(ctx, max(past-1, low-nearby), low+nearby, since)
	if err == nil && first == 0 {
		err = pgx.ErrNoRows
	}
	return first, err
}

// firstSince finds, from low up to but not including high, a number at which
// rows since a time begin. It is a binary search, for which the numbers follow
// time closely enough. from returns the first row at a number or above it.
func firstSince(low, high int64, since time.Time, from func(number int64) (mark, error)) (int64, error) {
	for low < high {
		middle := low + (high-low)/2
		found, err := from(middle)
		switch {
		case db.NoRows(err):
			high = middle
		case err != nil:
			return 0, err
		case found.at.Before(since):
			low = found.id + 1
		default:
			high = middle
		}
	}
	return low, nil
}

// numbers are the numbers of a list that has no index by time, because every
// row would have to pay for that.
type numbers struct {
	last func() (int64, error)
	from func(number int64) (mark, error)
}

// bound narrows a window to the numbers of what was created in the filter's
// period. late is the longest time by which the order of numbers differs from
// that of creation.
func (n numbers) bound(w window, c created, f Filter, late time.Duration) (window, error) {
	first, err := n.since(c.from.Add(-late))
	if err != nil {
		return w, err
	}
	w.above = max(w.above, first-1)
	if f.To.IsZero() {
		return w, nil
	}
	until, err := n.since(c.to.Add(late))
	w.below = min(w.below, until)
	return w, err
}

// since returns a number below which nothing is of that time or later.
func (n numbers) since(since time.Time) (int64, error) {
	last, err := n.last()
	if db.NoRows(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("find the last number: %w", err)
	}
	low, err := firstSince(0, last+1, since, n.from)
	switch {
	case err != nil:
		return 0, fmt.Errorf("find a number by time: %w", err)
	case low > last:
		return math.MaxInt64, nil
	}
	return low, nil
}
