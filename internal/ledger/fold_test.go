package ledger_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

// beside is a connection of somebody else.
func (b bundle) beside(t *testing.T) db.Pool {
	t.Helper()
	pool := testenv.Must(db.Open(t.Context(), b.URL, 1, db.ForCommands))(t)
	t.Cleanup(pool.Close)
	return pool
}

// hold has somebody else keep accounts locked.
func (b bundle) hold(t *testing.T, accounts ...ledger.Account) pgx.Tx {
	t.Helper()
	holder := b.Beside(t)
	for _, a := range accounts {
		testenv.NoError(t, db.New(holder).AccountLock(t.Context(), a.ID()))
	}
	return holder
}

// An account that somebody else keeps locked is left for the next round, and
// holds up none of those after it.
func TestFoldWaitsForNoAccount(t *testing.T) {
	b := setup(t, "0")
	accounts := []ledger.Account{shop, platform}
	slices.SortFunc(accounts, func(a, b ledger.Account) int { return int(a.ID() - b.ID()) })
	for _, a := range accounts {
		credit(t, b, a, 1001)
	}
	holder := b.hold(t, accounts[0])
	ctx, cancel := context.WithTimeout(t.Context(), testenv.Patience)
	defer cancel()
	err := ledger.Fold(ctx, b.Pool, b.Queries())
	testenv.Check(t, db.IsLockTimeout(err), "folding a locked account: %v", err)
	for i, want := range []int{1001, 0} {
		n := b.Count(t, "select count(*) from account_pending where account_id = $1", accounts[i].ID())
		testenv.Check(t, n == want, "account %d has %d pending, want %d", accounts[i].ID(), n, want)
	}
	testenv.NoError(t, holder.Rollback(ctx))
	testenv.NoError(t, ledger.Fold(ctx, b.Pool, b.Queries()))
	b.Audit(t)
}

// credit books n credits of 0.01.
func credit(t *testing.T, b bundle, a ledger.Account, n int) {
	t.Helper()
	testenv.NoError(t, db.InTx(t.Context(), b.Pool, func(_ pgx.Tx, q *db.Queries) error {
		for range n {
			if err := ledger.Post(t.Context(), q, cause, move(outside, a, "0.01")); err != nil {
				return err
			}
		}
		return nil
	}))
}

// A debit that the balance covers leaves what is pending alone; another folds
// it in.
func TestDebitFoldsOnlyWhatItNeeds(t *testing.T) {
	b := setup(t, "10")
	testenv.NoError(t, b.post(move(trader, shop, "4")))
	b.Fund(t, trader, "1")
	for _, c := range []struct {
		debit   string
		pending int
	}{{"5.99999999", 1}, {"0.00000001", 1}, {"0.00000001", 0}} {
		testenv.NoError(t, b.post(move(trader, shop, c.debit)))
		n := b.Count(t, "select count(*) from account_pending where account_id = $1", trader.ID())
		testenv.Check(t, n == c.pending, "%d pending after a debit of %s, want %d", n, c.debit, c.pending)
	}
	b.wantBalance(t, trader, "0.99999999")
	testenv.WantError(t, b.post(move(trader, shop, "1")), ledger.ErrInsufficient, "more than is there")
	b.Audit(t)
}

// While an old snapshot keeps the rows that were folded, a debit passes by
// those of a minute ago and before; one that comes with an id from then is
// found by the next round.
func TestDebitPassesByWhatIsGone(t *testing.T) {
	t.Parallel()
	b := funded(t, dbtest.Fresh(t), "0")
	old := testenv.Must(b.beside(t).BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead}))(t)
	t.Cleanup(func() { _ = old.Rollback(context.Background()) })
	testenv.Must(old.Exec(t.Context(), "select count(*) from account_pending"))(t)
	const many = 1001
	later := func() { b.Exec(t, "update account_fold set noted_at = noted_at - interval '61 seconds'") }
	fold := func() { testenv.NoError(t, ledger.FoldNow(t.Context(), b.Pool, shop)) }
	reads := func() (read int) {
		testenv.NoError(t, db.InTx(t.Context(), b.Pool, func(tx pgx.Tx, q *db.Queries) error {
			sofar := func() (n int) {
				testenv.NoError(t, tx.QueryRow(t.Context(), "select pg_stat_get_xact_tuples_returned('account_pending_pkey'::regclass)").Scan(&n))
				return n
			}
			before := sofar()
			err := ledger.Post(t.Context(), q, cause, move(shop, platform, "1000"))
			testenv.WantError(t, err, ledger.ErrInsufficient, "more than is there")
			read = sofar() - before
			return nil
		}))
		return read
	}
	credit(t, b, shop, many)
	fold()
	got := reads()
	testenv.Need(t, got >= many, "read %d of the %d rows the old snapshot keeps: the test does not see them", got, many)
	later()
	fold()
	testenv.Want(t, reads(), 0, "rows read that are gone")
	// A transaction took its ids long ago and commits only now.
	b.Exec(t, `insert into account_pending (account_id, id, amount) overriding system value
		select account_id, 1, 0.01 from account_fold`)
	b.Exec(t, "update account_balance set balance = balance - 0.01 where account_id = $1", shop.ID())
	testenv.NoError(t, ledger.Fold(t.Context(), b.Pool, b.Queries()))
	testenv.Want(t, b.Count(t, "select count(*) from account_pending where account_id = $1", shop.ID()), 0, "rows are left that came late")
	b.WantHas(t, map[ledger.Account]string{shop: "10.01"})
}

