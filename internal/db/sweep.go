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
	// A row that failed is left out this long, and twice as long after each further failure.
	putOffFirst = 2 * time.Second
	putOffMost  = 5 * time.Minute
	// sweepers is how many rows a sweep handles at the same time.
	sweepers = 8
	// lockWait is how long background work waits for a lock.
	lockWait = "1s"
)

// Sweep remembers which due rows to leave out: one that failed, or whose locks were taken, is put off, so that it does
// not delay later rows. Each process remembers its own failures, by real time. The zero value is ready to use.
//
// It is not generic, and SweepDue is a function, for the reason that Pool is an interface.
type Sweep struct {
	mu     sync.Mutex
	failed map[int64]failure
}

type failure struct {
	wait  time.Duration
	until time.Time
}

// PutOff are the ids that the list of due rows must leave out. It is never nil, because in SQL
// nothing is unequal to null.
func (s *Sweep) PutOff() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids, now := []int64{}, time.Now()
	for id, f := range s.failed {
		switch {
		case now.Before(f.until):
			ids = append(ids, id)
		case now.Sub(f.until) > putOffMost:
			// If it were still due, it would have been tried again long ago.
			delete(s.failed, id)
		}
	}
	return ids
}

// SweepDue handles due rows, several at a time, each by itself, page by page, until a page is not full or all that is
// left is put off. list returns the next page in order, without the given ids. It returns how many do had an effect on.
func SweepDue[R any](
	ctx context.Context, s *Sweep, page int32,
	list func(putOff []int64, page int32) ([]R, error), id func(R) int64,
	do func(ctx context.Context, row R) (bool, error),
) (int, error) {
	var all int
	var failed []error
	for {
		due, err := list(s.PutOff(), page)
		if err != nil {
			return all, errors.Join(append(failed, fmt.Errorf("list what is due: %w", err))...)
		}
		count, err := s.each(ctx, len(due), func(i int) (int64, bool, error) {
			done, err := do(ctx, due[i])
			return id(due[i]), done, err
		})
		all, failed = all+count, append(failed, err)
		if len(due) < int(page) || count == 0 || ctx.Err() != nil {
			return all, errors.Join(failed...)
		}
	}
}

// SweepFree is SweepDue over the rows that nobody has locked: see listFree.
func SweepFree[R any](
	ctx context.Context, s *Sweep, b Batcher, page int32,
	list func(putOff []int64, page int32) ([]R, error), key func(R) (merchantID, id int64),
	free func(free *[]int64, merchantID int64, ids []int64) Query,
	do func(ctx context.Context, row R) (bool, error),
) (int, error) {
	unlocked := func(putOff []int64, page int32) ([]R, error) {
		return listFree(ctx, b, putOff, page, list, key, free)
	}
	return SweepDue(ctx, s, page, unlocked, func(row R) int64 {
		_, id := key(row)
		return id
	}, do)
}

// others is how long RunAll waits for a row that another process is handling before it looks again.
const others = 20 * time.Millisecond

// RunAll handles due rows until none is left, not even one that another process is handling. Rows that have just
// failed here do not count.
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

// listFree lists the next page of due rows that nobody has locked, so that locked rows do not take
// the places of later ones. list returns rows without the given ids; free returns those of a
// merchant's ids that are not locked. It is asked for each merchant, in one round trip: their rows
// may be on several nodes, and no statement can lock rows on more than one.
func listFree[R any](
	ctx context.Context, b Batcher, putOff []int64, page int32,
	list func(putOff []int64, page int32) ([]R, error),
	key func(R) (merchantID, id int64),
	free func(free *[]int64, merchantID int64, ids []int64) Query,
) ([]R, error) {
	var due []R
	for {
		wanted := page - int32(len(due))
		rows, err := list(putOff, wanted)
		if err != nil {
			return nil, err
		}
		ids := map[int64][]int64{}
		for _, row := range rows {
			merchantID, id := key(row)
			ids[merchantID], putOff = append(ids[merchantID], id), append(putOff, id)
		}
		unlocked, err := unlocked(ctx, b, ids, free)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if _, id := key(row); unlocked[id] {
				due = append(due, row)
			}
		}
		if len(rows) < int(wanted) || len(due) == int(page) {
			return due, nil
		}
	}
}

// unlocked are those of the ids, which are given by merchant, that nobody has locked.
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

// each handles a page's rows in order and counts those for which do reports an effect. do gets a row's place and
// returns its id, too; it is called by several goroutines.
func (s *Sweep) each(ctx context.Context, rows int, do func(i int) (id int64, done bool, err error)) (int, error) {
	var next, count atomic.Int64
	errs := make([]error, rows)
	var sweeping sync.WaitGroup
	for range min(sweepers, rows) {
		sweeping.Go(func() {
			for i := next.Add(1) - 1; i < int64(rows) && ctx.Err() == nil; i = next.Add(1) - 1 {
				id, done, err := do(int(i))
				if ctx.Err() == nil { // a sweep that was stopped says nothing about the row
					s.note(id, err)
				}
				if errs[i] = err; done && err == nil {
					count.Add(1)
				}
			}
		})
	}
	sweeping.Wait()
	return int(count.Load()), errors.Join(errs...)
}

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

// WaitBriefly limits each wait for a lock in the rest of the transaction, for background work.
func WaitBriefly() Query {
	return Query{run: func(ctx context.Context, q *Queries) error {
		_, err := q.db.Exec(ctx, "set local lock_timeout = '"+lockWait+"'")
		return err
	}}
}
