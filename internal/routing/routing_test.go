package routing_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"gateway/internal/db"
	"gateway/internal/dbtest"
	"gateway/internal/ledger"
	"gateway/internal/routing"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// want is payment n asking for an amount of RUB over sbp, at Start plus n seconds.
func want(n int64, amount string) routing.Want {
	return routing.Want{
		PaymentID: n, Currency: "RUB", Method: "sbp", Amount: decimal.RequireFromString(amount),
		Now: dbtest.Start.Add(time.Duration(n) * time.Second),
	}
}

// reserve reserves in a transaction of its own, with the trader's USDT left out of it.
func reserve(pool *pgxpool.Pool, w routing.Want) (routing.Requisite, error) {
	var chosen routing.Requisite
	err := db.InTx(context.Background(), pool, func(tx pgx.Tx, _ *db.Queries) error {
		var err error
		chosen, err = routing.NewChoice(w).Reserve(context.Background(), tx, enough)
		return err
	})
	return chosen, err
}

func enough(routing.Requisite) routing.Booking { return routing.Booking{} }

// short is the hold of a trader who lacks the USDT.
func short() routing.Booking { return routing.Booking{Short: func() bool { return true }} }

func takeSlot(t *testing.T, d *dbtest.DB, id int64, w routing.Want) (taken bool, err error) {
	t.Helper()
	err = routing.TakeSlot(t.Context(), id, nil, w, &taken)(d.Queries())
	return taken, err
}

func wantChosen(t *testing.T, d *dbtest.DB, w routing.Want, id int64) {
	t.Helper()
	if got, err := reserve(d.Pool, w); err != nil || got.ID != id {
		t.Fatalf("payment %d got requisite %d, want %d (%v)", w.PaymentID, got.ID, id, err)
	}
}

func wantNone(t *testing.T, d *dbtest.DB, w routing.Want) {
	t.Helper()
	if got, err := reserve(d.Pool, w); !errors.Is(err, routing.ErrNone) {
		t.Fatalf("payment %d got requisite %d (%v)", w.PaymentID, got.ID, err)
	}
}

