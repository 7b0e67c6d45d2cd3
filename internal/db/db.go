// Package db connects to PostgreSQL: pools, transactions, migrations, and the
// queries that sqlc generates.
package db

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/fault"
	"gateway.example/internal/tracing"
)

//go:generate go tool -modfile=../tools/generate/go.mod sqlc generate -f ../../sqlc.yaml

// Open connects a pool of at most maxConns connections of a kind, the only one
// of its group, and checks that the server answers.
func Open(ctx context.Context, url string, maxConns int, kind Kind) (Pool, error) {
	return new(Group).Open(ctx, url, maxConns, kind)
}

// Open is like the function Open, for another pool of the group.
func (g *Group) Open(ctx context.Context, url string, maxConns int, kind Kind) (Pool, error) {
	pool, err := g.newPool(ctx, url, maxConns, kind)
	if err != nil {
		return nil, err
	}
	err = pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error { return checkSettings(ctx, conn.Conn()) })
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	return pool, nil
}

// Traced wraps the tracer of every pool. It is set only in tests, and in a
// program that tests can kill at each of its commits.
var Traced func(pgx.QueryTracer) pgx.QueryTracer

// newPool is Open without the check that the server answers.
func (g *Group) newPool(ctx context.Context, url string, maxConns int, kind Kind) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The driver's error quotes the URL and with it a password.
		return nil, errors.New("the database URL is not valid")
	}
	config.MaxConns = int32(min(maxConns, 10_000))
	config.ConnConfig.RuntimeParams["application_name"] = "gateway"
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	// Compiling a plan takes longer than our statements do, and a wrong
	// estimate would be enough to start it.
	config.ConnConfig.RuntimeParams["jit"] = "off"
	maps.Copy(config.ConnConfig.RuntimeParams, kind.params())
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.ConnConfig.DialFunc = dialer().DialContext
	if found := config.ConnConfig.ValidateConnect; found != nil { // the URL has target_session_attrs
		config.ConnConfig.ValidateConnect = g.newest(found)
	}
	config.BeforeConnect = kind.cancelNoCommit
	config.ShouldPing = g.isDead // the pool closes connections that do not answer its ping
	config.BeforeClose = closeSoon
	config.PrepareConn = isAlive
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		registerTypes(conn.TypeMap())
		return nil
	}
	bounds := answers{group: g, limit: kind.answer()}
	config.ConnConfig.Tracer = bounds
	if tracing.On() {
		config.ConnConfig.Tracer = multitracer.New(bounds, tracing.Statements())
	}
	if Traced != nil {
		config.ConnConfig.Tracer = Traced(config.ConnConfig.Tracer)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the pool: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pools = append(g.pools, pool)
	return pool, nil
}

var errNoCancel = errors.New("a statement that is given up is not cancelled")

// cancelNoCommit prevents the driver from cancelling a COMMIT on a second
// connection when its caller has gone, and for some kinds from cancelling any
// statement. If a COMMIT that waits for a synchronous standby were cancelled,
// everybody would see its changes and a failover would lose them. The server
// itself ends everything else that takes too long. A server that hangs accepts
// a cancellation and does not answer; it has pingLimit for that.
func (k Kind) cancelNoCommit(_ context.Context, config *pgx.ConnConfig) error {
	connected, committing := new(atomic.Bool), new(atomic.Bool)
	committing.Store(k.commits)
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		switch {
		case !connected.Load():
			return dial(ctx, network, address)
		case committing.Load():
			return nil, errNoCancel
		}
		ctx, cancel := context.WithTimeout(ctx, pingLimit)
		defer cancel()
		conn, err := dial(ctx, network, address)
		if err == nil {
			_ = conn.SetDeadline(time.Now().Add(pingLimit))
		}
		return conn, err
	}
	config.AfterConnect = func(_ context.Context, conn *pgconn.PgConn) error {
		connected.Store(true)
		if !k.commits {
			conn.CustomData()[committingKey] = committing
		}
		return nil
	}
	return nil
}