// parallel runs fn n times at once and counts how many succeed; any error but
// ErrInsufficient fails the test.
func parallel(t *testing.T, n int, fn func(i int) error) int {
	t.Helper()
	done := 0
	for _, err := range testenv.AtOnce(n, fn) {
		if err == nil {
			done++
		} else {
			testenv.WantError(t, err, ledger.ErrInsufficient, "a call")
		}
	}
	return done
}

func TestParallelDebitsTakeWhatIsThere(t *testing.T) {
	b := setup(t, "50")
	testenv.Want(t, parallel(t, 100, func(int) error { return b.post(move(trader, frozen, "1")) }), 50, "debits taken")
	b.WantHas(t, map[ledger.Account]string{trader: "0", frozen: "50"})
}

// Debits fold while credits pour in: a credit that a fold passed by must still
// be there for the next one.
func TestParallelCreditsAndDebitsLoseNothing(t *testing.T) {
	b := setup(t, "1000")
	var debits atomic.Int64
	parallel(t, 300, func(i int) error {
		if i%3 > 0 {
			return b.post(move(trader, shop, "0.3"))
		}
		err := b.post(move(shop, platform, "0.2"))
		if err == nil {
			debits.Add(1)
		}
		return err
	})
	// 200 credits of 0.3, and 0.2 off for every debit that found cover.
	spent := decimal.NewFromInt(debits.Load()).Mul(dec("0.2"))
	b.WantHas(t, map[ledger.Account]string{trader: "940", shop: dec("60").Sub(spent).String(), platform: spent.String()})
}

// Whatever the order of the transfers, they lock by account id: here it waits
// for the higher account, with the lower one locked already.
func TestLocksInTheOrderOfIDs(t *testing.T) {
	b := setup(t, "10")
	b.Fund(t, shop, "10")
	low, high := shop, trader
	if low.ID() > high.ID() {
		low, high = high, low
	}
	ctx := context.Background()
	holder, beside := b.hold(t, high), b.beside(t)
	result := make(chan error, 1)
	go func() { result <- b.post(move(high, platform, "1"), move(low, platform, "1")) }()
	b.AwaitBlocked(t)
	var locked *pgconn.PgError
	_, err := beside.Exec(ctx, "select from account_balance where account_id = $1 for no key update nowait", low.ID())
	testenv.Check(t, errors.As(err, &locked) && locked.Code == "55P03", "the lower account is not locked: %v", err)
	testenv.NoError(t, holder.Rollback(ctx))
	testenv.NoError(t, <-result)
}

// Credits must not queue behind a debit: an account locked by someone else
// still takes them.
func TestCreditsLockNothing(t *testing.T) {
	b := setup(t, "10")
	holder := b.hold(t, shop, frozen)
	impatient, cancel := context.WithTimeout(t.Context(), testenv.Patience)
	defer cancel()
	testenv.NoError(t, db.InTx(impatient, b.Pool, func(_ pgx.Tx, q *db.Queries) error {
		// A hold's release is a debit of reserved money: that locks
		// nothing either.
		err := ledger.Post(impatient, q, cause, move(trader, frozen, "6"))
		return errors.Join(err, ledger.Post(impatient, q, cause, move(frozen, shop, "2")))
	}))
	testenv.NoError(t, holder.Rollback(t.Context()))
	b.WantHas(t, map[ledger.Account]string{shop: "2", frozen: "4"})
}
