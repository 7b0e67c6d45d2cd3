package payment_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

func (b *bundle) wantExpired(t *testing.T, want int) {
	t.Helper()
	n, err := b.payments.Expire(context.Background())
	testenv.Check(t, err == nil && n == want, "%d expired, want %d (%v)", n, want, err)
}

func (b *bundle) wantSettled(t *testing.T, want int) {
	t.Helper()
	n, err := b.payments.Settle(context.Background())
	testenv.Check(t, err == nil && n == want, "%d settled, want %d (%v)", n, want, err)
}

func (b *bundle) wantDue(t *testing.T, want int) {
	t.Helper()
	testenv.Want(t, b.Count(t, "select count(*) from settlement_due"), want, "payments due for settlement")
}

func TestExpire(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	ctx := context.Background()
	p := b.create(t, merchant.Caller, request("order-1"))
	b.clock.Advance(15*time.Minute - time.Millisecond)
	b.wantExpired(t, 0)
	b.clock.Advance(time.Millisecond)
	b.wantExpired(t, 1)
	b.wantExpired(t, 0)
	p = testenv.Must(b.payments.Get(ctx, merchant.Caller, p.UUID.String()))(t)
	testenv.Check(t, p.Status == "failed" && *p.StatusReason == "expired" && p.StatusAt.Equal(at(15)) &&
		p.ExpiresAt.Equal(at(15)), "%s for %v at %s", p.Status, p.StatusReason, p.StatusAt)
	history := b.History(t, p.MerchantID, p.ID)
	last := history[len(history)-1]
	testenv.Check(t, *last.FromStatus == "pending" && last.ToStatus == "failed" && last.Actor == "system" &&
		*last.Reason == "expired", "history ends with %+v", last)
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["failed"])
	b.wantEvents(t, p, 1)
	// A late transfer must not be taken for the next payer's: the slot
	// rests for 15 minutes.
	b.wantSlot(t, p, "12:30")
	b.clock.Advance(15*time.Minute - time.Millisecond)
	dbtest.WantCode(t, testenv.ErrOf(b.payments.Create(ctx, merchant.Caller, request("order-2"))), "collect_requisites_not_available")
	b.clock.Advance(time.Millisecond)
	b.create(t, merchant.Caller, request("order-2"))
	b.Audit(t)
}

// Only what is pending expires, whatever the clock says.
func TestExpireTakesPendingOnly(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 5})
	for _, status := range []string{"completed", "failed", "cancelled", "appeal"} {
		b.set(t, b.create(t, merchant.Caller, request(status)).ID, status)
	}
	b.clock.Advance(24 * time.Hour)
	b.wantExpired(t, 0)
}

// The status decides, not the clock: until the sweep comes by, the trader may
// confirm.
func TestConfirmPastExpiry(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	b.clock.Advance(time.Hour)
	testenv.Want(t, testenv.Must(b.payments.Confirm(context.Background(), trader.Caller, p.ID))(t).Status, "completed",
		"status")
	b.wantExpired(t, 0)
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["completed"])
}

// threeAtOnce has three replicas sweep at the same time, and wants them to do
// so many between them.
func threeAtOnce(t *testing.T, sweep func(context.Context) (int, error), want int64) {
	t.Helper()
	var done atomic.Int64
	testenv.NoError(t, testenv.AtOnce(3, func(int) error {
		n, err := sweep(context.Background())
		done.Add(int64(n))
		return err
	})...)
	testenv.Want(t, done.Load(), want, "done by all of them")
}

func TestSweepsInParallel(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "200", Requisites: 20})
	for i := range 20 {
		b.create(t, merchant.Caller, request(fmt.Sprint("order-", i)))
	}
	b.clock.Advance(15 * time.Minute)
	threeAtOnce(t, b.payments.Expire, 20)
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event"), 20, "events")
	b.Audit(t)
}

// Payments expire together, several in a transaction. One that somebody changes
// meanwhile, and one whose expiry fails, keep none of the others, and are not
// touched.
func TestExpireBesideOthers(t *testing.T) {
	for _, c := range []struct{ name, raise, failed string }{
		{"changed meanwhile", "raise check_violation using constraint = 'payment_version'", ""},
		{"broken", "raise 'the end'", "the end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "300", Requisites: 25})
			var odd payment.Payment
			for i := range 25 {
				if p := b.create(t, merchant.Caller, request(fmt.Sprint("order-", i))); i == 12 {
					odd = p
				}
			}
			b.Exec(t, `create function refuse() returns trigger language plpgsql as $$ begin `+c.raise+`; end $$;
				create trigger refuse before update on payment for each row when (old.id = `+strconv.FormatInt(odd.ID, 10)+`)
				execute function refuse()`)
			b.clock.Advance(15 * time.Minute)
			n, err := b.payments.Expire(context.Background())
			testenv.Check(t, n == 24 && (err == nil) == (c.failed == "") && (err == nil || strings.Contains(err.Error(), c.failed)),
				"%d expired, want 24 (%v)", n, err)
			testenv.Want(t, b.row(t, odd).Status, "pending", "the one in between")
			testenv.Want(t, b.Count(t, "select count(*) from payment where status = 'failed'"), 24, "failed payments")
			testenv.Want(t, b.Count(t, "select count(*) from webhook_event"), 24, "events")
			b.Audit(t)
		})
	}
}

