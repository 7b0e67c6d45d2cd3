package payout_test

import (
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payout"
)

// A trader reads a payout that waits if they can pay it, and the whole of it once they took it. To all
// others there is none.
func TestGetOffer(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	taker := s.taker.Caller
	taker.Role = caller.Desk
	stranger := s.NewTrader(t, dbtest.TraderOpts{}).Caller
	stranger.Role = caller.Owner
	name := id(s.p)
	get := func(who caller.Caller) payout.Offer {
		t.Helper()
		offer, err := s.payouts.GetOffer(t.Context(), who, name)
		noError(t, err)
		return offer
	}
	waiting := get(taker)
	if waiting.Status != payout.Waiting || waiting.Address != s.p.AddressMask || waiting.Recipient != "" {
		t.Errorf("it waits: %+v", waiting)
	}
	_, err := s.payouts.GetOffer(t.Context(), stranger, name)
	wantCode(t, err, "not_found")
	_, err = s.payouts.Take(t.Context(), taker, name)
	noError(t, err)
	taken := get(taker)
	if taken.Address == s.p.AddressMask || taken.Recipient == "" || !taken.RewardUSDT.Equal(waiting.RewardUSDT) {
		t.Errorf("it is taken: %+v", taken)
	}
	s.exec(t, "update trader_payout_method set enabled = false")
	get(taker) // what they took stays theirs
	_, err = s.payouts.GetOffer(t.Context(), taker, "x")
	wantCode(t, err, "not_found")
	taker.Role = ""
	_, err = s.payouts.GetOffer(t.Context(), taker, name)
	wantCode(t, err, "role_not_allowed")
}
