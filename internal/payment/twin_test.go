package payment_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
)

// A creation beside another of the same order id waits for it, also for longer than a lock is waited for: it answers with
// the other's payment, or makes its own where the other made none.
func TestTwinWaits(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 3})
	service := b.asRun(t)
	first := must(service.Create(t.Context(), merchant.Caller, request("first")))(t)
	for order, commits := range map[string]bool{"commits": true, "rolls back": false} {
		winner := b.other(t,
			"insert into payment_key (merchant_id, channel, order_id, payment_id) values ($1, 'sbp', $2, $3)",
			merchant.ID, order, first.Payment.ID)
		var twin payment.Created
		ended := make(chan error, 1)
		go func() {
			r := request(order)
			r.Amount = "2000"
			var err error
			twin, err = service.Create(context.WithoutCancel(t.Context()), merchant.Caller, r)
			ended <- err
		}()
		b.AwaitTries(t, 3)
		end := winner.Rollback
		if commits {
			end = winner.Commit
		}
		noError(t, end(t.Context()))
		if err := <-ended; err != nil || twin.Replay != commits || (twin.Payment.ID == first.Payment.ID) != commits {
			t.Errorf("%s: %v, replay %v of payment %d", order, err, twin.Replay, twin.Payment.ID)
		}
	}
}

// What somebody else has read of a change, a creation that chose before it sees too: it is not refused for what is there by now.
func TestRenewedBySomebodyElse(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	settings := must(directory.NewKeeper(t.Context(), b.another(t), time.Hour, nil))(t)
	config := payment.Config{Requisites: dbtest.Requisites(), ExternalSecret: true}
	service := must(payment.New(b.Pools(), b.clock, outbound.NewAddresses(false), settings, config))(t)
	// It has chosen none, and looks whether the order id is taken.
	looked := b.other(t, "lock table payment_key")
	ended := make(chan error, 1)
	go func() {
		_, err := service.Create(context.WithoutCancel(t.Context()), merchant.Caller, request("first"))
		ended <- err
	}()
	b.AwaitBlocked(t)
	d := &dbtest.DB{Pool: b.another(t), URL: b.URL}
	d.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1})
	if changed, err := settings.Renew(t.Context()); err != nil || !changed {
		t.Fatalf("renewed: %v, %v", changed, err)
	}
	noError(t, looked.Rollback(t.Context()))
	noError(t, <-ended)
}

// another is a pool beside the bundle's, which may be of one connection.
func (b *bundle) another(t *testing.T) *pgxpool.Pool {
	pool := must(pgxpool.New(t.Context(), b.URL))(t)
	t.Cleanup(pool.Close)
	return pool
}
