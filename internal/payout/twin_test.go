package payout_test

import (
	"context"
	"testing"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payout"
)

// A payout beside another of the same order id waits for it, also for longer than a lock is waited for, and answers with
// the other's payout.
func TestTwinWaits(t *testing.T) {
	b := setup(t)
	merchant := b.merchant(t, "100", dbtest.MerchantOpts{})
	first := b.create(t, merchant.Caller, request("first"))
	impatient := must(db.Open(t.Context(), b.URL, 2, db.ForCreations))(t)
	t.Cleanup(impatient.Close)
	service := payout.New(db.OnePool(impatient), b.clock, dbtest.Vault(), outbound.NewAddresses(false), foureyes.Rules{})
	winner := beginBeside(t, b.DB)
	must(winner.Exec(t.Context(),
		"insert into payin_key (merchant_id, channel, order_id, payin_id) values ($1, 'sbp', 'order', $2)",
		merchant.ID, first.ID))(t)
	ended := make(chan error, 1)
	var twin payout.Created
	go func() {
		var err error
		twin, err = service.Create(context.WithoutCancel(t.Context()), merchant.Caller, request("order"))
		ended <- err
	}()
	b.AwaitTries(t, 3)
	noError(t, winner.Commit(t.Context()))
	if err := <-ended; err != nil || !twin.Replay || twin.Payin.ID != first.ID {
		t.Errorf("%v, replay %v of payout %d", err, twin.Replay, twin.Payin.ID)
	}
}
