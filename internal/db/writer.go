package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"gateway.example/internal/fault"
)

const (
	// togetherSettings are those of a transaction of several. Nobody should
	// wait long for another's lock. And the rows that several ask for are
	// looked up by their index however few there are: a table is read with
	// all dead rows.
	togetherSettings = "select set_config('lock_timeout', '20ms', true), set_config('enable_seqscan', 'off', true), " +
		"set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)"
	// togetherTries is how often those that go together may leave one
	// behind, or look for the one.
	togetherTries = 3
)

// Writer writes for many callers. Those that arrive while others are being
// written wait, and share one transaction, which takes half the work of one for
// each. A caller is answered as by a transaction of its own: one whose query
// the database refuses, or that would wait for a lock, is taken out and written
// by itself, and the others without it. If the connection is lost at the
// commit, the result is unknown for all of them. While callers are few, none
// waits.
type Writer struct {
	pool Pool
	// most is how many go together, and turn how long callers wait for a
	// transaction before the next begins. One lasts longer when it is
	// large, the disk is slow or a lock is held: then several run at once.
	most int
	turn time.Duration

	mu      sync.Mutex
	waiting []*grouped
	// running says that a transaction runs, and has not lasted long.
	running bool
}

// NewWriter writes to a pool, so many callers together at most, who wait for a
// transaction for no longer than a turn.
func NewWriter(pool Pool, most int, turn time.Duration) *Writer {
	return &Writer{pool: pool, most: most, turn: turn}
}

// The ranks of locks.
const (
	LocksRequisite = iota
	LocksDay
	LocksAccount
	LocksEndpoint
)

// Lock is a query that locks a row which others want, too. Those of a
// transaction are made last, in the order of rank and id, so that no two
// transactions each wait for a row that the other has locked.
type Lock struct {
	Rank int
	ID   int64
	Query
}

// Locks are queries that lock a row, or what belongs to it.
func Locks(rank int, id int64, queries ...Query) []Lock {
	var locks []Lock
	for _, query := range queries {
		locks = append(locks, Lock{Rank: rank, ID: id, Query: query})
	}
	return locks
}

// Part is what one of several writes: queries, and after all of them locks.
type Part struct {
	Queries []Query
	Locks   []Lock
}

// grouped is what a caller writes.
type grouped struct {
	Part
	ctx context.Context //nolint:containedctx // it is the caller's, who waits
	// done gets the result, or errAlone.
	done chan error
}

// errAlone tells a caller to write by itself.
var errAlone = errors.New("to be written alone")

// Write is the package's Write, for queries and then locks.
func (w *Writer) Write(ctx context.Context, queries []Query, locks ...Lock) error {
	one := &grouped{ctx: ctx, Part: Part{queries, locks}, done: make(chan error, 1)}
	w.mu.Lock()
	if !w.running {
		w.running = true
		w.mu.Unlock()
		defer w.takeTurn()()
		return one.writeAlone(w.pool)
	}
	w.waiting = append(w.waiting, one)
	w.mu.Unlock()
	if err := <-one.done; !errors.Is(err, errAlone) {
		return err
	}
	return one.writeAlone(w.pool)
}

func (one *grouped) writeAlone(pool Pool) error {
	return WriteTogether(one.ctx, pool, nil, one.Part)
}

// WriteTogether writes all parts in one transaction, after the first queries,
// or nothing.
func WriteTogether(ctx context.Context, pool Pool, first []Query, parts ...Part) error {
	queries, of := inOrder(parts)
	queries, _ = joinRows(ctx, queries, of)
	return Write(ctx, pool, append(first, queries...)...)
}

// takeTurn begins a transaction's turn. The next transaction begins when ended
// is called, or once the turn has lasted too long.
func (w *Writer) takeTurn() (ended func()) {
	pass := sync.OnceFunc(w.passTurn)
	late := time.AfterFunc(w.turn, pass)
	return func() {
		late.Stop()
		pass()
	}
}

// passTurn writes those who are waiting in place of a transaction that has
// ended.
func (w *Writer) passTurn() {
	w.mu.Lock()
	defer w.mu.Unlock()
	count := min(len(w.waiting), w.most)
	if count == 0 {
		w.running = false
		return
	}
	members := slices.Clone(w.waiting[:count])
	w.waiting = slices.Delete(w.waiting, 0, count)
	go w.writeAll(members)
}

// writeAll writes the parts of several callers in one transaction, and answers
// each caller once. If a query is refused, only the caller whose it is has to
// write alone, and the others are tried again. After togetherTries those who
// are left write alone. An unknown outcome is everybody's answer, and nothing
// of it is tried again.
func (w *Writer) writeAll(members []*grouped) {
	defer w.takeTurn()()
	join := true
	for range togetherTries {
		if len(members) < 2 {
			break
		}
		refusedOne, err := w.writeTogether(members, join)
		switch refusedOne {
		case nobody:
			if refused(err) { // what cannot be prepared, say, is not told apart
				err = errAlone
			}
			answerAll(members, err)
			return
		case anyone:
			join = false
		default:
			answerAll(members[refusedOne:refusedOne+1], errAlone)
			members = slices.Delete(members, refusedOne, refusedOne+1)
		}
	}
	answerAll(members, errAlone)
}

func answerAll(members []*grouped, err error) {
	for _, one := range members {
		one.done <- err
	}
}

// nobody and anyone say whose a refused query is: no caller's, or that of one
// of several callers whose rows have become one statement.
const (
	nobody = -1 - iota
	anyone
)

// writeTogether writes all or none. If the database refuses a query, it returns
// whose that is, and otherwise the result for all. With join, the same
// statements of several callers become one.
func (w *Writer) writeTogether(members []*grouped, join bool) (refusedOne int, _ error) {
	parts := make([]Part, len(members))
	for i, one := range members {
		parts[i] = one.Part
	}
	queries, of := inOrder(parts)
	if join {
		queries, of = joinRows(members[0].ctx, queries, of)
	}
	settings := Query{run: func(ctx context.Context, q *Queries) error {
		_, err := q.db.Exec(ctx, togetherSettings)
		return err
	}}
	ctx, cancel := ending(members[0].ctx)
	defer cancel()
	failed, err := writeOnce(ctx, w.pool, append([]Query{settings}, queries...))
	switch {
	case failed > 0 && refused(err):
		return of[failed-1], err
	case errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, fault.ErrOutcomeUnknown): // there was no connection
		return nobody, fmt.Errorf("%w: %w", fault.ErrBusy, err)
	}
	return nobody, err
}

// inOrder puts queries in order, and tells of which part each is: the first of
// all, then the second, and so on, so that the same inserts follow each other,
// and the locks at the end.
func inOrder(parts []Part) (queries []Query, of []int) {
	type lock struct {
		Lock
		of int
	}
	var locks []lock
	most := 0
	for i, part := range parts {
		most = max(most, len(part.Queries))
		for _, l := range part.Locks {
			locks = append(locks, lock{l, i})
		}
	}
	for n := range most {
		for i, part := range parts {
			if n < len(part.Queries) {
				queries, of = append(queries, part.Queries[n]), append(of, i)
			}
		}
	}
	slices.SortStableFunc(locks, func(a, b lock) int { return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.ID, b.ID)) })
	for _, l := range locks {
		queries, of = append(queries, l.Query), append(of, l.of)
	}
	return queries, of
}
