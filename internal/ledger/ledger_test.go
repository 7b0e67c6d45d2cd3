package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// The accounts of a small world: one trader, one cashbox, the platform and the world outside.
var (
	outside  = ledger.Available(ledger.External, 0)
	platform = ledger.Available(ledger.Platform, 0)
	shop     = ledger.Available(ledger.Cashbox, 1)
	trader   = ledger.Available(ledger.Trader, 1)
	held     = ledger.Reserved(ledger.Trader, 1)
	// What the platform reserves stands for nothing in particular, so that the audit has no opinion
	// of it.
	frozen = ledger.Reserved(ledger.Platform, 0)
)

// bundle is a ledger in which the trader has USDT.
type bundle struct{ *dbtest.DB }

func setup(t *testing.T, usdt string) bundle {
	t.Helper()
	d := dbtest.New(t)
	for _, a := range []ledger.Account{shop, trader} {
		check(t, ledger.Open(t.Context(), d.Queries(), a.Owner, a.OwnerID))
	}
	d.Fund(t, trader, usdt)
	return bundle{d}
}

// move is a transfer of an amount from one account to another.
func move(from, to ledger.Account, amount string) ledger.Transfer {
	return ledger.Transfer{Debit: from, Credit: to, Amount: dec(amount)}
}

var cause = ledger.Cause{Kind: "test", Subject: "test", SubjectID: 1, At: dbtest.Start}

func (b bundle) post(transfers ...ledger.Transfer) error { return b.postAbout(cause, transfers...) }

func (b bundle) postAbout(c ledger.Cause, transfers ...ledger.Transfer) error {
	return db.InTx(context.Background(), b.Pool, func(_ pgx.Tx, q *db.Queries) error {
		return ledger.Post(context.Background(), q, c, transfers...)
	})
}

func (b bundle) force(c ledger.Cause, transfers ...ledger.Transfer) error {
	p := ledger.Plan(c, true, transfers...)
	return db.InTx(context.Background(), b.Pool, func(tx pgx.Tx, _ *db.Queries) error {
		return db.Pipeline(context.Background(), tx, append(p.Debits, p.Record...)...)
	})
}

func (b bundle) wantBalance(t *testing.T, a ledger.Account, want string) {
	t.Helper()
	if got := b.Balance(t, a); !got.Equal(dec(want)) {
		t.Errorf("%s %d has %s, want %s", a.Owner, a.OwnerID, got, want)
	}
}

func (b bundle) overdrawn(t *testing.T, a ledger.Account) bool {
	t.Helper()
	return one[bool](t, b.Pool, "select overdrawn from account_balance where account_id = $1", a.ID())
}

func one[T any](t *testing.T, pool *pgxpool.Pool, sql string, args ...any) T {
	t.Helper()
	rows, err := pool.Query(context.Background(), sql, args...)
	check(t, err)
	v, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	check(t, err)
	return v
}

