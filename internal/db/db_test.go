package db_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// setup is a database of its own. It has the test run beside others.
func setup(t *testing.T) *dbtest.DB {
	t.Helper()
	t.Parallel()
	return dbtest.New(t)
}

func insert(ctx context.Context, q *db.Queries) error {
	_, err := q.MerchantInsert(ctx, db.MerchantInsertParams{Name: "Merchant", CreatedAt: dbtest.Start})
	return err
}

func merchants(t *testing.T, d *dbtest.DB) int { return d.Count(t, "select count(*) from merchant") }

var errTest = errors.New("fn is unhappy")

// What a transaction leaves that is not made again, and what it ends with.
func TestInTx(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fn   func(ctx context.Context, leave func(), tx pgx.Tx, q *db.Queries) error
		left int
		want error
	}{
		"commits": {func(ctx context.Context, _ func(), _ pgx.Tx, q *db.Queries) error { return insert(ctx, q) }, 1, nil},
		"rolls back": {func(ctx context.Context, _ func(), _ pgx.Tx, q *db.Queries) error {
			return errors.Join(insert(ctx, q), errTest)
		}, 0, errTest},
		// With one connection the next transaction would hang if it
		// were kept.
		"panics": {func(ctx context.Context, _ func(), _ pgx.Tx, q *db.Queries) error {
			_ = insert(ctx, q)
			panic(errTest)
		}, 0, errTest},
		// An error that it keeps to itself has aborted the transaction
		// all the same: COMMIT rolls back, which is said.
		"hides that it is aborted": {func(ctx context.Context, _ func(), tx pgx.Tx, q *db.Queries) error {
			_ = insert(ctx, q)
			_, _ = tx.Exec(ctx, "select 1/0")
			return nil
		}, 0, pgx.ErrTxCommitRollback},
		// In a transaction it is a savepoint, whose rollback leaves the
		// outer one whole.
		"nests": {func(ctx context.Context, _ func(), tx pgx.Tx, q *db.Queries) error {
			inner := db.InTx(ctx, tx, func(_ pgx.Tx, q *db.Queries) error { return errors.Join(insert(ctx, q), errTest) })
			if !errors.Is(inner, errTest) {
				return errors.Join(errors.New("the inner one did not fail"), inner)
			}
			return insert(ctx, q)
		}, 1, nil},
		"commits for a caller who has left": {func(ctx context.Context, leave func(), _ pgx.Tx, q *db.Queries) error {
			defer leave()
			return insert(ctx, q)
		}, 1, nil},
		"stops with its caller": {func(ctx context.Context, leave func(), _ pgx.Tx, q *db.Queries) error {
			err := insert(ctx, q)
			leave()
			return errors.Join(err, insert(ctx, q))
		}, 0, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			d := setup(t)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			runs := 0
			err := func() (err error) {
				defer func() {
					if broken, panicked := recover().(error); panicked {
						err = broken
					}
				}()
				return db.InTx(ctx, d.Pool, func(tx pgx.Tx, q *db.Queries) error { runs++; return c.fn(ctx, leave, tx, q) })
			}()
			testenv.Check(t, errors.Is(err, c.want) && !errors.Is(err, fault.ErrOutcomeUnknown) && runs == 1 &&
				merchants(t, d) == c.left, "%v after %d runs, %d merchants", err, runs, merchants(t, d))
		})
	}
}

