package db

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// A row that failed is left out this long, and twice as long after each
	// further failure.
	putOffFirst = 2 * time.Second
	putOffMost  = 5 * time.Minute
	// sweepers is how many rows a sweep handles at the same time.
	sweepers = 8
	// together is how many rows a sweep handles in one transaction, if it
	// can. Other writers wait for the locks of all of them.
	together = 10
	// lockWait is how long background work waits for a lock.
	lockWait = "1s"
)

// Sweep remembers which due rows to leave out: one that failed, or whose locks
// were taken, is put off, so that it does not delay later rows. Each process
// remembers its own failures, by real time. The zero value is ready to use.
//
// It is not generic, and SweepDue is a function, for the reason that Pool is an
// interface.
type Sweep struct {
	mu     sync.Mutex
	failed map[int64]failure
}

type failure struct {
	wait  time.Duration
	until time.Time
}

// PutOff are the ids that the list of due rows must leave out. It is never nil,
// because in SQL nothing is unequal to null.
func (s *Sweep) PutOff() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids, now := []int64{}, time.Now()
	for id, f := range s.failed {
		switch {
		case now.Before(f.until):
			ids = append(ids, id)
		case now.Sub(f.until) > putOffMost:
			// If it were still due, it would have been tried again
			// long ago.
			delete(s.failed, id)
		}
	}
	return ids
}

// Rows is work that is found row by row.
type Rows[R any] struct {
	// List returns the next page of rows in order, without the given ids.
	List func(putOff []int64, page int32) ([]R, error)
	// Key is a row's id, and the merchant of a row that Free is asked
	// about.
	Key func(R) (merchantID, id int64)
	// Free returns those of a merchant's ids that are not locked. Without
	// it all rows are tried.
	Free func(free *[]int64, merchantID int64, ids []int64) Query
	// Together handles some rows of a page in one transaction, all or none.
	// After an error, and without it, each is handled by itself.
	Together func(ctx context.Context, rows []R) error
	// Do handles a row, and reports whether that had an effect.
	Do func(ctx context.Context, row R) (bool, error)
}

// SweepDue handles due rows, several at a time, page by page, until a page is
// not full or all that is left is put off. It returns how many were handled
// with an effect.
func SweepDue[R any](ctx context.Context, s *Sweep, b Batcher, page int32, d Rows[R]) (int, error) {
	var all int
	var failed []error
	for {
		due, err := listFree(ctx, b, s.PutOff(), page, d)
		if err != nil {
			return all, errors.Join(append(failed, fmt.Errorf("list what is due: %w", err))...)
		}
		size := 1
		if d.Together != nil {
			size = together
		}
		count, err := s.each(ctx, len(due), size, func(from, to int) bool {
			return d.Together(ctx, due[from:to]) == nil
		}, func(i int) (int64, bool, error) {
			_, id := d.Key(due[i])
			done, err := d.Do(ctx, due[i])
			return id, done, err
		})
		all, failed = all+count, append(failed, err)
		if len(due) < int(page) || count == 0 || ctx.Err() != nil {
			return all, errors.Join(failed...)
		}
	}
}

// others is how long RunAll waits for a row that another process is handling
// before it looks again.
const others = 20 * time.Millisecond

// RunAll handles due rows until none is left, not even one that another process
// is handling. Rows that have just failed here do not count.
func (s *Sweep) RunAll(
	ctx context.Context, left func(putOff []int64) (bool, error), run func(ctx context.Context) (int, error),
) error {
	for {
		if left, err := left(s.PutOff()); err != nil || !left {
			return err
		}
		handled, err := run(ctx)
		if err != nil {
			return err
		}
		if handled > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(others):
		}
	}
}

// listFree lists the next page of due rows that nobody has locked, so that
// locked rows do not take the places of later ones. Free is asked for each
// merchant, in one round trip: their rows may be on several nodes, and no
// statement can lock rows on more than one.
func listFree[R any](ctx context.Context, b Batcher, putOff []int64, page int32, d Rows[R]) ([]R, error) {
	if d.Free == nil {
		return d.List(putOff, page)
	}
	var due []R
	for {
		wanted := page - int32(len(due))
		rows, err := d.List(putOff, wanted)
		if err != nil {
			return nil, err
		}
		ids := map[int64][]int64{}
		for _, row := range rows {
			merchantID, id := d.Key(row)
			ids[merchantID], putOff = append(ids[merchantID], id), append(putOff, id)
		}
		unlocked, err := unlocked(ctx, b, ids, d.Free)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if _, id := d.Key(row); unlocked[id] {
				due = append(due, row)
			}
		}
		if len(rows) < int(wanted) || len(due) == int(page) {
			return due, nil
		}
	}
}

// unlocked are those of the ids, which are given by merchant, that nobody has
// locked.
func unlocked(
	ctx context.Context, b Batcher, ids map[int64][]int64, free func(free *[]int64, merchantID int64, ids []int64) Query,
) (map[int64]bool, error) {
	var queries []Query
	var answers []*[]int64
	for merchantID, asked := range ids {
		answers = append(answers, new([]int64))
		queries = append(queries, free(answers[len(answers)-1], merchantID, asked))
	}
	if err := Pipeline(ctx, b, queries...); err != nil {
		return nil, fmt.Errorf("find what nobody has locked: %w", err)
	}
	unlocked := map[int64]bool{}
	for _, answer := range answers {
		for _, id := range *answer {
			unlocked[id] = true
		}
	}
	return unlocked, nil
}

// each handles a page's rows in order, so many at once, and counts those that
// were handled with an effect. all does a few in one transaction and reports
// whether that went well; do does one, and returns its id, too. Both are called
// by several goroutines.
func (s *Sweep) each(
	ctx context.Context, rows, size int, all func(from, to int) bool, do func(i int) (id int64, done bool, err error),
) (int, error) {
	var next, count atomic.Int64
	errs := make([]error, rows)
	alone := func(i int) {
		id, done, err := do(i)
		if ctx.Err() == nil { // a sweep that was stopped says nothing about the row
			s.note(id, err)
		}
		if errs[i] = err; done && err == nil {
			count.Add(1)
		}
	}
	take := func() int { return int(next.Add(int64(size))) - size }
	var sweeping sync.WaitGroup
	for range min(sweepers, rows) {
		sweeping.Go(func() {
			for from := take(); from < rows && ctx.Err() == nil; from = take() {
				to := min(from+size, rows)
				if size > 1 && all(from, to) {
					count.Add(int64(to - from))
					continue
				}
				errs[from] = ctx.Err()
				for i := from; i < to && ctx.Err() == nil; i++ {
					alone(i)
				}
			}
		})
	}
	sweeping.Wait()
	return int(count.Load()), errors.Join(errs...)
}

// note puts off a row that failed, each time for twice as long up to
// putOffMost, or forgets the failures of one that did not. It goes by the real
// time, also where the clock is simulated.
func (s *Sweep) note(id int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		delete(s.failed, id)
		return
	}
	if s.failed == nil {
		s.failed = map[int64]failure{}
	}
	wait := min(max(2*s.failed[id].wait, putOffFirst), putOffMost)
	s.failed[id] = failure{wait: wait, until: time.Now().Add(wait)}
}

// WaitBriefly limits each wait for a lock in the rest of the transaction, for
// background work.
func WaitBriefly() Query {
	return Query{run: func(ctx context.Context, q *Queries) error {
		_, err := q.db.Exec(ctx, "set local lock_timeout = '"+lockWait+"'")
		return err
	}}
}
