package payment_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook"
)

// asRun is a service with the connections that the program gives it.
func (b *bundle) asRun(t *testing.T) *payment.Service {
	t.Helper()
	open := func(kind db.Kind) *pgxpool.Pool {
		pool, err := db.Open(t.Context(), b.URL, 5, kind)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		return pool
	}
	pools := db.Pools{Creations: open(db.ForCreations), Calls: open(db.ForCalls), Reads: open(db.ForReads)}
	keeper, err := directory.NewKeeper(t.Context(), pools.Reads, directory.Usable, nil)
	if err != nil {
		t.Fatal(err)
	}
	service, err := payment.New(pools, b.clock, webhook.NewAddresses(false), keeper,
		payment.Config{Markup: decimal.NewFromInt(5), ExternalSecret: true})
	if err != nil {
		t.Fatal(err)
	}
	return service
}

// hold locks rows in a transaction that goes on until the function it returns is called.
func (b *bundle) hold(t *testing.T, sql string, args ...any) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), b.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	tx, err := conn.Begin(t.Context())
	if err == nil {
		_, err = tx.Exec(t.Context(), sql, args...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() { _ = tx.Rollback(context.Background()) }
}

const lockBalance = "select from account_balance where account_id = $1 for update"

// A trader whose account somebody has locked is passed by: payments get other traders' requisites,
// and only the first few wait at all, for a moment. Once the account is free they get payments
// again.
func TestHeldTraderIsPassedBy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	held := b.NewTrader(t, dbtest.TraderOpts{USDT: "100000", Requisites: 20})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100000", Requisites: 20})
	service := b.asRun(t)
	release := b.hold(t, lockBalance, ledger.Available(ledger.Trader, held.ID).ID())
	var mu sync.Mutex
	var took []time.Duration
	ofHeld := func() int { return b.count(t, "select count(*) from payment where trader_id = $1", held.ID) }
	var creating sync.WaitGroup
	started := time.Now()
	const clients = 5
	for client := range clients {
		creating.Go(func() {
			for n := range testenv.Pick(8, 40) {
				r := request(fmt.Sprint("order-", client, "-", n))
				r.Amount = fmt.Sprintf("%d.%02d", 100+client, n)
				began := time.Now()
				if _, err := service.Create(context.Background(), merchant.Caller, r); err != nil {
					t.Errorf("beside a held account: %v", err)
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
	}
	creating.Wait()
	slices.Sort(took)
	// A lock is waited for 200 ms, by those who chose them before anybody knew. Every three seconds they are tried again.
	waiting := clients * (1 + int(time.Since(started)/(3*time.Second)))
	if waited := took[len(took)-1-waiting]; testenv.Whole() && waited >= 200*time.Millisecond {
		t.Errorf("all but %d took up to %s", waiting, waited)
	}
	if got := ofHeld(); got != 0 {
		t.Errorf("%d payments are the held trader's", got)
	}
	release()
	later := 0
	testenv.Until(t, "the trader gets payments again", func() bool {
		later++
		r := request(fmt.Sprint("later-", later))
		r.Amount = fmt.Sprint(300 + later)
		_, err := service.Create(context.Background(), merchant.Caller, r)
		return err == nil && ofHeld() > 0
	})
	b.Audit(t)
}

// Where nobody else is there, the caller is told soon to come again: the requisites are free.
func TestHeldTraderAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	held := b.NewTrader(t, dbtest.TraderOpts{USDT: "100000", Requisites: 50})
	service := b.asRun(t)
	b.hold(t, lockBalance, ledger.Available(ledger.Trader, held.ID).ID())
	began := time.Now()
	_, err := service.Create(context.Background(), merchant.Caller, request("1"))
	wantCode(t, err, "busy")
	if took := time.Since(began); testenv.Whole() && took > 2*time.Second {
		t.Errorf("refused after %s", took)
	}
}

// A requisite that is locked is passed by as well, and a move that meets a lock is busy, not
// broken.
func TestHeldElsewhere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100000", Requisites: 2})
	service := b.asRun(t)
	made, err := service.Create(context.Background(), merchant.Caller, request("1"))
	if err != nil {
		t.Fatal(err)
	}
	release := b.hold(t, "select from requisite_day where requisite_id = $1 for update", *made.Payment.RequisiteID)
	for n := range 5 {
		r := request(fmt.Sprint("beside-", n))
		r.Amount = fmt.Sprint(200 + n)
		if got, err := service.Create(context.Background(), merchant.Caller, r); err != nil ||
			*got.Payment.RequisiteID == *made.Payment.RequisiteID {
			t.Errorf("beside a locked requisite: %v", err)
		}
	}
	release()
	b.hold(t, "select from payment where id = $1 for update", made.Payment.ID)
	_, _, err = service.UpdateStatus(
		context.Background(),
		application,
		made.Payment.ID,
		payment.Update{Status: "completed"},
	)
	wantCode(t, edge.Fault(err), "busy")
}
