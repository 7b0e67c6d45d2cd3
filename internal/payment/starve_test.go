package payment_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// batch is how many rows a sweep takes at a time.
const batch = 500

// copies makes that many payments like the given one, each due a minute earlier, from number 100000
// on.
func (b *bundle) copies(t *testing.T, of payment.Payment) {
	t.Helper()
	b.exec(
		t,
		`insert into payment select (jsonb_populate_record(p, jsonb_build_object('id', 100000 + n, 'uuid', gen_random_uuid(),
		'expires_at', p.expires_at - interval '1 minute'))).* from payment p, generate_series(1, $2) n where p.id = $1`,
		of.ID,
		batch,
	)
}

// jam has the copies fail to expire: their event is there already.
func (b *bundle) jam(t *testing.T) {
	t.Helper()
	b.exec(
		t,
		`insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
		select merchant_id, overlay(gen_random_uuid()::text placing left(event_id_from(now())::text, 13) from 1)::uuid,
			cashbox_id, 'x', 'payment', id, 1, 'x', '', created_at from payment where id > 100000`,
	)
}

// other begins a transaction of somebody else.
func (b *bundle) other(t *testing.T, sql string, args ...any) pgx.Tx {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), b.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	tx, err := conn.Begin(context.Background())
	if err == nil {
		_, err = tx.Exec(context.Background(), sql, args...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// Five payments behind as many as a sweep takes that fail each time, or that somebody else has
// locked.
func TestExpiryStarvesNobody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		injure func(t *testing.T, b *bundle)
		rounds int
	}{
		"failing": {func(t *testing.T, b *bundle) { t.Helper(); b.jam(t) }, 2},
		"locked": {func(t *testing.T, b *bundle) {
			t.Helper()
			b.other(t, "select from payment where id > 100000 for update")
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
			b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 5})
			var last payment.Payment
			for _, order := range []string{"1", "2", "3", "4", "5"} {
				last = b.create(t, merchant.Caller, request(order))
			}
			b.copies(t, last)
			c.injure(t, b)
			b.clock.Advance(15 * time.Minute)
			began := time.Now()
			for range c.rounds {
				_, _ = b.payments.Expire(context.Background())
			}
			if n := b.count(t, "select count(*) from payment where status = 'failed' and id < 100000"); n != 5 {
				t.Errorf("%d of 5 expired", n)
			}
			if name == "failing" {
				// Failures are put off for two seconds. A machine that takes longer tries them again, and
				// says so; in any case it comes to an end.
				ctx, cancel := context.WithTimeout(context.Background(), testenv.Patience)
				defer cancel()
				err := b.payments.ExpireAll(ctx)
				if ctx.Err() != nil || err != nil && time.Since(began) < 2*time.Second {
					t.Errorf("%v, %v", ctx.Err(), err)
				}
			}
		})
	}
}

// Settlements behind as many that fail each time: their trader has no account.
func TestSettlementStarvesNobody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.SetRate(t, "RUB", "100", false)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	p := b.create(t, merchant.Caller, request("1"))
	b.set(t, p.ID, "completed")
	b.copies(t, p)
	b.exec(t, "update payment set trader_id = 999999 where id > 100000")
	b.exec(t, `insert into settlement_due (merchant_id, payment_id, currency, since)
		select merchant_id, id, currency, '2026-01-01' from payment where id > 100000`)
	b.SetRate(t, "RUB", "80", true)
	for range 2 {
		_, _ = b.payments.Settle(context.Background())
	}
	b.wantDue(t, batch)
}

// A payment whose reservation somebody else keeps locked, as a creation does, holds up the sweep
// for a moment only.
func TestExpiryWaitsBriefly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 2})
	first := b.create(t, merchant.Caller, request("1"))
	b.clock.Advance(time.Second)
	b.create(t, merchant.Caller, request("2"))
	tx := b.other(t, "select from requisite_slot where payment_id = $1 for update", first.ID)
	b.clock.Advance(15 * time.Minute)
	ctx, cancel := context.WithTimeout(context.Background(), testenv.Patience)
	defer cancel()
	if n, err := b.payments.Expire(ctx); n != 1 || err == nil || ctx.Err() != nil {
		t.Errorf("%d expired (%v), want the second alone", n, err)
	}
	if err := tx.Rollback(context.Background()); err != nil {
		t.Fatal(err)
	}
	// Another process has put nothing off.
	if n, err := newService(t, b.DB, b.clock).Expire(ctx); n != 1 || err != nil {
		t.Errorf("%d expired (%v), want the first", n, err)
	}
	b.Audit(t)
}