func TestInTxRetries(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		code string
		// fails is how many runs fail before one succeeds.
		fails, wantRuns int
		busy            bool
	}{
		"serialization failure, once":  {"40001", 1, 2, false},
		"serialization failure, three": {"40001", 3, 4, false},
		"serialization failure, four":  {"40001", 4, 4, true},
		"deadlock, three":              {"40P01", 3, 4, false},
		"deadlock, for ever":           {"40P01", 100, 4, true},
		"unique violation":             {"23505", 1, 1, false},
		"lock not available":           {"55P03", 1, 1, false},
		"query cancelled":              {"57014", 1, 1, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := dbtest.New(t)
			ctx, runs := context.Background(), 0
			err := db.InTx(ctx, d.Pool, func(tx pgx.Tx, q *db.Queries) error {
				runs++
				if err := insert(ctx, q); err != nil || runs > c.fails {
					return err
				}
				_, err := tx.Exec(ctx, "do $$ begin raise exception 'collision' using errcode = '"+c.code+"'; end $$")
				return err
			})
			succeeds := c.wantRuns > c.fails
			testenv.Check(t, runs == c.wantRuns && (err == nil) == succeeds && errors.Is(err, fault.ErrBusy) == c.busy,
				"%d runs, %v", runs, err)
			// Only what the last run wrote may be there.
			testenv.Want(t, merchants(t, d), map[bool]int{true: 1}[succeeds], "merchants")
		})
	}
}

// What fails only at COMMIT is refused for certain: a collision is repeated,
// anything else is an error like another.
func TestInTxErrorsAtCommit(t *testing.T) {
	t.Parallel()
	for code, wantRuns := range map[string]int{"40001": 4, "23514": 1} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			d := dbtest.New(t)
			ctx, runs := context.Background(), 0
			d.Exec(t, `
				create function refuse() returns trigger language plpgsql as
					$$ begin raise exception 'refused' using errcode = '`+code+`'; end $$;
				create constraint trigger refuse after insert on merchant deferrable initially deferred
					for each row execute function refuse()`)
			err := db.InTx(ctx, d.Pool, func(_ pgx.Tx, q *db.Queries) error { runs++; return insert(ctx, q) })
			testenv.Check(t, err != nil && !errors.Is(err, fault.ErrOutcomeUnknown) && runs == wantRuns && merchants(t, d) == 0,
				"%v after %d runs, %d merchants", err, runs, merchants(t, d))
		})
	}
}

// terminate ends a server process and waits until it is gone.
func terminate(t *testing.T, beside db.Pool, pid uint32) {
	t.Helper()
	testenv.Must(beside.Exec(context.Background(), "select pg_terminate_backend($1, 10000)", int32(pid)))(t)
}

// endingTx is a transaction of which only the end matters.
type endingTx struct {
	pgx.Tx
	commit func(context.Context) error
}

func (endingTx) Conn() *pgx.Conn { return nil }

func (e endingTx) Begin(context.Context) (pgx.Tx, error) { return e, nil }
func (e endingTx) Commit(ctx context.Context) error      { return e.commit(ctx) }

// The time COMMIT may take starts when fn is done. It must not be used up by a
// fn that had to wait.
func TestInTxCommitsAfterALongFn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tx := endingTx{commit: func(ctx context.Context) error { return ctx.Err() }}
		testenv.NoError(t, db.InTx(t.Context(), tx, func(pgx.Tx, *db.Queries) error {
			time.Sleep(time.Hour)
			return nil
		}))
	})
}

// Which of the answers to COMMIT leave its outcome open. Over TCP the server's
// last words can still arrive: FATAL is no refusal, it may have committed
// before it went.
func TestInTxUnderstandsCommit(t *testing.T) {
	t.Parallel()
	answer := func(severity, code string) error { return &pgconn.PgError{SeverityUnlocalized: severity, Code: code} }
	cases := map[string]struct {
		err     error
		unknown bool
	}{
		"refused":             {answer("ERROR", "23514"), false},
		"rolled back":         {pgx.ErrTxCommitRollback, false},
		"shut down":           {answer("FATAL", "57P01"), true},
		"crashed":             {answer("PANIC", "XX000"), true},
		"connection gone":     {io.ErrUnexpectedEOF, true},
		"no answer in time":   {context.DeadlineExceeded, true},
		"network unreachable": {&net.OpError{Op: "read", Err: errTest}, true},
	}
	for name, c := range cases {
		runs := 0
		tx := endingTx{commit: func(context.Context) error { return c.err }}
		err := db.InTx(t.Context(), tx, func(pgx.Tx, *db.Queries) error { runs++; return nil })
		testenv.Check(t, errors.Is(err, c.err) && errors.Is(err, fault.ErrOutcomeUnknown) == c.unknown && runs == 1,
			"%s: %v after %d runs", name, err, runs)
	}
}

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	wrapped := func(code string) error { return errors.Join(errTest, &pgconn.PgError{Code: code}) }
	testenv.Check(t, db.IsLockTimeout(wrapped("55P03")) && !db.IsLockTimeout(wrapped("40001")) &&
		!db.IsLockTimeout(errTest), "lock timeout")
	testenv.Check(t, db.NoRows(errors.Join(errTest, pgx.ErrNoRows)) && !db.NoRows(nil), "no rows")
}

