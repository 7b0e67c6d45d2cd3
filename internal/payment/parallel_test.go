package payment_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// rushSize is how many call at once.
var rushSize = testenv.Pick(60, 200)

// rush creates many payments at once and counts those made. Every refusal must be the documented
// one.
func (b *bundle) rush(t *testing.T, who caller.Caller, ask func(i int) payment.Request) (made, replayed int) {
	t.Helper()
	var calls sync.WaitGroup
	var mu sync.Mutex
	for i := range rushSize {
		calls.Go(func() {
			created, err := b.payments.Create(context.Background(), who, ask(i))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				wantCode(t, err, "collect_requisites_not_available")
			case created.Replay:
				replayed++
			default:
				made++
			}
		})
	}
	calls.Wait()
	if n := b.count(t, "select count(*) from payment"); n != made {
		t.Errorf("%d payments, %d made", n, made)
	}
	if n := b.count(t, "select count(*) from payment_key"); n != made {
		t.Errorf("%d order ids taken, %d payments made", n, made)
	}
	b.Audit(t)
	return made, replayed
}

func numbered(i int) payment.Request { return request(fmt.Sprint("order-", i)) }

// Of identical calls one creates, and the others answer with what it made.
func TestIdenticalCreatesMakeOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 5})
	made, replayed := b.rush(t, merchant.Caller, func(int) payment.Request { return request("order-1") })
	if made != 1 || replayed != rushSize-1 {
		t.Errorf("%d made, %d replayed", made, replayed)
	}
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["pending"])
}

// A hold is 9.8, and the trader has 50 of them.
func TestCreatesStopWhereTheUSDTDoes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "490", SharePercent: "2", Requisites: testenv.Pick(100, 300)})
	if made, _ := b.rush(t, merchant.Caller, numbered); made != 50 {
		t.Errorf("%d made, want 50", made)
	}
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{trader: "0", reserved: "490", cashbox: "0", platform: "0"})
}

// Everybody wants the one requisite for another amount: it is busy most of the time, but never
// gone.
func TestBusyIsNotNone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "10000", Requisites: 1})
	made, _ := b.rush(t, merchant.Caller, func(i int) payment.Request {
		r := numbered(i)
		r.Amount = fmt.Sprint(1000 + i)
		return r
	})
	if made != rushSize {
		t.Errorf("%d made, want all %d", made, rushSize)
	}
}

// One amount goes once on each requisite, and no free one is overlooked.
func TestEqualAmountsFillEveryRequisite(t *testing.T) {
	t.Parallel()
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	each := testenv.Pick(10, 30)
	for range 4 {
		b.NewTrader(t, dbtest.TraderOpts{USDT: "300", Requisites: each})
	}
	if made, _ := b.rush(t, merchant.Caller, numbered); made != 4*each {
		t.Errorf("%d made, want %d", made, 4*each)
	}
	if n := b.count(t, "select count(distinct requisite_id) from payment"); n != 4*each {
		t.Errorf("%d requisites in use, want %d", n, 4*each)
	}
}
