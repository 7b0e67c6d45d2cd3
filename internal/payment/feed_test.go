package payment_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/rate"
	"gateway.example/internal/webhook"
)

// feed makes a feed of RUB that gives the answer, or 502 while that is empty, polled each second
// and fresh for a minute.
func (b *bundle) feed(t *testing.T, priority int32, answer *atomic.Value) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text, _ := answer.Load().(string)
		if text == "" {
			w.WriteHeader(http.StatusBadGateway)
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	_, err := rate.NewSettings(b.Pool, b.clock, webhook.NewAddresses(true)).
		SetFeed(context.Background(), caller.Caller{Kind: caller.Operator, Role: caller.Admin}, rate.Feed{
			Currency: "RUB", Enabled: true, Priority: priority, URL: server.URL, Pointer: "/rate", PollSeconds: 1,
			TimeoutMS: 30_000, BandPercent: "20", DayBandPercent: "20", FreshSeconds: 60,
		})
	if err != nil {
		t.Fatal(err)
	}
}

// The feeds die; a payment is made at the last known rate, 100, and confirmed; it waits; one feed
// comes back at 80, and the payment is settled at that. The sums are those of
// TestSettlementWaitsForARate.
func TestSettlementWaitsForAFeed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.exec(t, "delete from rate")
	var first, second atomic.Value
	first.Store(`{"rate":100}`)
	second.Store(`{"rate":"99"}`)
	b.feed(t, 1, &first)
	b.feed(t, 2, &second)
	poller := rate.NewPoller(b.Pool, b.clock, webhook.NewAddresses(true), nil)
	poll := func() {
		t.Helper()
		if err := poller.Poll(context.Background()); err != nil {
			t.Fatal(err)
		}
		poller.Wait()
	}
	poll()
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 2})
	p := b.row(t, b.create(t, merchant.Caller, request("order-1")))
	if p.RateUnavailable || p.RateSource != "feed:1" || p.BaseRate.String() != "100" ||
		!p.RateObservedAt.Equal(dbtest.Start) {
		t.Errorf("%s of %s, unavailable %v", p.BaseRate, p.RateSource, p.RateUnavailable)
	}
	b.set(t, p.ID, "cancelled")

	second.Store("")
	b.clock.Advance(30 * time.Second)
	poll()
	first.Store("")
	b.clock.Advance(time.Minute)
	poll()
	made := b.create(t, merchant.Caller, request("order-2"))
	p = b.row(t, made)
	if !p.RateUnavailable || p.RateSource != "feed:1" || p.HoldUSDT.String() != "9.8" {
		t.Errorf("unavailable %v, hold %s", p.RateUnavailable, p.HoldUSDT)
	}
	must[payment.Payment](t)(b.payments.Confirm(context.Background(), trader.Caller, p.ID))
	b.wantDue(t, 1)
	b.wantSettled(t, 0)
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["pending"])
	b.Audit(t)

	second.Store(`{"rate":80}`) // from 99 down by less than 20%
	b.clock.Advance(time.Second)
	poll()
	b.wantSettled(t, 1)
	b.wantDue(t, 0)
	b.wantMoney(t, trader.ID, merchant.CashboxID,
		money{trader: "87.75", reserved: "0", cashbox: "11.90476190", platform: "0.3452381"})
	b.Audit(t)
	p = b.row(t, made)
	if p.RateUnavailable || p.RateSource != "feed:2" || p.BaseRate.String() != "80" ||
		!p.RateObservedAt.Equal(dbtest.Start.Add(91*time.Second)) {
		t.Errorf("settled at %s of %s at %s", p.BaseRate, p.RateSource, p.RateObservedAt)
	}
}