// The URL carries the password; an error, which is logged, must not.
func TestOpenKeepsThePassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://gateway:hunter2@127.0.0.1:bad/db", "postgres://gateway:hunter2@127.0.0.1:1/db?connect_timeout=2",
	} {
		pool, err := db.Open(t.Context(), url, 1, db.ForCommands)
		if err == nil {
			pool.Close()
			t.Errorf("%s was opened", url)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error shows the password: %s", err)
		}
	}
}

// A transaction of one round trip takes no answer that may be missing when its
// COMMIT is sent already.
func TestWriteTakesNoAnswerThatMayBeMissing(t *testing.T) {
	d := setup(t)
	var name db.Payment
	err := db.Write(t.Context(), d.Pool, db.Do((*db.Queries).AccountFoldFromStart, int64(8)),
		db.One(&name, (*db.Queries).PaymentFind, int64(1)))
	testenv.Check(t, err != nil && !db.NoRows(err), "a query that may find nothing: %v", err)
	var covered bool
	err = db.Write(t.Context(), d.Pool, db.Do((*db.Queries).SimulationPlayKeep, []string{}),
		db.Always(&covered, (*db.Queries).AccountDebit, db.AccountDebitParams{ID: 4711 << 3}))
	testenv.Check(t, errors.Is(err, db.ErrMissing), "a debit without an account: %v", err)
}