// committingKey is the key under which a connection notes that it is
// committing.
const committingKey = "gateway committing"

// commits stores that a connection is committing, until the result is known. If
// a COMMIT was given up, the connection is closed and not used again.
func commits(conn *pgx.Conn) (ended func(error)) {
	if conn == nil { // a wrapper that stands for a transaction
		return func(error) {}
	}
	committing, ok := conn.PgConn().CustomData()[committingKey].(*atomic.Bool)
	if !ok {
		return func(error) {}
	}
	committing.Store(true)
	return func(err error) {
		if err == nil || refused(err) || errors.Is(err, pgx.ErrTxCommitRollback) {
			committing.Store(false)
		}
	}
}

// Pool is a *pgxpool.Pool, as services see it. A package from which a field of
// that type can be reached compiles the generic methods of pools again: seventy
// packages did, which was a twelfth of this module's compiled code.
type Pool interface {
	DBTX
	Beginner
	Batcher
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
	Config() *pgxpool.Config
	Stat() *pgxpool.Stat
	Reset()
	Close()
}

// Driver is the pool as its driver knows it.
func Driver(p Pool) *pgxpool.Pool {
	return p.(*pgxpool.Pool) //nolint:forcetypeassert // there is no other kind
}

// Beginner starts a transaction: a pool, or in tests a transaction, which
// starts a savepoint.
type Beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

const (
	// connectTimeout is the limit for hosts that do not answer at all,
	// unless the URL sets another. Callers wait that long.
	connectTimeout = 5 * time.Second

	txRetries     = 3
	retryAfter    = 10 * time.Millisecond
	commitTimeout = 15 * time.Second
)

// InTx runs fn in a transaction and commits it when fn returns nil. Everything
// that fn does must go through tx or q. After a serialization failure or
// deadlock fn runs again, up to three times, so it must have no effects outside
// the transaction. InTx does not repeat a COMMIT with an unknown result: it
// returns fault.ErrOutcomeUnknown.
func InTx(ctx context.Context, b Beginner, fn func(tx pgx.Tx, q *Queries) error) error {
	return retry(ctx, func() error { return once(ctx, b, fn) })
}

// retry repeats a transaction that collided with others.
func retry(ctx context.Context, transaction func() error) error {
	for try := 0; ; try++ {
		err := transaction()
		if !collided(err) {
			return err
		}
		if try == txRetries {
			return fmt.Errorf("%w: %w", fault.ErrBusy, err)
		}
		backOff(ctx, try)
	}
}

// backOff lets the other transaction of a collision go first. The victim of a
// deadlock, if it came back at once, would often lock the same row again before
// the other one wakes up, and be the next victim too.
func backOff(ctx context.Context, try int) {
	wait := time.NewTimer(time.Duration(float64(retryAfter<<try) * (0.5 + rand.Float64())))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
}

// InTxWithin is InTx with a time limit up to the COMMIT, after which it returns
// ErrBusy.
func InTxWithin(
	ctx context.Context,
	limit time.Duration,
	b Beginner,
	fn func(ctx context.Context, tx pgx.Tx, q *Queries) error,
) error {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := InTx(bounded, b, func(tx pgx.Tx, q *Queries) error { return fn(bounded, tx, q) })
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", fault.ErrBusy, err)
	}
	return err
}

// once is one try of InTx. ROLLBACK and COMMIT are not cancelled with ctx and
// have commitTimeout each. If nobody knows whether a COMMIT took effect, the
// error is fault.ErrOutcomeUnknown.
func once(ctx context.Context, b Beginner, fn func(tx pgx.Tx, q *Queries) error) error {
	tx, err := begin(ctx, b)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	// A client that hangs up stops fn at its next statement, but not COMMIT
	// or ROLLBACK.
	committed := false
	defer func() {
		if !committed {
			end, cancel := ending(ctx)
			defer cancel()
			_ = tx.Rollback(end)
		}
	}()
	if err := fn(tx, New(tx)); err != nil {
		return err
	}
	committed = true
	// The time limit for COMMIT begins here, however long fn took.
	end, cancel := ending(ctx)
	defer cancel()
	ended := commits(tx.Conn())
	err = tx.Commit(end)
	ended(err)
	return commitError(err)
}

