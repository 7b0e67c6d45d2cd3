package payout_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/payout"
)

// The whole requisite of a payout goes when it has been kept long enough after the end, and its mask
// stays: readers see that, and a repeat of the order is compared by it.
func TestPurgeRequisites(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	ctx := context.Background()
	const keep = 30 * day
	s.take(t, s.taker, s.p)
	s.clock.Advance(2 * keep)
	noError(t, s.payouts.PurgeRequisites(ctx, keep))
	if s.count(t, "select count(*) from payin where address is null") != 0 {
		t.Fatal("the requisite of a payout that is being paid was removed")
	}
	noError(t, steps["complete"](s))
	s.clock.Advance(keep)
	noError(t, s.payouts.PurgeRequisites(ctx, keep))
	if s.count(t, "select count(*) from payin where address is null") != 0 {
		t.Error("the requisite was removed before its time")
	}
	s.clock.Advance(time.Millisecond)
	noError(t, s.payouts.PurgeRequisites(ctx, keep))
	if s.count(t, "select count(*) from payin where address is null") != 1 {
		t.Fatal("the requisite was not removed")
	}
	if got := s.text(
		t,
		"select subject_key || ' ' || (after ->> 'count') from setting_change where subject = 'purge'",
	); got != "payout_requisite 1" {
		t.Errorf("the receipt: %s", got)
	}
	offers, _, err := s.payouts.ListForTrader(ctx, s.taker.Caller, payout.Page{Status: ptr("completed")})
	noError(t, err)
	if len(offers) != 1 || offers[0].Address != s.p.AddressMask {
		t.Errorf("its trader sees %+v", offers)
	}
	for want, address := range map[string]string{"": request("").Address, "address": "+79001230000"} {
		r := request("order-1")
		r.Address = address
		again, err := s.payouts.Create(ctx, s.m.Caller, r)
		noError(t, err)
		if !again.Replay || strings.Join(again.Mismatch, " ") != want {
			t.Errorf("a repeat to %s differs in %v", address, again.Mismatch)
		}
	}
	// A reversal long after goes by what is left.
	noError(t, steps["reverse"](s))
	s.Audit(t)
}