// What background work commits is not cut short when nobody waits for it any
// more; what else it asks is, so that a process that stops leaves nothing
// running.
func TestWorkCancelsNoCommit(t *testing.T) {
	d := setup(t)
	d.Exec(t, "create table probe (committing boolean)")
	for _, committing := range []bool{false, true} {
		limit, sleeps := 200*time.Millisecond, 30
		if committing { // the statement has begun by then, and takes longer
			limit, sleeps = time.Second, 3
		}
		pool := d.Open(t, 1, db.ForWork)
		conn := testenv.Must(db.Driver(pool).Acquire(t.Context()))(t)
		ended := func(error) {}
		if committing {
			ended = db.Commits(conn.Conn())
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		_, err := conn.Exec(ctx,
			fmt.Sprintf("do $$ begin perform pg_sleep(%d); insert into probe values (%t); end $$", sleeps, committing))
		cancel()
		ended(err)
		conn.Release()
		testenv.WantError(t, err, context.DeadlineExceeded, "committing %t", committing)
		testenv.Until(t, "the statement has ended", func() bool {
			return d.Count(t, `select count(*) from pg_stat_activity
				where datname = current_database() and state = 'active' and query like 'do $$%'`) == 0
		})
		testenv.Want(t, d.Count(t, "select count(*) from probe where committing = $1", committing) == 1, committing, "a row is there")
	}
}

// A list that takes too long is given up, and its connection is as good as
// before.
func TestListIsBounded(t *testing.T) {
	d := setup(t)
	list := func() error {
		_, err := db.List(t.Context(), d.Pool, func(q *db.Queries) ([]db.RateLimit, error) {
			_, err := q.RateLimitList(t.Context())
			return nil, err
		})
		return err
	}
	other := d.Beside(t)
	testenv.Must(other.Exec(t.Context(), "lock table rate_limit"))(t)
	began := time.Now()
	testenv.WantError(t, list(), fault.ErrBusy, "a list of a locked table")
	testenv.Check(t, time.Since(began) >= 1900*time.Millisecond, "it was given up after %s", time.Since(began))
	testenv.NoError(t, other.Rollback(t.Context()))
	testenv.NoError(t, list())
	_, err := db.List(t.Context(), d.Pool,
		func(q *db.Queries) ([]int, error) { return nil, q.RateLimitScale(t.Context(), 2) })
	testenv.Check(t, err != nil && !errors.Is(err, fault.ErrBusy), "a list wrote: %v", err)
	timeout := d.Text(t, "show statement_timeout")
	testenv.Want(t, timeout, "0", "afterwards the timeout is")
}

// Somebody else's snapshot is seen by who may see it. Others are told that
// nobody knows, and not that all is well.
func TestOldestSnapshot(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := dbtest.New(t)
	role := "blind_" + strings.ToLower(rand.Text())
	d.Exec(t, "create role "+role)
	t.Cleanup(func() {
		d.Exec(t, "drop role "+role)
	})
	other := d.Beside(t)
	for _, sql := range []string{"set transaction isolation level repeatable read", "select from merchant"} {
		testenv.Must(other.Exec(ctx, sql))(t)
	}
	time.Sleep(1100 * time.Millisecond)
	config := d.Pool.Config()
	config.ConnConfig.RuntimeParams["role"] = role
	blind := testenv.Must(pgxpool.NewWithConfig(ctx, config))(t)
	defer blind.Close()
	seconds, err := db.OldestSnapshot(ctx, blind)
	testenv.Check(t, err == nil && seconds == -1, "who may not see it: %d %v", seconds, err)
	seconds, err = db.OldestSnapshot(ctx, d.Pool)
	testenv.Check(t, err == nil && seconds >= 1, "who may see it: %d %v", seconds, err)
	d.Exec(t, "grant pg_read_all_stats to "+role)
	seconds, err = db.OldestSnapshot(ctx, blind)
	testenv.Check(t, err == nil && seconds >= 1, "who has been granted to see it: %d %v", seconds, err)
}

// What is written as an amount or a uuid is what PostgreSQL reads, with all
// digits, in arrays too.
func TestAmountsAreWrittenWhole(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	d := dbtest.Empty(t)
	for _, text := range []string{
		"0", "0.00", "1", "-1", "10000", "9999", "100000000", "0.00000001", "-0.00000001", "1500.00", "92.5", "123456789012345",
		"-999999999999.99", "1234567.12345678", "12345678901234567890.12345678", "0.0000000000000001", "99999999999999999999999999",
	} {
		want := decimal.RequireFromString(text)
		var got, zeros string
		var list []decimal.Decimal
		var null *string
		testenv.NoError(t, d.Pool.QueryRow(t.Context(), "select $1::numeric::text, $2::numeric::text, $3::numeric[], $4::numeric::text",
			want, decimal.NewNullDecimal(want), []decimal.Decimal{want, want}, decimal.NullDecimal{}).Scan(&got, &zeros, &list, &null))
		testenv.Check(t, got == text && zeros == text && list[1].Equal(want) && null == nil, "%s: %s, %s, %v, %v", text, got, zeros, list, null)
	}
	for exponent := range int32(30) {
		want := decimal.New(1234567890123, exponent-20)
		var got decimal.Decimal
		testenv.NoError(t, d.Pool.QueryRow(t.Context(), "select $1::numeric", want).Scan(&got))
		testenv.Check(t, got.Equal(want), "%s: %s", want, got)
	}
	id := uuid.New()
	var text string
	testenv.NoError(t, d.Pool.QueryRow(t.Context(), "select ($1::uuid)::text || ($2::uuid[])[2]::text", id, []uuid.UUID{uuid.Nil, id}).Scan(&text))
	testenv.Want(t, text, id.String()+id.String(), "uuid")
}