func exec(t *testing.T, pool *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	_, err := pool.Exec(context.Background(), sql, args...)
	check(t, err)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

func TestPost(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	check(t, b.post(move(trader, shop, "9"), move(trader, platform, "0.5")))
	b.wantBalance(t, trader, "0.5")
	b.wantBalance(t, shop, "9")
	b.wantBalance(t, platform, "0.5")
	// To the last unit, and not one further.
	check(t, b.post(move(trader, shop, "0.5")))
	b.wantBalance(t, trader, "0")
	if err := b.post(move(trader, shop, "0.00000001")); !errors.Is(err, ledger.ErrInsufficient) {
		t.Fatalf("%v", err)
	}
	b.Audit(t)
}

// rows are the transfers about a subject, in their order.
func (b bundle) rows(t *testing.T, c ledger.Cause) string {
	t.Helper()
	return one[string](
		t,
		b.Pool,
		`select coalesce(string_agg(debit_account || '>' || credit_account || ' ' || amount, ', ' order by id), '')
		from transfer where subject = $1 and subject_id = $2`,
		c.Subject,
		c.SubjectID,
	)
}

func row(from, to ledger.Account, amount string) string {
	return fmt.Sprintf("%d>%d %s", from.ID(), to.ID(), dec(amount).StringFixed(8))
}

func TestOneRowBetweenTwoAccounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		transfers []ledger.Transfer
		want      []string
	}{
		"one way twice":            {[]ledger.Transfer{move(trader, shop, "1"), move(trader, shop, "0.5")}, []string{row(trader, shop, "1.5")}},
		"more there than back":     {[]ledger.Transfer{move(trader, shop, "3"), move(shop, trader, "1")}, []string{row(trader, shop, "2")}},
		"more back than there":     {[]ledger.Transfer{move(shop, trader, "1"), move(trader, shop, "3")}, []string{row(trader, shop, "2")}},
		"less than nothing":        {[]ledger.Transfer{move(shop, trader, "-1")}, []string{row(trader, shop, "1")}},
		"nothing":                  {[]ledger.Transfer{move(trader, shop, "0")}, nil},
		"there and back":           {[]ledger.Transfer{move(trader, shop, "5"), move(shop, trader, "5")}, nil},
		"a shift to where it was":  {ledger.Position{move(trader, held, "5")}.To(ledger.Position{move(trader, held, "5")}), nil},
		"a shift to more than was": {ledger.Position{move(trader, held, "5")}.To(ledger.Position{move(trader, held, "6")}), []string{row(trader, held, "1")}},
		"between three": {
			[]ledger.Transfer{move(trader, shop, "2"), move(trader, platform, "1"), move(platform, shop, "0.25")},
			[]string{row(trader, shop, "2"), row(trader, platform, "1"), row(platform, shop, "0.25")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "10")
			check(t, b.post(c.transfers...))
			if got := b.rows(t, cause); got != strings.Join(c.want, ", ") {
				t.Errorf("booked %s, want %s", got, c.want)
			}
		})
	}
}

// A hold undone and settled at once: what an account is debited and credited comes together before
// anything is checked or locked, so that a settlement waits for nobody.
func TestSettlementOfAHoldLocksNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	hold := []ledger.Transfer{move(trader, held, "10")}
	check(t, b.post(hold...))
	settlement := ledger.Position(hold).To(ledger.Position{move(trader, shop, "9"), move(trader, platform, "1")})
	if p := ledger.Plan(cause, false, settlement...); len(p.Debits) > 0 || !p.Covered() {
		t.Errorf("%d queries to debit, covered: %t", len(p.Debits), p.Covered())
	}
	check(t, b.post(settlement...))
	b.wantBalance(t, trader, "0")
	b.wantBalance(t, held, "0")
	b.wantBalance(t, shop, "9")
	b.wantBalance(t, platform, "1")
}

// A refusal books nothing, even in a transaction that goes on and commits.
func TestInsufficientBooksNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	err := db.InTx(t.Context(), b.Pool, func(_ pgx.Tx, q *db.Queries) error {
		if err := ledger.Post(
			t.Context(),
			q,
			cause,
			move(trader, shop, "10.00000001"),
		); !errors.Is(
			err,
			ledger.ErrInsufficient,
		) {
			t.Errorf("%v", err)
		}
		return ledger.Post(t.Context(), q, cause, move(trader, frozen, "10"))
	})
	check(t, err)
	b.wantBalance(t, trader, "0")
	b.wantBalance(t, frozen, "10")
	b.wantBalance(t, shop, "0")
	if got := b.rows(t, cause); got != row(trader, frozen, "10") {
		t.Errorf("booked %s", got)
	}
	b.Audit(t)
}

// With two checked debits the first may be taken before the second is refused: rolled back, nothing
// stays.
func TestInsufficientRollsBack(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	b.Fund(t, shop, "1")
	err := b.post(move(trader, platform, "5"), move(shop, platform, "5"))
	if !errors.Is(err, ledger.ErrInsufficient) {
		t.Fatalf("%v", err)
	}
	b.wantBalance(t, trader, "10")
	b.wantBalance(t, shop, "1")
	b.wantBalance(t, platform, "0")
	b.Audit(t)
}

