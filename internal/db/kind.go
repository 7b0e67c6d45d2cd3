package db

import (
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Kind is what a pool's connections are for. It bounds how long a statement may run, how long it
// may wait for a lock, and how long a transaction may be silent. The server sees to that, so it
// holds also when this process freezes.
type Kind struct {
	statement, lock, silence time.Duration
	// byIndex has plans go by index. Tables that are now empty and now full are often taken for
	// smaller than they are: a plan by index is never slow, while one made for an empty table and
	// kept would read the full one whole.
	byIndex bool
	// commits say that a COMMIT must be on every machine it is to be on before anybody sees it. What is given up is not
	// cancelled then: the server ends it in its own time.
	commits bool
}

// The kinds of connections a gateway has, each with a pool of its own, so that none of them uses up
// another's.
var (
	// ForCreations: what they cannot lock at once is not to be had, and something else is tried.
	ForCreations = Kind{
		statement: 5 * time.Second,
		lock:      200 * time.Millisecond,
		silence:   2 * time.Second,
		commits:   true,
	}
	// ForCalls are all other calls that write.
	ForCalls = Kind{statement: 7 * time.Second, lock: 2 * time.Second, silence: 2 * time.Second, commits: true}
	// ForReads lock nothing.
	ForReads = Kind{statement: 7 * time.Second, lock: time.Second, silence: 2 * time.Second}
	// ForWork is what comes round by itself.
	ForWork = Kind{statement: 10 * time.Minute, lock: time.Second, silence: 10 * time.Second}
	// ForDeliveries are the relay's and the deliverer's.
	ForDeliveries = Kind{
		statement: 7 * time.Second,
		lock:      2 * time.Second,
		silence:   2 * time.Second,
		byIndex:   true,
		commits:   true,
	}
	// ForCommands are given by hand, and take as long as they take.
	ForCommands = Kind{}
)

// params are the settings of a kind's sessions.
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

// answer is how long a statement's answer is waited for; 0 is for ever.
func (k Kind) answer() time.Duration {
	if k.statement == 0 {
		return 0
	}
	return k.statement + answerGrace
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// Pools are the connections of those who answer calls.
type Pools struct{ Creations, Calls, Reads *pgxpool.Pool }

// OnePool is one pool for all of it, for those who have nobody to keep apart.
func OnePool(pool *pgxpool.Pool) Pools { return Pools{Creations: pool, Calls: pool, Reads: pool} }
