package payment_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// aCount is longer than until pending payments are counted anew.
const aCount = 120 * time.Millisecond

// A merchant has no more payments pending than it may, however many calls come at once. It hinders no other merchant,
// nor repeats of its own calls, and may make as many again as were paid or ended.
func TestOpenLimit(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	merchant, other := b.NewMerchant(t, dbtest.MerchantOpts{}), b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "10000", Requisites: 100})
	b.Exec(t, "update merchant set max_open_payments = 6 where id = $1", merchant.ID)
	first := b.create(t, merchant.Caller, request("first"))
	errs := testenv.AtOnce(20, func(i int) error {
		return errOf(b.payments.Create(ctx, merchant.Caller, request(fmt.Sprint(i))))
	})
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
		wantCode(t, errOf(b.payments.Create(ctx, merchant.Caller, dear)), "collect_requisites_not_available")
	}
	b.create(t, merchant.Caller, request("after one was paid"))
	_, err = b.payments.Create(ctx, merchant.Caller, request("and not another"))
	wantCode(t, err, "merchant_collect_open_limit")
	b.Audit(t)
}

// Each of two replicas notices what the other makes after it has made a tenth of what it last knew to be left.
func TestOpenLimitOverReplicas(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "10000", Requisites: 100})
	b.Exec(t, "update merchant set max_open_payments = 50 where id = $1", merchant.ID)
	b.create(t, merchant.Caller, request("first"))
	second := b.replica(t, directory.Usable)
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
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
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
