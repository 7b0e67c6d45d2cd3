package db

import (
	"strconv"
	"time"
)

// Kind is the purpose of a pool's connections. It limits how long a statement
// may run or wait for a lock, and how long a transaction may be idle. The
// server enforces this even if the process freezes.
type Kind struct {
	statement, lock, silence time.Duration
	// byIndex makes plans prefer indexes. The planner often takes a table
	// that is empty at times for small. A plan by index is never slow, but
	// a plan that was cached for an empty table would scan the full one.
	byIndex bool
	// commits requires that a COMMIT is stored on every required machine
	// before it is visible. It is not cancelled: the server ends it by its
	// own limit.
	commits bool
}

// The kinds of connections. Each has a pool of its own, so that no kind uses up
// the connections of another.
var (
	// ForCreations is for creating payments. What cannot be locked at once
	// counts as taken, and the next candidate is tried.
	ForCreations = Kind{
		statement: 5 * time.Second,
		lock:      200 * time.Millisecond,
		silence:   2 * time.Second,
		commits:   true,
	}
	// ForCalls is for all other calls that write.
	ForCalls = Kind{statement: 7 * time.Second, lock: 2 * time.Second, silence: 2 * time.Second, commits: true}
	// ForReads is for reads, which lock nothing.
	ForReads = Kind{statement: 7 * time.Second, lock: time.Second, silence: 2 * time.Second}
	// ForWork is for background work.
	ForWork = Kind{statement: 10 * time.Minute, lock: time.Second, silence: 10 * time.Second}
	// ForDeliveries is for the relay and the deliverer.
	ForDeliveries = Kind{
		statement: 7 * time.Second,
		lock:      2 * time.Second,
		silence:   2 * time.Second,
		byIndex:   true,
		commits:   true,
	}
	// ForCommands is for commands, without limits.
	ForCommands = Kind{}
)

// params are the session settings of a kind.
func (k Kind) params() map[string]string {
	params := map[string]string{
		"statement_timeout":                   milliseconds(k.statement),
		"lock_timeout":                        milliseconds(k.lock),
		"idle_in_transaction_session_timeout": milliseconds(k.silence),
	}
	if k.byIndex {
		params["enable_seqscan"], params["enable_hashjoin"], params["enable_mergejoin"] = "off", "off", "off"
	}
	return params
}

// answer is how long a client waits for the answer to a statement: a little
// longer than the server lets the statement run. 0 is for ever.
func (k Kind) answer() time.Duration {
	if k.statement == 0 {
		return 0
	}
	return k.statement + answerGrace
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// Pools are the pools for calls.
type Pools struct{ Creations, Calls, Reads Pool }

// OnePool uses one pool for everything.
func OnePool(pool Pool) Pools { return Pools{Creations: pool, Calls: pool, Reads: pool} }
