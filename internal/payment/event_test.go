package payment_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/rate"
)

// The golden bodies are written by hand from the contract; only what is random is filled in.
func TestEventOfACompletedPayment(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	p := b.create(t, merchant.Caller, request(`order <1> & "co"`))
	b.clock.Advance(5*time.Minute + 123*time.Millisecond)
	must(b.payments.Confirm(context.Background(), trader.Caller, p.ID))(t)
	b.wantEvent(t, p, "event_completed.json")
}

func TestEventOfAnExpiredPayment(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	r := request("order-1")
	r.Amount = "10.5"
	p := b.create(t, merchant.Caller, r)
	b.clock.Advance(15 * time.Minute)
	b.wantExpired(t, 1)
	b.wantEvent(t, p, "event_expired.json")
}

func (b *bundle) wantEvent(t *testing.T, p payment.Payment, golden string) {
	t.Helper()
	var id uuid.UUID
	var url string
	var body []byte
	err := b.Pool.QueryRow(context.Background(), "select id, url, body from webhook_event where merchant_id = $1 and cashbox_id = $2",
		p.MerchantID, p.CashboxID).
		Scan(&id, &url, &body)
	if err != nil || url != "https://shop.example/hook" || id.Version() != 7 {
		t.Fatalf("event %s to %s: %v", id, url, err)
	}
	want := string(must(os.ReadFile("testdata/" + golden))(t))
	want = strings.NewReplacer("{eventId}", id.String(), "{uuid}", p.UUID.String(), "{id}", strconv.FormatInt(p.ID, 10)).
		Replace(want)
	if got, want := decode(t, string(body)), decode(t, want); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %s\nwant %s", body, want)
	}
}

// decode keeps numbers as they are written: an id must not turn into a string.
func decode(t *testing.T, body string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return v
}

// Each event tells what came before it and its place in the row.
func TestEventsFollowEachOther(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	for _, status := range []string{"completed", "completed", "appeal", "pending", "cancelled", "cancelled", "failed"} {
		b.set(t, p.ID, status)
	}
	n := b.Count(t, `select count(*) from webhook_event e join (values
			(1, 'PENDING', 'COMPLETED'), (2, 'COMPLETED', 'APPEAL'), (3, 'APPEAL', 'PENDING'), (4, 'PENDING', 'CANCELLED'),
			(5, 'CANCELLED', 'FAILED')) as w (sequence, before, after) on e.sequence = w.sequence
		where convert_from(e.body, 'UTF8')::json #>> '{meta,previousStatus}' = w.before
			and convert_from(e.body, 'UTF8')::json #>> '{data,status}' = w.after
			and (convert_from(e.body, 'UTF8')::json #>> '{meta,sequence}')::int = w.sequence`)
	if n != 5 {
		t.Errorf("%d of 5 events are right", n)
	}
	b.wantEvents(t, p, 5)
}

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
	_, err := rate.NewSettings(b.Pool, b.clock, outbound.NewAddresses(true), foureyes.Rules{}).
		SetFeed(context.Background(), caller.Caller{Kind: caller.Operator, Role: caller.Admin}, rate.Feed{
			Currency: "RUB", Enabled: true, Priority: priority, URL: server.URL, Pointer: "/rate", PollSeconds: 1,
			TimeoutMS: 30_000, BandPercent: "20", DayBandPercent: "20", FreshSeconds: 60,
		})
	noError(t, err)
}

// The feeds die; a payment is made at the last known rate, 100, and confirmed; it waits; one feed
// comes back at 80, and the payment is settled at that. The sums are those of
// TestSettlementWaitsForARate.
func TestSettlementWaitsForAFeed(t *testing.T) {
	b := setup(t)
	b.Exec(t, "delete from rate")
	var first, second atomic.Value
	first.Store(`{"rate":100}`)
	second.Store(`{"rate":"99"}`)
	b.feed(t, 1, &first)
	b.feed(t, 2, &second)
	poller := rate.NewPoller(b.Pool, b.clock, outbound.NewAddresses(true), nil)
	poll := func() {
		t.Helper()
		noError(t, poller.Poll(context.Background()))
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
	must(b.payments.Confirm(context.Background(), trader.Caller, p.ID))(t)
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
