package payment_test

import (
	"context"
	"testing"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
)

// A creation beside another of the same order id waits for it, also for longer than a lock is waited for: it answers with
// the other's payment, or makes its own where the other made none.
func TestTwinWaits(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 3})
	service := b.asRun(t)
	first, err := service.Create(t.Context(), merchant.Caller, request("first"))
	noError(t, err)
	for order, commits := range map[string]bool{"commits": true, "rolls back": false} {
		winner := b.other(
			t,
			"insert into payment_key (merchant_id, channel, order_id, payment_id) values ($1, 'sbp', $2, $3)",
			merchant.ID,
			order,
			first.Payment.ID,
		)
		var twin payment.Created
		ended := make(chan error, 1)
		go func() {
			var err error
			r := request(order)
			r.Amount = "2000"
			twin, err = service.Create(context.WithoutCancel(t.Context()), merchant.Caller, r)
			ended <- err
		}()
		b.AwaitTries(t, 3)
		if commits {
			err = winner.Commit(t.Context())
		} else {
			err = winner.Rollback(t.Context())
		}
		noError(t, err)
		if err := <-ended; err != nil || twin.Replay != commits || (twin.Payment.ID == first.Payment.ID) != commits {
			t.Errorf("%s: %v, replay %v of payment %d", order, err, twin.Replay, twin.Payment.ID)
		}
	}
}