// A reversal of money already spent leaves the owner overdrawn; credits repay before anything can
// be spent again.
func TestForceOverdrawsAndCreditsRepay(t *testing.T) {
	t.Parallel()
	b := setup(t, "0")
	b.Fund(t, shop, "3")
	check(t, b.force(cause, move(shop, trader, "8")))
	b.wantBalance(t, shop, "-5")
	if !b.overdrawn(t, shop) {
		t.Fatal("not marked overdrawn")
	}
	b.Audit(t)
	b.Fund(t, shop, "4")
	if err := b.post(move(shop, trader, "0.00000001")); !errors.Is(err, ledger.ErrInsufficient) {
		t.Fatalf("a debit while short: %v", err)
	}
	b.wantBalance(t, shop, "-1")
	if !b.overdrawn(t, shop) {
		t.Fatal("the mark is gone at -1")
	}
	b.Fund(t, shop, "1.5")
	check(t, b.post(move(shop, trader, "0.5")))
	b.wantBalance(t, shop, "0")
	if b.overdrawn(t, shop) {
		t.Fatal("still marked overdrawn")
	}
	b.Audit(t)
}

// Force may overdraw, but a debit that is covered leaves no mark.
func TestForceWithCover(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	check(t, b.force(cause, move(trader, shop, "10")))
	if b.overdrawn(t, trader) {
		t.Fatal("marked overdrawn at zero")
	}
	b.Audit(t)
}

// Money cannot come from or go to an owner who has no account.
func TestUnknownAccount(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	stranger := ledger.Available(ledger.Cashbox, 99)
	if err := b.force(cause, move(stranger, trader, "1")); err == nil {
		t.Error("a debit was booked")
	}
	if _, err := ledger.Balance(t.Context(), b.Queries(), stranger); !db.NoRows(err) {
		t.Errorf("balance: %v", err)
	}
}

func TestOpenAgainChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	check(t, ledger.Open(t.Context(), b.Queries(), ledger.Trader, 1))
	b.wantBalance(t, trader, "10")
}

// Every account has an id of its own: two owners must never share a balance.
func TestAccountIDs(t *testing.T) {
	t.Parallel()
	seen := map[int64]ledger.Account{}
	for _, owner := range []ledger.Owner{ledger.External, ledger.Platform, ledger.Cashbox, ledger.Trader} {
		for id := range int64(50) {
			for _, a := range []ledger.Account{ledger.Available(owner, id), ledger.Reserved(owner, id)} {
				if other, taken := seen[a.ID()]; taken {
					t.Fatalf("%+v and %+v share id %d", a, other, a.ID())
				}
				seen[a.ID()] = a
			}
		}
	}
}

// Fold empties an account's pending rows once there are more than a thousand, and a balance stays
// what it was.
func TestFold(t *testing.T) {
	t.Parallel()
	b := setup(t, "0")
	pending := func(a ledger.Account) int {
		return one[int](t, b.Pool, "select count(*) from account_pending where account_id = $1", a.ID())
	}
	credit(t, b, shop, 1001)
	credit(t, b, platform, 1000)
	check(t, ledger.Fold(t.Context(), b.Pool, b.Queries()))
	if got := pending(shop); got != 0 {
		t.Errorf("shop: %d pending", got)
	}
	// The world outside has given 2001 times and is folded like everyone, though it stands below
	// zero.
	if got := pending(outside); got != 0 {
		t.Errorf("outside: %d pending", got)
	}
	if got := pending(platform); got != 1000 {
		t.Errorf("platform: %d pending", got)
	}
	// 1001 and 1000 credits of 0.01.
	b.wantBalance(t, shop, "10.01")
	b.wantBalance(t, platform, "10")
	b.Audit(t)
}

// An account that somebody else keeps locked is left for the next round, and holds up none of those
// after it.
func TestFoldWaitsForNoAccount(t *testing.T) {
	t.Parallel()
	b := setup(t, "0")
	accounts := []ledger.Account{shop, platform}
	slices.SortFunc(accounts, func(a, b ledger.Account) int { return int(a.ID() - b.ID()) })
	for _, a := range accounts {
		credit(t, b, a, 1001)
	}
	beside, err := db.Open(t.Context(), b.URL, 1, db.ForCommands)
	check(t, err)
	t.Cleanup(beside.Close)
	holder, err := beside.Begin(t.Context())
	check(t, err)
	check(t, db.New(holder).AccountLock(t.Context(), accounts[0].ID()))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := ledger.Fold(ctx, b.Pool, b.Queries()); !db.IsLockTimeout(err) {
		t.Errorf("folding a locked account: %v", err)
	}
	for i, want := range []int{1001, 0} {
		if n := one[int](
			t,
			b.Pool,
			"select count(*) from account_pending where account_id = $1",
			accounts[i].ID(),
		); n != want {
			t.Errorf("account %d has %d pending, want %d", accounts[i].ID(), n, want)
		}
	}
	check(t, holder.Rollback(ctx))
	check(t, ledger.Fold(ctx, b.Pool, b.Queries()))
	b.Audit(t)
}