// Without a fresh rate the hold is taken at the last known one, here 100; the
// settlement waits and takes the first fresh one, here 80: spot 1000/80 = 12.5;
// the merchant gets 1000/84 = 11.90476190; of the spread of 0.5952381 the
// trader keeps 12.5 × 2% = 0.25 and the platform gets 0.3452381. The trader has
// then given 12.25 of their 100.
func TestSettlementWaitsForARate(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	b.SetRate(t, "RUB", "100", false)
	want := func(m money) { t.Helper(); b.wantMoney(t, trader.ID, merchant.CashboxID, m) }
	held, none := positions["pending"], positions["failed"]
	settled := money{trader: "87.75", reserved: "0", cashbox: "11.90476190", platform: "0.3452381"}

	p := b.create(t, merchant.Caller, request("order-1"))
	testenv.Check(t, p.RateUnavailable && b.row(t, p).HoldUSDT.String() == "9.8",
		"rate unavailable %v, hold %s", p.RateUnavailable, b.row(t, p).HoldUSDT)
	want(held)
	b.wantDue(t, 0)
	testenv.Must(b.payments.Confirm(context.Background(), trader.Caller, p.ID))(t)
	want(held)
	b.wantDue(t, 1)
	b.wantSettled(t, 0)

	// Leaving completed takes the due row along; coming back brings it
	// again.
	b.set(t, p.ID, "failed")
	want(none)
	b.wantDue(t, 0)
	b.set(t, p.ID, "completed")
	want(held)
	b.wantDue(t, 1)
	b.set(t, p.ID, "appeal")
	want(held)
	b.wantDue(t, 0)
	b.set(t, p.ID, "completed")

	b.SetRate(t, "RUB", "80", true)
	b.Exec(t, "update rate set source = 'feed:2', observed_at = $1", at(91))
	b.wantSettled(t, 1)
	b.wantSettled(t, 0)
	want(settled)
	b.wantDue(t, 0)
	p = testenv.Must(b.payments.Get(context.Background(), merchant.Caller, p.UUID.String()))(t)
	stored := b.row(t, p)
	got := fmt.Sprintln(p.RateUnavailable, p.BaseRate, stored.RateSource, stored.RateObservedAt.UTC(), p.AmountUSDT, p.ProfitUSDT,
		p.SpreadTraderUSDT, p.SpreadPlatformUSDT)
	testenv.Want(t, got, fmt.Sprintln(false, 80, "feed:2", at(91), "11.9047619 0.5952381 0.25 0.3452381"), "settled at")
	// Settling is no change of status.
	b.wantEvents(t, p, 5)

	// From then on the payment goes by what it was settled at.
	b.set(t, p.ID, "cancelled")
	want(none)
	b.set(t, p.ID, "completed")
	want(settled)
	b.wantDue(t, 0)
	b.set(t, p.ID, "pending")
	want(held)
}

// The rate has halved when the settlement comes. Spot is 1000/50 = 20, the
// merchant's 1000/52.5 = 19.04761904, the spread 0.95238096, of it 0.4 the
// trader's and 0.55238096 the platform's. The trader gives 19.6 and brought 10.
func TestSettlementOverdrawsTheTrader(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "10", SharePercent: "2", Requisites: 1})
	b.SetRate(t, "RUB", "100", false)
	b.made(t, merchant, "order-1", "completed")
	b.SetRate(t, "RUB", "50", true)
	b.wantSettled(t, 1)
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{"-9.6", "0", "19.04761904", "0.55238096"})
	b.Fund(t, ledger.Available(ledger.Trader, trader.ID), "9.6")
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{"0", "0", "19.04761904", "0.55238096"})
}

func TestSettlementsInParallel(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "200", SharePercent: "2", Requisites: 10})
	b.SetRate(t, "RUB", "100", false)
	for i := range 10 {
		b.set(t, b.create(t, merchant.Caller, request(fmt.Sprint("order-", i))).ID, "completed")
	}
	b.wantDue(t, 10)
	b.SetRate(t, "RUB", "80", true)
	threeAtOnce(t, b.payments.Settle, 10)
	// Ten times 12.25 given, 11.90476190 and 0.3452381 got.
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{"77.5", "0", "119.0476190", "3.452381"})
}

