package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"gateway.example/internal/fault"
)

const (
	// ReplicaLate is how late a replica may be for lists to be read from
	// it.
	ReplicaLate = 30 * time.Second
	// replicaPatience is how long the replica may take to report its
	// position.
	replicaPatience = 2 * time.Second
	// marksMost limits how many positions are remembered while a replica
	// does not advance.
	marksMost = 1000
)

// Replica is a standby from which lists are read that nothing will be changed
// by. While it is away or late, they are read from the primary. The methods of
// a nil Replica say that there is none.
//
// How far it is behind is measured in this process: each second it notes the
// primary's position in the write-ahead log, and the replica is as late as the
// oldest note that it has not replayed. So a replica that has lost its primary
// is late as soon as the primary writes, which the replica's own clock could
// not tell.
type Replica struct {
	pool, primary Pool
	// unusedSince is when lists began to be read from the primary, in
	// nanoseconds since 1970; 0 while they are read from the replica.
	unusedSince atomic.Int64
	// lag is how late the replica is, in nanoseconds; -1 if that is not
	// known.
	lag atomic.Int64
	// marks are the primary's positions that are not replayed yet, the
	// oldest first. Until the very first is replayed, it is not known how
	// late the replica is. Only Watch uses marks and the next field.
	marks   []mark
	follows bool
	// why is the reason that was logged last.
	why string
}

// mark is the primary's position at a time.
type mark struct {
	at       time.Time
	position int64
}

// OpenReplica opens the replica of a database. It may be away or late: lists
// are read from the primary until it has caught up. A replica of another
// database is refused.
func OpenReplica(ctx context.Context, url string, maxConns int, primary Pool) (*Replica, error) {
	pool, err := new(Group).newPool(ctx, url, maxConns, ForReads)
	if err != nil {
		return nil, err
	}
	r := &Replica{pool: pool, primary: primary, why: replicaUnseen}
	r.lag.Store(-1)
	r.use(false)
	if err := r.checkSame(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return r, nil
}

var errOtherDatabase = errors.New("DATABASE_READ_URL is another database than DATABASE_URL: it must be a standby of " +
	"the same PostgreSQL server, and name the same database")

// checkSame fails if the replica is one of another database. It does not fail
// if the replica is away.
func (r *Replica) checkSame(ctx context.Context) error {
	ours, err := Identify(ctx, r.primary)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, replicaPatience)
	defer cancel()
	theirs, err := Identify(ctx, r.pool)
	switch {
	case IsNoDatabase(err), err == nil && !ours.is(theirs):
		return errOtherDatabase
	case err != nil:
		slog.WarnContext(ctx, "the read replica does not answer", "error", err)
	}
	return nil
}

// Close closes the connections.
func (r *Replica) Close() {
	if r != nil {
		r.pool.Close()
	}
}

// Lag is how late the replica is. It is not known while the replica does not
// answer.
func (r *Replica) Lag() (lag time.Duration, known bool) {
	lag = time.Duration(r.lag.Load())
	return lag, lag >= 0
}

// Usable reports whether lists are read from it.
func (r *Replica) Usable() bool { return r != nil && r.unusedSince.Load() == 0 }

// UnusedFor is how long lists have been read from the primary because the
// replica could not be used.
func (r *Replica) UnusedFor() time.Duration {
	if r.Usable() {
		return 0
	}
	return time.Since(time.Unix(0, r.unusedSince.Load()))
}

func (r *Replica) use(usable bool) {
	if usable {
		r.unusedSince.Store(0)
	} else {
		r.unusedSince.CompareAndSwap(0, time.Now().UnixNano())
	}
}

// Watch measures how late the replica is and decides from where lists are read.
// It logs each change.
func (r *Replica) Watch(ctx context.Context) error {
	why, err := r.measure(ctx)
	if err != nil {
		return err
	}
	r.use(why == "")
	switch why {
	case r.why:
	case "":
		slog.InfoContext(ctx, "lists are read from the replica")
	default:
		slog.WarnContext(ctx, "lists are read from the primary", "why", why)
	}
	r.why = why
	return nil
}

// Why lists are not read from a replica.
const (
	replicaUnseen   = "nobody has looked yet" // which is not logged
	replicaAway     = "the replica does not answer"
	replicaPrimary  = "the server of DATABASE_READ_URL is no standby"
	replicaNotYet   = "the replica has not caught up yet"
	replicaTooLate  = "the replica is late"
	replicaPosition = "select coalesce(pg_last_wal_replay_lsn() - '0/0', 0)::bigint, pg_is_in_recovery()"
)

// measure measures the lag, and returns why lists cannot be read from the
// replica; "" if they can.
func (r *Replica) measure(ctx context.Context) (why string, err error) {
	now := mark{at: time.Now()}
	// A standby only receives what is flushed. While nothing commits, later
	// changes may stay unflushed for long.
	err = r.primary.QueryRow(ctx, "select (pg_current_wal_flush_lsn() - '0/0')::bigint").Scan(&now.position)
	if err != nil {
		return "", fmt.Errorf("read the primary's position: %w", err)
	}
	r.note(now)
	bounded, cancel := context.WithTimeout(ctx, replicaPatience)
	defer cancel()
	var replayed int64
	var standby bool
	err = r.pool.QueryRow(bounded, replicaPosition).Scan(&replayed, &standby)
	switch {
	case err != nil:
		r.lag.Store(-1)
		return replicaAway, nil
	case !standby:
		r.lag.Store(-1)
		return replicaPrimary, nil
	}
	lag, known := r.reached(replayed)
	switch {
	case !known:
		r.lag.Store(-1)
		return replicaNotYet, nil
	case lag > ReplicaLate:
		why = replicaTooLate
	}
	r.lag.Store(int64(lag))
	return why, nil
}

// note remembers the primary's position. If there are too many it drops every
// second one; the oldest stays.
func (r *Replica) note(now mark) {
	if len(r.marks) == marksMost {
		kept := r.marks[:0]
		for i := 0; i < marksMost; i += 2 {
			kept = append(kept, r.marks[i])
		}
		r.marks = kept
	}
	r.marks = append(r.marks, now)
}

// reached drops the replayed positions and returns how late the replica is.
func (r *Replica) reached(replayed int64) (lag time.Duration, known bool) {
	for len(r.marks) > 0 && r.marks[0].position <= replayed {
		r.marks, r.follows = r.marks[1:], true
	}
	if len(r.marks) > 0 {
		lag = time.Since(r.marks[0].at)
	}
	return lag, r.follows
}

type freshKey struct{}

// Fresh returns a context with which lists are read from the primary, for a
// caller who has just changed something and wants to see it.
func Fresh(ctx context.Context) context.Context { return context.WithValue(ctx, freshKey{}, true) }

// Look is List for lists that nothing will be changed by. It reads from the
// replica if that is usable. If that fails, for example because the query was
// cancelled in favour of replaying, it reads from the primary.
func Look[R any](
	ctx context.Context, pool Pool, replica *Replica, query func(q *Queries) ([]R, error),
) ([]R, error) {
	if replica.Usable() && ctx.Value(freshKey{}) == nil {
		rows, err := List(ctx, replica.pool, query)
		if err == nil || ctx.Err() != nil || errors.Is(err, fault.ErrBusy) {
			return rows, err
		}
		if isAway(err) { // later lists do not wait for it, until Watch has seen it again
			replica.use(false)
		}
		slog.WarnContext(ctx, "a list is read from the primary, because the replica failed", "error", err)
	}
	return List(ctx, pool, query)
}
