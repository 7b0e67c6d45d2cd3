package payout_test

import (
	"fmt"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payout"
)

// What waits is on the desks of all who can pay it, and what is taken on one.
func TestPayoutsOfDesks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.merchant(t, "1000", dbtest.MerchantOpts{})
	first, second, card := b.trader(t, "sbp"), b.trader(t, "sbp", "c2c"), b.trader(t, "c2c")
	ids := []int64{first.ID, second.ID, card.ID}
	var payins []payout.Payin
	last := b.stamps(t, ids)
	step := func(name string, do func(), changed ...bool) {
		t.Helper()
		do()
		now := b.stamps(t, ids)
		for i, id := range ids {
			if (now[id] != last[id]) != changed[i] {
				t.Errorf("%s: desk %d has changed: %v", name, i, now[id] != last[id])
			}
		}
		last = now
	}
	step("nothing", func() {}, false, false, false)
	step("two wait", func() {
		payins = append(payins, b.create(t, m.Caller, request("a")), b.create(t, m.Caller, request("b")))
	}, true, true, false)
	b.wantCounts(t, first, 0, 2, 100)
	b.wantCounts(t, first, 0, 1, 1)
	b.wantCounts(t, card, 0, 0, 100)
	step("one is taken", func() { b.take(t, first, payins[0]) }, true, true, false)
	b.wantCounts(t, first, 1, 1, 100)
	b.wantCounts(t, second, 0, 1, 100)
	step("and ended", func() {
		_, err := b.payouts.Fail(t.Context(), first.Caller, id(payins[0]), nil)
		noError(t, err)
	}, true, false, false)
	step("cancelled", func() {
		_, err := b.payouts.Cancel(t.Context(), m.Caller, id(payins[1]))
		noError(t, err)
	}, true, true, false)
	b.wantCounts(t, second, 0, 0, 100)
	b.create(t, m.Caller, request("c"))
	last = b.stamps(t, ids)
	step("off", func() {
		b.exec(t, "update trader_payout_method set enabled = false where trader_id = $1", first.ID)
	}, true, false, false)
	b.wantCounts(t, first, 0, 0, 100)
	step(
		"trader off",
		func() { b.exec(t, "update trader set enabled = false where id = $1", second.ID) },
		false,
		true,
		false,
	)
	b.wantCounts(t, second, 0, 0, 100)
	nobody := first.Caller
	nobody.Role = ""
	_, err := b.payouts.DeskCounts(t.Context(), nobody, 100)
	wantCode(t, err, "role_not_allowed")
}

func (b *bundle) stamps(t *testing.T, ids []int64) map[int64]uint64 {
	t.Helper()
	got, err := b.payouts.DeskStamps(t.Context(), ids)
	if noError(t, err); len(got) != len(ids) {
		t.Fatalf("%d stamps of %d", len(got), len(ids))
	}
	return got
}

func (b *bundle) wantCounts(t *testing.T, trader dbtest.Trader, taken, waiting int, most int32) {
	t.Helper()
	who := trader.Caller
	who.Role = caller.Desk
	got, err := b.payouts.DeskCounts(t.Context(), who, most)
	noError(t, err)
	if want := (payout.DeskCounts{Taken: taken, Waiting: waiting}); got != want {
		t.Errorf("%s, want %s", fmt.Sprint(got), fmt.Sprint(want))
	}
}