// A reservation that is over is forgotten, and one that is not stays.
func TestPruneSlots(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 2})
	kept := b.create(t, merchant.Caller, request("order-1"))
	b.made(t, merchant, "order-2", "cancelled")
	b.clock.Advance(15 * time.Minute)
	for _, left := range []int{2, 1} {
		testenv.NoError(t, b.payments.PruneSlots(context.Background()))
		testenv.Want(t, b.Count(t, "select count(*) from requisite_slot"), left, "slots")
		b.clock.Advance(time.Millisecond)
	}
	b.wantSlot(t, kept, open)
}

// The golden bodies are written by hand from the contract; only what is random
// is filled in.
func TestEvents(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 2})
	p := b.create(t, merchant.Caller, request(`order <1> & "co"`))
	other := b.NewMerchant(t, dbtest.MerchantOpts{})
	late := b.create(t, other.Caller, requestOf("order-1", "10.5"))
	b.clock.Advance(5*time.Minute + 123*time.Millisecond)
	testenv.Must(b.payments.Confirm(context.Background(), trader.Caller, p.ID))(t)
	b.wantEvent(t, p, "event_completed.json")
	b.clock.Advance(10*time.Minute - 123*time.Millisecond)
	b.wantExpired(t, 1)
	b.wantEvent(t, late, "event_expired.json")
}

func (b *bundle) wantEvent(t *testing.T, p payment.Payment, golden string) {
	t.Helper()
	var id uuid.UUID
	var url string
	var body []byte
	err := b.Pool.QueryRow(context.Background(), "select id, url, body from webhook_event where merchant_id = $1 and cashbox_id = $2",
		p.MerchantID, p.CashboxID).
		Scan(&id, &url, &body)
	testenv.Need(t, err == nil && url == "https://shop.example/hook" && id.Version() == 7, "event %s to %s: %v", id, url, err)
	want := string(testenv.Must(os.ReadFile("testdata/" + golden))(t))
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
	testenv.NoError(t, decoder.Decode(&v))
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
	testenv.Want(t, n, 5, "events that are right")
	b.wantEvents(t, p, 5)
}

// What was open when an outage began gets its time back, once, at most an hour,
// and its timeline says so. What had expired before does not, nor what is made
// afterwards. A gap that is no outage changes nothing.
func TestOutageIsGivenBack(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100000", Requisites: 9})
	config := configuration
	config.GiveBackOutages = true
	b.payments = b.service(t, 0, config)
	rival := b.service(t, 0, config)
	away := func(gap time.Duration) {
		t.Helper()
		b.clock.Advance(gap)
		b.Exec(t, "update serving set at = clock_timestamp() - make_interval(secs => $1)", gap.Seconds())
	}
	expire := func(want int) {
		t.Helper()
		b.wantExpired(t, want)
		testenv.Want(t, testenv.Must(rival.Expire(t.Context()))(t), 0, "payments expired by the other process")
	}
	left := func(p payment.Payment) time.Duration {
		t.Helper()
		return b.row(t, p).ExpiresAt.Sub(b.clock.Now()).Round(time.Minute)
	}
	steps := func() int { return b.Count(t, "select count(*) from payment_step where what = 'time_given_back'") }

	first := b.create(t, merchant.Caller, request("first"))
	expire(0)
	away(20 * time.Second)
	b.clock.Advance(10*time.Minute - 20*time.Second)
	expire(0)
	testenv.Want(t, steps(), 0, "after a restart")
	second := b.create(t, merchant.Caller, request("second"))

	away(40 * time.Minute)
	third := b.create(t, merchant.Caller, request("third")) // by a process that is up already
	expire(0)
	testenv.Want(t, left(first), 5*time.Minute, "left of the first")
	testenv.Want(t, left(second), 15*time.Minute, "left of the second")
	testenv.Want(t, left(third), 15*time.Minute, "left of the third")
	testenv.Want(t, steps(), 2, "payments that got time back")
	testenv.Want(t, b.Text(t, "select detail ->> 'minutes' from payment_step where payment_id = $1", first.ID), "40",
		"minutes")

	away(3 * time.Hour)
	expire(3)
	testenv.Want(t, b.Text(t, "select string_agg(detail ->> 'minutes', ' ' order by id) from payment_step"),
		"40 40 60 60 60", "minutes")

	b.payments = b.replica(t, 0)
	b.create(t, merchant.Caller, request("fourth"))
	away(20 * time.Minute)
	expire(1)
	testenv.Want(t, steps(), 5, "where it is switched off")
	b.Audit(t)
}
