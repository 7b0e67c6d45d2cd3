package payment_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
)

// The payer's cancel moves everything a trader's does: status, history, money, and one webhook.
func TestPayerCancels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order"))
	after, err := b.payments.CancelByPayer(t.Context(), p.UUID)
	if err != nil || after.Status != "cancelled" || after.StatusReason != nil || after.Expired() {
		t.Fatalf("%s, %v", after.Status, err)
	}
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["cancelled"])
	changes, err := b.payments.History(t.Context(), after)
	if err != nil || len(changes) != 2 || changes[1].Actor != "payer" || *changes[1].From != "pending" ||
		changes[1].To != "cancelled" {
		t.Errorf("%+v, %v", changes, err)
	}
	if n := b.count(t, "select count(*) from webhook_event where subject_id = $1", p.ID); n != 1 {
		t.Errorf("%d webhooks", n)
	}
	b.Audit(t)
}

// A payer's steps close at the deadline, and when the payment is no longer pending.
func TestPayerCancelsTooLate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 10})
	for _, status := range []string{"completed", "failed", "cancelled", "appeal"} {
		p := b.create(t, merchant.Caller, request(status))
		b.set(t, p.ID, status)
		_, err := b.payments.CancelByPayer(t.Context(), p.UUID)
		wantCode(t, err, "payment_not_pending")
	}
	p := b.create(t, merchant.Caller, request("late"))
	b.clock.Advance(15 * time.Minute)
	_, err := b.payments.CancelByPayer(t.Context(), p.UUID)
	wantCode(t, err, "payment_not_pending")
	if _, err := b.payments.Expire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if late, err := b.payments.ByUUID(t.Context(), p.UUID); err != nil || !late.Expired() {
		t.Errorf("%+v, %v", late.StatusReason, err)
	}
	_, err = b.payments.CancelByPayer(t.Context(), uuid.New())
	wantCode(t, err, "not_found")
}

// Of payer and trader at once one wins, and the other is told.
func TestPayerAgainstTrader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 20})
	for i := range 20 {
		p := b.create(t, merchant.Caller, request(string(rune('a'+i))))
		var cancelled, confirmed error
		var race sync.WaitGroup
		race.Go(func() { _, cancelled = b.payments.CancelByPayer(context.Background(), p.UUID) })
		race.Go(func() { _, confirmed = b.payments.Confirm(context.Background(), trader.Caller, p.ID) })
		race.Wait()
		lost := cancelled
		want := "completed"
		if cancelled == nil {
			lost, want = confirmed, "cancelled"
		}
		if (cancelled == nil) == (confirmed == nil) || fault.As(lost) == nil ||
			fault.As(lost).Code != "payment_not_pending" {
			t.Fatalf("cancel: %v, confirm: %v", cancelled, confirmed)
		}
		if now, err := b.payments.ByUUID(t.Context(), p.UUID); err != nil || string(now.Status) != want {
			t.Errorf("%s, want %s, %v", now.Status, want, err)
		}
	}
	b.Audit(t)
}
