package db

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// A row that failed is left out this long, and each further time twice as long as before.
	putOffFirst = 2 * time.Second
	putOffMost  = 5 * time.Minute
	// lockWait is how long background work waits for a lock that somebody else has.
	lockWait = "1s"
)

// Sweep does due rows one by one, each in a transaction of its own. A row that fails, or whose locks are not to be had in
// time, is put off: it keeps no later row waiting, and is not tried again at once. Each process remembers its own failures,
// in real time.
type Sweep[R any] struct {
	id     func(R) int64
	mu     sync.Mutex
	failed map[int64]failure
}

type failure struct {
	wait  time.Duration
	until time.Time
}

// NewSweep makes a sweep over rows that are told apart by an id.
func NewSweep[R any](id func(R) int64) *Sweep[R] {
	return &Sweep[R]{id: id, failed: map[int64]failure{}}
}

// PutOff lists the ids that the list of what is due must leave out. It is never nil, since SQL finds nothing unequal to null.
func (s *Sweep[R]) PutOff() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids, now := []int64{}, time.Now()
	for id, f := range s.failed {
		switch {
		case now.Before(f.until):
			ids = append(ids, id)
		case now.Sub(f.until) > putOffMost:
			// It would have been tried again long ago if it were still due.
			delete(s.failed, id)
		}
	}
	return ids
}

// Do does the rows and counts those of which do reports that it did something.
func (s *Sweep[R]) Do(
	ctx context.Context, b Beginner, rows []R, do func(ctx context.Context, tx pgx.Tx, q *Queries, row R) (bool, error),
) (int, error) {
	count := 0
	var failed []error
	for _, row := range rows {
		done := false
		err := InTx(ctx, b, func(tx pgx.Tx, q *Queries) (err error) {
			if err = WaitBriefly(ctx, tx); err == nil {
				done, err = do(ctx, tx, q, row)
			}
			return err
		})
		if ctx.Err() != nil {
			return count, errors.Join(append(failed, err)...)
		}
		s.note(s.id(row), err)
		if err != nil {
			failed = append(failed, err)
		} else if done {
			count++
		}
	}
	return count, errors.Join(failed...)
}

func (s *Sweep[R]) note(id int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		delete(s.failed, id)
		return
	}
	wait := min(max(2*s.failed[id].wait, putOffFirst), putOffMost)
	s.failed[id] = failure{wait: wait, until: time.Now().Add(wait)}
}

// WaitBriefly bounds each wait for a lock in the rest of the transaction, for background work that must not stand behind one.
func WaitBriefly(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, "set local lock_timeout = '"+lockWait+"'"); err != nil {
		return fmt.Errorf("bound the wait for locks: %w", err)
	}
	return nil
}