// credit books n credits of 0.01.
func credit(t *testing.T, b bundle, a ledger.Account, n int) {
	t.Helper()
	check(t, db.InTx(t.Context(), b.Pool, func(_ pgx.Tx, q *db.Queries) error {
		for range n {
			if err := ledger.Post(t.Context(), q, cause, move(outside, a, "0.01")); err != nil {
				return err
			}
		}
		return nil
	}))
}

// A debit that the balance covers leaves what is pending alone; another folds it in.
func TestDebitFoldsOnlyWhatItNeeds(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	check(t, b.post(move(trader, shop, "4")))
	b.Fund(t, trader, "1")
	for _, c := range []struct {
		debit   string
		pending int
	}{{"5.99999999", 1}, {"0.00000001", 1}, {"0.00000001", 0}} {
		check(t, b.post(move(trader, shop, c.debit)))
		if n := one[int](
			t,
			b.Pool,
			"select count(*) from account_pending where account_id = $1",
			trader.ID(),
		); n != c.pending {
			t.Errorf("%d pending after a debit of %s, want %d", n, c.debit, c.pending)
		}
	}
	b.wantBalance(t, trader, "0.99999999")
	if err := b.post(move(trader, shop, "1")); !errors.Is(err, ledger.ErrInsufficient) {
		t.Errorf("more than is there: %v", err)
	}
	b.Audit(t)
}

// While an old snapshot keeps the rows that were folded, a debit passes by those of a minute ago
// and before; one that comes with an id from then is found by the next round.
func TestDebitPassesByWhatIsGone(t *testing.T) {
	t.Parallel()
	b := setup(t, "0")
	beside, err := db.Open(t.Context(), b.URL, 1, db.ForCommands)
	check(t, err)
	t.Cleanup(beside.Close)
	old, err := beside.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	check(t, err)
	t.Cleanup(func() { _ = old.Rollback(context.Background()) })
	_, err = old.Exec(t.Context(), "select count(*) from account_pending")
	check(t, err)
	const many = 1001
	later := func() { exec(t, b.Pool, "update account_fold set noted_at = noted_at - interval '61 seconds'") }
	fold := func() { check(t, ledger.FoldNow(t.Context(), b.Pool, shop)) }
	reads := func() (read int) {
		check(t, db.InTx(t.Context(), b.Pool, func(tx pgx.Tx, q *db.Queries) error {
			sofar := func() (n int) {
				check(
					t,
					tx.QueryRow(t.Context(), "select pg_stat_get_xact_tuples_returned('account_pending_pkey'::regclass)").
						Scan(&n),
				)
				return n
			}
			before := sofar()
			if err := ledger.Post(
				t.Context(),
				q,
				cause,
				move(shop, platform, "1000"),
			); !errors.Is(
				err,
				ledger.ErrInsufficient,
			) {
				t.Errorf("more than is there: %v", err)
			}
			read = sofar() - before
			return nil
		}))
		return read
	}
	credit(t, b, shop, many)
	fold()
	if got := reads(); got < many {
		t.Fatalf("read %d of the %d rows the old snapshot keeps: the test does not see them", got, many)
	}
	later()
	fold()
	if got := reads(); got != 0 {
		t.Errorf("read %d rows that are gone", got)
	}
	// A transaction took its ids long ago and commits only now.
	exec(
		t,
		b.Pool,
		"insert into account_pending (account_id, id, amount) overriding system value select account_id, 1, 0.01 from account_fold",
	)
	exec(t, b.Pool, "update account_balance set balance = balance - 0.01 where account_id = $1", shop.ID())
	check(t, ledger.Fold(t.Context(), b.Pool, b.Queries()))
	if n := one[int](t, b.Pool, "select count(*) from account_pending where account_id = $1", shop.ID()); n != 0 {
		t.Errorf("%d rows are left that came late", n)
	}
	b.wantBalance(t, shop, "10.01")
	b.Audit(t)
}

