package payment_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// What was open when an outage began gets its time back, once, at most an hour, and its timeline says so. What had expired
// before does not, nor what is made afterwards. A gap that is no outage changes nothing.
func TestOutageIsGivenBack(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100000", Requisites: 9})
	config := payment.Config{
		Requisites: dbtest.Requisites(), Markup: decimal.NewFromInt(5), ExternalSecret: true, GiveBackOutages: true,
	}
	b.payments = configured(t, b.DB, b.clock, config)
	rival := configured(t, b.DB, b.clock, config)
	away := func(gap time.Duration) {
		t.Helper()
		b.clock.Advance(gap)
		b.Exec(t, "update serving set at = clock_timestamp() - make_interval(secs => $1)", gap.Seconds())
	}
	expire := func(want int) {
		t.Helper()
		b.wantExpired(t, want)
		testenv.Want(t, must(rival.Expire(t.Context()))(t), 0, "payments expired by the other process")
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

	b.payments = newService(t, b.DB, b.clock)
	b.create(t, merchant.Caller, request("fourth"))
	away(20 * time.Minute)
	expire(1)
	testenv.Want(t, steps(), 5, "where it is switched off")
	b.Audit(t)
}