// ending is the context in which a transaction ends: the caller cannot cancel
// it, but it has a limit.
func ending(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
}

// commitError tells a COMMIT that the server refused from one with an unknown
// result. If the server ended the connection (severity FATAL, for example at
// shutdown), the commit may have been logged before.
func commitError(err error) error {
	switch {
	case err == nil:
		return nil
	case refused(err), errors.Is(err, pgx.ErrTxCommitRollback), errors.Is(err, pgx.ErrTxClosed):
		return fmt.Errorf("commit: %w", err)
	default:
		return fmt.Errorf("%w: commit: %w", fault.ErrOutcomeUnknown, err)
	}
}

// refused reports whether the server answered with an error and keeps the
// connection.
func refused(err error) bool {
	var answer *pgconn.PgError
	return errors.As(err, &answer) && answer.SeverityUnlocalized == "ERROR"
}

const (
	codeSerializationFailure = "40001"
	codeDeadlockDetected     = "40P01"
	codeLockNotAvailable     = "55P03"
	codeQueryCanceled        = "57014"
	codeDataCorrupted        = "XX001"
	codeIndexCorrupted       = "XX002"
)

// collided reports whether another transaction was in the way, so that this one
// has to be repeated. That also happens if two transactions insert the same day
// of a requisite, because neither sees the other's row.
func collided(err error) bool {
	return hasCode(err, codeSerializationFailure) || hasCode(err, codeDeadlockDetected) ||
		Violated(err) == "requisite_day_pkey"
}

// IsLockTimeout reports whether the error is a lock timeout.
func IsLockTimeout(err error) bool { return hasCode(err, codeLockNotAvailable) }

// IsDamaged reports whether PostgreSQL could not read what is stored, because
// it is not what was written.
func IsDamaged(err error) bool {
	return hasCode(err, codeDataCorrupted) || hasCode(err, codeIndexCorrupted)
}

func hasCode(err error, code string) bool {
	// The variable is made only for a real error, because this is called
	// with nil most of the time.
	if err == nil || err == errNoted { //nolint:errorlint // it is never wrapped
		return false
	}
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}

// NoRows reports whether err says that a :one query found nothing.
func NoRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// Missing returns the refusal if a :one query found nothing, and otherwise the
// error with what was being done. It is nil for no error.
func Missing(err, refusal error, doing string) error {
	if NoRows(err) {
		return refusal
	}
	return fault.Doing(doing, err)
}

// IgnoreNoRows is err, or nil if a :one query found nothing.
func IgnoreNoRows(err error) error {
	if NoRows(err) {
		return nil
	}
	return err
}

// IsCheckViolation reports whether err says that a row would break a CHECK.
func IsCheckViolation(err error) bool { return hasCode(err, "23514") }

// IsWrongValue reports whether err says that a parameter is none that the
// database knows, such as a time zone.
func IsWrongValue(err error) bool { return hasCode(err, "22023") }

// Violated is the name of the constraint that refused a row, or "". For an
// error on another node Citus passes on only the text, with the constraint of
// the shard, whose name is that of the constraint with the shard's number.
func Violated(err error) string {
	if err == nil {
		return ""
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return ""
	}
	if pg.ConstraintName != "" || !strings.HasPrefix(pg.Code, "23") {
		return pg.ConstraintName
	}
	if found := shardConstraint.FindStringSubmatch(pg.Message); found != nil {
		return found[1]
	}
	return ""
}

var shardConstraint = regexp.MustCompile(`constraint "(\w+?)(?:_\d{6,})?"$`)

// IsForeignKeyViolation reports whether err says that a row refers to one that
// does not exist.
func IsForeignKeyViolation(err error) bool { return hasCode(err, "23503") }

// IsUniqueViolation reports whether err says that another row has the same key.
func IsUniqueViolation(err error) bool { return hasCode(err, "23505") }
