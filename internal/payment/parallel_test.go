package payment_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
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
	testenv.Want(t, b.Count(t, "select count(*) from payment"), made, "payments")
	testenv.Want(t, b.Count(t, "select count(*) from payment_key"), made, "order ids taken")
	b.Audit(t)
	return made, replayed
}

func numbered(i int) payment.Request { return request(fmt.Sprint("order-", i)) }

// Of identical calls one creates, and the others answer with what it made.
func TestIdenticalCreatesMakeOne(t *testing.T) {
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
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "10000", Requisites: 1})
	made, _ := b.rush(t, merchant.Caller, func(i int) payment.Request {
		r := numbered(i)
		r.Amount = fmt.Sprint(1000 + i)
		return r
	})
	testenv.Want(t, made, rushSize, "made")
}

// One amount goes once on each requisite, and no free one is overlooked.
func TestEqualAmountsFillEveryRequisite(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	each := testenv.Pick(10, 30)
	for range 4 {
		b.NewTrader(t, dbtest.TraderOpts{USDT: "300", Requisites: each})
	}
	if made, _ := b.rush(t, merchant.Caller, numbered); made != 4*each {
		t.Errorf("%d made, want %d", made, 4*each)
	}
	testenv.Want(t, b.Count(t, "select count(distinct requisite_id) from payment"), 4*each, "requisites in use")
}

// aCount is longer than until pending payments are counted anew.
const aCount = 120 * time.Millisecond

// A merchant has no more payments pending than it may, however many calls come at once. It hinders
// no other merchant, nor repeats of its own calls, and may make as many again as were paid or
// ended.
func TestOpenLimit(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	merchant, other := b.NewMerchant(t, dbtest.MerchantOpts{}), b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "10000", Requisites: 100})
	b.Exec(t, "update merchant set max_open_payments = 6 where id = $1", merchant.ID)
	first := b.create(t, merchant.Caller, request("first"))
	const calls = 20
	errs := make([]error, calls)
	var calling sync.WaitGroup
	for i := range calls {
		calling.Go(func() { _, errs[i] = b.payments.Create(ctx, merchant.Caller, request(fmt.Sprint(i))) })
	}
	calling.Wait()
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
			continue
		}
		wantCode(t, err, "merchant_collect_open_limit")
	}
	if made > 5 {
		t.Errorf("%d made, want 5 at most", made)
	}
	for i := made; i < 5; i++ {
		time.Sleep(aCount)
		b.create(t, merchant.Caller, request(fmt.Sprint("more-", i)))
	}
	b.create(t, other.Caller, request("first"))
	if again, err := b.payments.Create(ctx, merchant.Caller, request("first")); err != nil || !again.Replay {
		t.Errorf("a repeat: %v", err)
	}
	// Another replica, too, finds the merchant full.
	_, err := newService(t, b.DB, b.clock).Create(ctx, merchant.Caller, request("elsewhere"))
	wantCode(t, err, "merchant_collect_open_limit")
	b.set(t, first.ID, "completed")
	time.Sleep(aCount)
	// A refusal for another reason gives the place back.
	dear := request("dear")
	dear.Amount = "999999999"
	for range 3 {
		_, err = b.payments.Create(ctx, merchant.Caller, dear)
		wantCode(t, err, "collect_requisites_not_available")
	}
	b.create(t, merchant.Caller, request("after one was paid"))
	_, err = b.payments.Create(ctx, merchant.Caller, request("and not another"))
	wantCode(t, err, "merchant_collect_open_limit")
	b.Audit(t)
}

// Each of two replicas notices what the other makes after it has made a tenth of what it last knew
// to be left.
func TestOpenLimitOverReplicas(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "10000", Requisites: 100})
	b.Exec(t, "update merchant set max_open_payments = 50 where id = $1", merchant.ID)
	b.create(t, merchant.Caller, request("first"))
	second, _ := b.replica(t, directory.Usable)
	// makes counts what a replica makes until it refuses.
	makes := func(replica *payment.Service, prefix string) int {
		for n := 0; ; n++ {
			if _, err := replica.Create(t.Context(), merchant.Caller, request(fmt.Sprint(prefix, n))); err != nil {
				wantCode(t, err, "merchant_collect_open_limit")
				return n
			}
		}
	}
	testenv.Want(t, makes(second, "second-"), 49, "payments that the second replica made")
	time.Sleep(aCount)
	if made := makes(b.payments, "beyond-"); made > 5 {
		t.Errorf("the first made %d beyond 50", made)
	}
}

// Pending payments are counted no further than there may be.
func TestOpenCountEndsAtTheLimit(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	b.copies(t, b.create(t, merchant.Caller, request("1")))
	b.Exec(t, "analyze payment")
	for most, want := range map[int32]int32{5000: batch + 1, 20: 20} {
		counted, err := b.Queries().
			MerchantOpenPayments(t.Context(), db.MerchantOpenPaymentsParams{MerchantID: merchant.ID, Most: most})
		if err != nil || counted != want {
			t.Errorf("counted %d, want %d (%v)", counted, want, err)
		}
	}
}
