package report

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
	"strconv"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Paging asks for a part of a list.
type Paging struct {
	// Cursor is a page's Next, or with Backward its Previous; "" is the
	// beginning.
	Cursor string
	// Backward asks for what comes before the cursor.
	Backward bool
	// Sort is the order of a list of payments; "" is the newest first.
	// Other lists have only that order.
	Sort Sort
	// Limit is 1 to 100; 0 is 50.
	Limit int
}

// Sort is an order of a list.
type Sort string

// Besides the newest first, payments have these orders. By amount only those
// payments are sorted that one search may read, the newest of the list's
// period. Such a list can be paged forward only.
const (
	Oldest   Sort = "oldest"
	Least    Sort = "least"
	Greatest Sort = "greatest"
)

// byAmount reports whether the list is sorted by amount and not by id.
func (s Sort) byAmount() bool { return s == Least || s == Greatest }

// Page is a part of a list, the newest first unless it is sorted otherwise.
type Page[T any] struct {
	Items []T
	// Next is the cursor of the following page. Previous is that of the
	// preceding page, to be used with Backward. Each is nil if no such page
	// is known.
	Next, Previous *string
	// SearchedBackTo is set if a search stopped because it had read as many
	// rows as it may: nothing older has been searched yet. Next continues
	// from there.
	SearchedBackTo *time.Time
}

const (
	limitDefault = 50
	limitMost    = 100
	// scanMost is how many rows are read for a page at most, however many
	// of them match.
	scanMost = 20_000
)

// window is the part of a list that is asked for: the ids above and below two
// bounds, which are excluded.
type window struct {
	above, below int64
	backward     bool
	// cursor is 0 at the beginning.
	cursor int64
	limit  int
	sort   Sort
}

// Size is how many items are asked for. It adds a number that is not allowed to
// f.
func (p Paging) Size(f fault.Fields) int {
	size := cmp.Or(p.Limit, limitDefault)
	f.Check(size >= 1 && size <= limitMost, "limit", "must be between 1 and %d", limitMost)
	return size
}

// check validates the paging and returns its window.
func (p Paging) check(f fault.Fields) window {
	w := window{
		below: math.MaxInt64, backward: p.Backward != (p.Sort == Oldest), limit: p.Size(f), sort: p.Sort,
	}
	f.Check(slices.Contains([]Sort{"", Oldest, Least, Greatest}, p.Sort), "sort", "is no order of this list")
	if p.Cursor != "" {
		var err error
		w.cursor, err = strconv.ParseInt(p.Cursor, 10, 64)
		f.Check(err == nil && w.cursor >= 0, "cursor", "is not a cursor of ours")
	}
	return w.at(w.cursor)
}

// at is the window that begins at a cursor.
func (w window) at(cursor int64) window {
	w.cursor = cursor
	switch {
	case cursor == 0 || w.sort.byAmount():
	case w.backward:
		w.above = max(w.above, cursor)
	default:
		w.below = min(w.below, cursor)
	}
	return w
}

// mark is the position of a row in a list.
type mark struct {
	id int64
	at time.Time
}

// table reads a list's rows, the newest first, or backward the oldest first. If
// the list has an index for each status, a branch reads the rows of one status.
type table[R any] interface {
	id(row R) int64
	list(ctx context.Context, q *db.Queries, branch *string, w window) ([]R, error)
	// stop is the row at which a search stopped after reading scanMost
	// rows, or nil.
	stop(ctx context.Context, q *db.Queries, branch *string, w window) (*mark, error)
}

// read reads a page. The rows of its branches are merged in the order of their
// ids.
func read[R any](ctx context.Context, s *Service, t table[R], branches []*string, w window) (Page[R], error) {
	var stopped *mark
	rows, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]R, error) {
		var all []R
		stopped = nil // the function may be called a second time
		for _, branch := range branches {
			rows, err := t.list(ctx, q, branch, w)
			if err != nil {
				return nil, err
			}
			if len(rows) <= w.limit {
				stop, err := t.stop(ctx, q, branch, w)
				if err != nil {
					return nil, err
				}
				stopped = w.nearer(stopped, stop)
			}
			all = append(all, rows...)
		}
		return all, nil
	})
	if err != nil {
		return Page[R]{}, err
	}
	return page(t, rows, stopped, w), nil
}

// nearer is the stop that comes first in the direction of reading.
func (w window) nearer(a, b *mark) *mark {
	if a == nil || b != nil && w.before(b.id, a.id) {
		return b
	}
	return a
}

// before reports whether a row comes before another in the direction of
// reading.
func (w window) before(id, other int64) bool {
	if w.backward {
		return id < other
	}
	return id > other
}

// page cuts the rows to a page and sets the cursors of its neighbours.
func page[R any](t table[R], rows []R, stopped *mark, w window) Page[R] {
	if stopped != nil { // rows of other branches beyond the stop come on the next page
		rows = slices.DeleteFunc(rows, func(row R) bool { return w.before(stopped.id, t.id(row)) })
	}
	// sort.Slice, because slices.SortFunc is compiled for each kind of
	// rows.
	sort.Slice(rows, func(i, j int) bool { return w.before(t.id(rows[i]), t.id(rows[j])) })
	p := Page[R]{Items: rows}
	var on *string
	switch {
	case len(rows) > w.limit:
		p.Items = rows[:w.limit]
		on = cursorOf(t.id(p.Items[w.limit-1]))
	case stopped != nil:
		on = cursorOf(stopped.id)
		if !w.backward {
			p.SearchedBackTo = &stopped.at
		}
	}
	var back *string
	switch {
	case w.cursor == 0:
	case len(p.Items) > 0:
		back = cursorOf(t.id(p.Items[0]))
	case w.backward:
		back = cursorOf(w.cursor + 1)
	default:
		back = cursorOf(w.cursor - 1)
	}
	p.Next, p.Previous = on, back
	if w.backward != (w.sort == Oldest) {
		slices.Reverse(p.Items)
		p.Next, p.Previous = back, on
	}
	if w.sort == Oldest { // a list from the oldest on does not search backwards in time
		p.SearchedBackTo = nil
	}
	return p
}

func cursorOf(id int64) *string {
	return new(strconv.FormatInt(id, 10))
}

// turned converts the items of a page.
func turned[R, T any](p Page[R], turn func(R) T) Page[T] {
	return Page[T]{Items: db.Each(p.Items, turn), Next: p.Next, Previous: p.Previous, SearchedBackTo: p.SearchedBackTo}
}