func exec(t *testing.T, d *dbtest.DB, sql string, args ...any) {
	t.Helper()
	if _, err := d.Pool.Exec(context.Background(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func TestOldestUseFirst(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ids := d.NewTrader(t, dbtest.TraderOpts{Requisites: 3}).Requisites
	// Never used ones go by id, and then around.
	for n, id := range []int64{ids[0], ids[1], ids[2], ids[0], ids[1]} {
		wantChosen(t, d, want(int64(n+1), decimal.NewFromInt(int64(100+n)).String()), id)
	}
	exec(t, d, "update requisite set last_used_at = $2 where id = $1", ids[1], dbtest.Start.Add(-time.Hour))
	wantChosen(t, d, want(9, "200"), ids[1])
}

// A choice carries what its trader asks for, so that nobody has to look it up.
func TestChoiceCarriesTheTradersTerms(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	trader := d.NewTrader(t, dbtest.TraderOpts{
		Requisites: 1, SharePercent: "1.5", RatePercent: decimal.NewNullDecimal(decimal.NewFromInt(7)),
	})
	got, err := reserve(d.Pool, want(1, "100"))
	if err != nil {
		t.Fatal(err)
	}
	if got.TraderID != trader.ID || got.TraderSharePercent.String() != "1.5" || got.TraderRatePercent.Decimal.String() != "7" ||
		!got.TraderRatePercent.Valid || got.Value == "" || *got.Holder != "Ivan Petrov" || *got.Bank != "Sample Bank" {
		t.Fatalf("%+v", got)
	}
}

func TestAmountLimitsOfARequisite(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	id := d.NewTrader(t, dbtest.TraderOpts{Requisites: 1, MinAmount: "100", MaxAmount: "500.50"}).Requisites[0]
	wantNone(t, d, want(1, "99.99"))
	wantChosen(t, d, want(2, "100"), id)
	wantChosen(t, d, want(3, "500.50"), id)
	wantNone(t, d, want(4, "500.51"))
}

func TestOnlyItsPool(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.NewTrader(t, dbtest.TraderOpts{Requisites: 1, Currency: "RUB", Method: "card"})
	d.NewTrader(t, dbtest.TraderOpts{Requisites: 1, Currency: "AZN", Method: "sbp"})
	wantNone(t, d, want(1, "100"))
}

func TestInactiveIsPassedBy(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ids := d.NewTrader(t, dbtest.TraderOpts{Requisites: 2}).Requisites
	exec(t, d, "update requisite set active = false where id = $1", ids[0])
	wantChosen(t, d, want(1, "100"), ids[1])
	exec(t, d, "update requisite set active = false")
	wantNone(t, d, want(2, "200"))
}

// A zone that the database's system dropped after it was set fails nobody else's choice: its requisite keeps UTC's clock.
func TestDroppedZoneFailsNobody(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ids := d.NewTrader(t, dbtest.TraderOpts{Requisites: 2}).Requisites
	exec(t, d, "update requisite set time_zone = 'Nowhere/Gone', daily_count = 1, work_from = '11:00', work_until = '13:00' where id = $1", ids[0])
	wantChosen(t, d, want(1, "100"), ids[0])
	wantChosen(t, d, want(2, "200"), ids[1])
	if _, err := d.Queries().RequisiteExplain(t.Context(), db.RequisiteExplainParams{
		Currency: "RUB", Method: "sbp", Amount: decimal.NewFromInt(100), Now: dbtest.Start,
	}); err != nil {
		t.Errorf("explained: %v", err)
	}
}

// Two open payments never share requisite and amount; another amount is no matter.
func TestTakenSlotExcludes(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ids := d.NewTrader(t, dbtest.TraderOpts{Requisites: 2}).Requisites
	wantChosen(t, d, want(1, "100"), ids[0])
	wantChosen(t, d, want(2, "100.00"), ids[1])
	wantNone(t, d, want(3, "100"))
	wantChosen(t, d, want(4, "100.01"), ids[0])
}

func TestSlotIsFreeAgainAtItsTime(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	id := d.NewTrader(t, dbtest.TraderOpts{Requisites: 1}).Requisites[0]
	first := want(1, "100")
	wantChosen(t, d, first, id)
	if err := routing.FreeSlot(t.Context(), id, first, dbtest.Start.Add(10*time.Second))(d.Queries()); err != nil {
		t.Fatal(err)
	}
	early := want(2, "100")
	early.Now = dbtest.Start.Add(10*time.Second - time.Millisecond)
	wantNone(t, d, early)
	wantChosen(t, d, want(10, "100"), id)
	// The slot has gone to payment 10: the first payment can neither free it nor take it back.
	if err := routing.FreeSlot(t.Context(), id, first, dbtest.Start)(d.Queries()); err != nil {
		t.Fatal(err)
	}
	if taken, err := takeSlot(t, d, id, want(1, "100")); taken || err != nil {
		t.Fatalf("taken back: %v, %v", taken, err)
	}
	wantNone(t, d, want(11, "100"))
}

// A payment that is set back to pending takes its own slot again while that rests.
func TestSlotIsTakenAgainByItsPayment(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	id := d.NewTrader(t, dbtest.TraderOpts{Requisites: 1}).Requisites[0]
	own := want(1, "100")
	wantChosen(t, d, own, id)
	if err := routing.FreeSlot(t.Context(), id, own, dbtest.Start.Add(time.Hour))(d.Queries()); err != nil {
		t.Fatal(err)
	}
	if taken, err := takeSlot(t, d, id, own); !taken || err != nil {
		t.Fatalf("taken: %v, %v", taken, err)
	}
	late := want(2, "100")
	late.Now = dbtest.Start.Add(2 * time.Hour)
	wantNone(t, d, late)
}

// Everybody of a trader who is short is passed by at once, and what was tried on him leaves no trace.
func TestShortTraderIsPassedBy(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	poor := d.NewTrader(t, dbtest.TraderOpts{Requisites: 3})
	rich := d.NewTrader(t, dbtest.TraderOpts{Requisites: 1})
	asked := 0
	hold := func(r routing.Requisite) routing.Booking {
		asked++
		if r.TraderID == poor.ID {
			return short()
		}
		return routing.Booking{}
	}
	err := db.InTx(t.Context(), d.Pool, func(tx pgx.Tx, _ *db.Queries) error {
		got, err := routing.NewChoice(want(1, "100")).Reserve(t.Context(), tx, hold)
		if err == nil && got.ID != rich.Requisites[0] {
			t.Errorf("got requisite %d", got.ID)
		}
		return err
	})
	if err != nil || asked != 2 {
		t.Fatalf("%v after asking %d times", err, asked)
	}
	// The short trader's requisites are as free as before, and first in turn.
	wantChosen(t, d, want(2, "100"), poor.Requisites[0])
}

func TestNobodyHasTheUSDT(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	for range 3 {
		d.NewTrader(t, dbtest.TraderOpts{Requisites: 2})
	}
	err := db.InTx(t.Context(), d.Pool, func(tx pgx.Tx, _ *db.Queries) error {
		_, err := routing.NewChoice(want(1, "100")).Reserve(t.Context(), tx, func(routing.Requisite) routing.Booking { return short() })
		return err
	})
	if !errors.Is(err, routing.ErrNone) {
		t.Fatal(err)
	}
}

// An error of hold that is no shortage ends the search.
func TestHoldFails(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.NewTrader(t, dbtest.TraderOpts{Requisites: 2})
	broken, asked := errors.New("hold is broken"), 0
	err := db.InTx(t.Context(), d.Pool, func(tx pgx.Tx, _ *db.Queries) error {
		_, err := routing.NewChoice(want(1, "100")).Reserve(t.Context(), tx, func(routing.Requisite) routing.Booking {
			asked++
			return routing.Booking{Queries: []db.Query{func(q *db.Queries) error { return errors.Join(q.Savepoint(t.Context()), broken) }}}
		})
		return err
	})
	if !errors.Is(err, broken) || asked != 1 {
		t.Fatalf("%v after asking %d times", err, asked)
	}
}

func TestNobody(t *testing.T) {
	t.Parallel()
	wantNone(t, dbtest.New(t), want(1, "100"))
}

// While another transaction has the only requisite, it is busy and not gone: whoever asks waits and then gets it, for
// another amount, or learns that there is none, for the same. The long case outlasts one wait for the lock, which must
// not abort the transaction nor undo what it did before.
func TestBusyIsNotNone(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		amount string
		busy   time.Duration
		gone   bool // what has the requisite rolls back
		err    error
	}{
		"another amount":                     {"200", 0, false, nil},
		"another amount, after a long wait":  {"200", 2500 * time.Millisecond, false, nil},
		"the same amount":                    {"100", 0, false, routing.ErrNone},
		"the same amount, but it rolls back": {"100", 0, true, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := dbtest.New(t)
			id := d.NewTrader(t, dbtest.TraderOpts{Requisites: 1}).Requisites[0]
			// Two transactions at once, and somebody to watch: more connections than the test's pool may have.
			pool := openPool(t, d)
			first := begin(t, pool)
			if _, err := routing.NewChoice(want(1, "100")).Reserve(t.Context(), first, enough); err != nil {
				t.Fatal(err)
			}
			result := make(chan error, 1)
			go func() { result <- afterWork(pool, want(2, c.amount), id) }()
			awaitBlocked(t, pool)
			select {
			case err := <-result:
				t.Fatalf("did not wait: %v", err)
			case <-time.After(c.busy):
			}
			end := first.Commit
			if c.gone {
				end = first.Rollback
			}
			if err := end(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := <-result; !errors.Is(err, c.err) {
				t.Fatalf("%v, want %v", err, c.err)
			}
			if c.err == nil && d.Balance(t, ledger.Available(ledger.Cashbox, 77)).String() != "0" {
				t.Fatal("the account is not there")
			}
		})
	}
}

// afterWork reserves in a transaction that has written something before: an account.
func afterWork(pool *pgxpool.Pool, w routing.Want, id int64) error {
	ctx := context.Background()
	return db.InTx(ctx, pool, func(tx pgx.Tx, q *db.Queries) error {
		if err := ledger.Open(ctx, q, ledger.Cashbox, 77); err != nil {
			return err
		}
		got, err := routing.NewChoice(w).Reserve(ctx, tx, enough)
		if err == nil && got.ID != id {
			err = errors.New("got another requisite")
		}
		if err != nil {
			return err
		}
		// The wait's timeout must not stay behind.
		var timeout string
		if err := tx.QueryRow(ctx, "show lock_timeout").Scan(&timeout); err != nil || timeout != "0" {
			return errors.Join(err, errors.New("lock_timeout is "+timeout))
		}
		return nil
	})
}

func openPool(t *testing.T, d *dbtest.DB) *pgxpool.Pool {
	t.Helper()
	pool, err := db.Open(t.Context(), d.URL, 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func begin(t *testing.T, pool *pgxpool.Pool) pgx.Tx {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return tx
}

// awaitBlocked waits until a transaction of this database waits for a lock.
func awaitBlocked(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	const blocked = "select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')"
	for range 1000 {
		var is bool
		if err := pool.QueryRow(context.Background(), blocked).Scan(&is); err != nil {
			t.Fatal(err)
		}
		if is {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("nobody waits for a lock")
}

// A free requisite is taken without waiting for the busy one before it in turn.
func TestBusyIsPassedByForAFreeOne(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ids := d.NewTrader(t, dbtest.TraderOpts{Requisites: 2}).Requisites
	pool := openPool(t, d)
	first := begin(t, pool)
	if _, err := routing.NewChoice(want(1, "100")).Reserve(t.Context(), first, enough); err != nil {
		t.Fatal(err)
	}
	got, err := reserve(pool, want(2, "200"))
	if err != nil || got.ID != ids[1] {
		t.Fatalf("got requisite %d (%v)", got.ID, err)
	}
}

// The whole wait is the caller's to bound.
func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.NewTrader(t, dbtest.TraderOpts{Requisites: 1})
	pool := openPool(t, d)
	first := begin(t, pool)
	if _, err := routing.NewChoice(want(1, "100")).Reserve(t.Context(), first, enough); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	err := db.InTx(ctx, pool, func(tx pgx.Tx, _ *db.Queries) error {
		_, err := routing.NewChoice(want(2, "200")).Reserve(ctx, tx, enough)
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}