// A debit folds what is pending when it needs it, so credits can be spent the moment they are
// booked.
func TestPendingCreditsCanBeSpent(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	check(t, b.post(move(trader, shop, "4")))
	check(t, b.post(move(shop, platform, "3")))
	b.wantBalance(t, shop, "1")
	b.Audit(t)
}

// parallel runs fn n times at once and counts how many succeed; any error but ErrInsufficient fails
// the test.
func parallel(t *testing.T, n int, fn func(i int) error) int {
	t.Helper()
	var runs sync.WaitGroup
	var done atomic.Int64
	for i := range n {
		runs.Go(func() {
			err := fn(i)
			if err == nil {
				done.Add(1)
			} else if !errors.Is(err, ledger.ErrInsufficient) {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	return int(done.Load())
}

func TestParallelDebitsTakeWhatIsThere(t *testing.T) {
	t.Parallel()
	b := setup(t, "50")
	taken := parallel(t, 100, func(int) error { return b.post(move(trader, frozen, "1")) })
	if taken != 50 {
		t.Errorf("%d debits of 1 out of 50", taken)
	}
	b.wantBalance(t, trader, "0")
	b.wantBalance(t, frozen, "50")
	b.Audit(t)
}

// Debits fold while credits pour in: a credit that a fold passed by must still be there for the
// next one.
func TestParallelCreditsAndDebitsLoseNothing(t *testing.T) {
	t.Parallel()
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
	b.wantBalance(t, trader, "940")
	b.wantBalance(t, shop, dec("60").Sub(spent).String())
	b.wantBalance(t, platform, spent.String())
	b.Audit(t)
}

// Whatever the order of the transfers, they lock by account id: here it waits for the higher
// account, with the lower one locked already.
func TestLocksInTheOrderOfIDs(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	b.Fund(t, shop, "10")
	low, high := shop, trader
	if low.ID() > high.ID() {
		low, high = high, low
	}
	ctx := context.Background()
	beside, err := db.Open(ctx, b.URL, 2, db.ForCommands)
	check(t, err)
	t.Cleanup(beside.Close)
	holder, err := beside.Begin(ctx)
	check(t, err)
	check(t, db.New(holder).AccountLock(ctx, high.ID()))

	result := make(chan error, 1)
	go func() { result <- b.post(move(high, platform, "1"), move(low, platform, "1")) }()
	awaitBlocked(t, beside)
	var locked *pgconn.PgError
	_, err = beside.Exec(ctx, "select from account_balance where account_id = $1 for no key update nowait", low.ID())
	if !errors.As(err, &locked) || locked.Code != "55P03" {
		t.Errorf("the lower account is not locked: %v", err)
	}
	check(t, holder.Rollback(ctx))
	check(t, <-result)
}

// awaitBlocked waits until a transaction of this database waits for a lock.
func awaitBlocked(t *testing.T, beside *pgxpool.Pool) {
	t.Helper()
	for range 1000 {
		if one[int](
			t,
			beside,
			"select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
		) > 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("nobody waits for a lock")
}

// Credits must not queue behind a debit: an account locked by someone else still takes them.
func TestCreditsLockNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	ctx := context.Background()
	beside, err := db.Open(ctx, b.URL, 1, db.ForCommands)
	check(t, err)
	t.Cleanup(beside.Close)
	holder, err := beside.Begin(ctx)
	check(t, err)
	check(t, db.New(holder).AccountLock(ctx, shop.ID()))
	check(t, db.New(holder).AccountLock(ctx, frozen.ID()))
	impatient, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	check(t, db.InTx(impatient, b.Pool, func(_ pgx.Tx, q *db.Queries) error {
		// A hold's release is a debit of reserved money: that locks nothing either.
		err := ledger.Post(impatient, q, cause, move(trader, frozen, "6"))
		return errors.Join(err, ledger.Post(impatient, q, cause, move(frozen, shop, "2")))
	}))
	check(t, holder.Rollback(ctx))
	b.wantBalance(t, shop, "2")
	b.wantBalance(t, frozen, "4")
	b.Audit(t)
}
