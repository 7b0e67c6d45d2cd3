package payout_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
)

// A payout that was taken and not ended in time waits for an operator, and never goes back by itself.
func TestOverdue(t *testing.T) {
	s := newScene(t)
	ctx := context.Background()
	s.take(t, s.taker, s.p)
	overdue := func() int {
		t.Helper()
		list, _, err := s.payouts.ListOverdue(ctx, operator, payout.Page{}.Page)
		noError(t, err)
		return len(list)
	}
	s.clock.Advance(30*time.Minute - time.Millisecond)
	testenv.Want(t, overdue(), 0, "overdue a moment before")
	s.clock.Advance(time.Millisecond)
	testenv.Want(t, overdue(), 1, "overdue after half an hour")
	s.clock.Advance(day)
	noError(t, s.payouts.ExpireAll(ctx))
	if n, status := overdue(), s.Text(t, "select status from payin"); n != 1 || status != "processing" {
		t.Errorf("%d overdue, %s", n, status)
	}
	after, err := s.payouts.Resolve(ctx, operator, id(s.p),
		payout.Resolution{Outcome: "failed", Reason: new("the trader is gone")})
	if err != nil || after.Status != "failed" || *after.StatusReason != "the trader is gone" || overdue() != 0 {
		t.Errorf("resolved %+v %v", after, err)
	}
	s.wantMoney(t, s.m.CashboxID, s.taker.ID, money{"100", "0", "0", "0"})
}

// To the millisecond: a day after its creation nobody can take a payout any more, swept or not.
func TestExpiry(t *testing.T) {
	s := newScene(t)
	ctx := context.Background()
	s.clock.Advance(day - time.Millisecond)
	if n, err := s.payouts.Expire(ctx); n != 0 || err != nil {
		t.Errorf("%d expired early (%v)", n, err)
	}
	s.clock.Advance(time.Millisecond)
	wantCode(t, steps["take"](s), "payin_not_waiting")
	if n, err := s.payouts.Expire(ctx); n != 1 || err != nil {
		t.Errorf("%d expired (%v)", n, err)
	}
	s.wantMoney(t, s.m.CashboxID, s.taker.ID, money{"100", "0", "0", "0"})
}

// The webhook's body, field by field, as decided.
func TestEvents(t *testing.T) {
	t.Parallel()
	for name, path := range map[string][]string{"completed": {"take", "complete"}, "failed": {"take", "fail"}, "expired": {"expire"}} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			for _, step := range path {
				noError(t, steps[step](s))
			}
			want := must(os.ReadFile("testdata/event_" + name + ".json"))(t)
			event := s.Text(t, "select id::text from webhook_event")
			body := strings.NewReplacer("<event>", event, "<id>", id(s.p)).Replace(strings.TrimSpace(string(want)))
			if got := s.Text(t, "select convert_from(body, 'utf8') from webhook_event"); got != body {
				t.Errorf("%s\nwant %s", got, body)
			}
			row := s.Text(t, `select type || ' ' || subject || ' ' || sequence || ' ' || url || ' ' ||
				(subject_id = (select id from payin)) || ' ' || (cashbox_id = (select cashbox_id from payin)) from webhook_event`)
			testenv.Want(t, row, "payin.status.updated payin 1 https://shop.example/hook true true", "event")
		})
	}
}

// Replicas that sweep at the same time end every overdue payout once.
func TestReplicasExpire(t *testing.T) {
	b := setup(t)
	m := b.merchant(t, "1000", dbtest.MerchantOpts{})
	const payouts = 20
	for i := range payouts {
		b.create(t, m.Caller, request(fmt.Sprintf("order-%d", i)))
	}
	b.clock.Advance(day)
	var expired atomic.Int64
	noError(t, testenv.AtOnce(4, func(int) error {
		n, err := b.payouts.Expire(context.Background())
		expired.Add(int64(n))
		return err
	})...)
	testenv.Want(t, expired.Load(), payouts, "expired")
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event"), payouts, "events")
	b.wantMoney(t, m.CashboxID, b.trader(t).ID, money{"1000", "0", "0", "0"})
}

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	b := setup(t)
	dbtest.WantKinds(t, b.payouts, map[string]string{
		"merchant_key":                          "Create",
		"merchant_key merchant_portal":          "Cancel ListOwn",
		"merchant_key merchant_portal operator": "Get",
		"trader":                                "Take Complete Prove Fail GiveBack Desk DeskCounts GetOffer ListForTrader",
		"operator":                              "Reclaim Reverse Resolve ListOverdue",
		"merchant_key trader merchant_portal operator": "FindProof ReadProof",
	})
}
