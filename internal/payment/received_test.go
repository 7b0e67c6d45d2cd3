package payment_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/inforce"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// What each policy of a cashbox's method makes of what came for a payment of 1000 RUB at 100 RUB per USDT, a markup of 5% and
// a trader's share of 2%, the trader having brought 100: the sums are those of internal/rate's table. What is not taken is a
// case, which holds what the payment held.
func TestReceivedAmount(t *testing.T) {
	const open = ""
	for name, c := range map[string]struct {
		policy, came string
		want         money
	}{
		"exact, to the kopeck":      {"'exact', null, null, 'trader'", "1000.00", positions["completed"]},
		"exact, another":            {"'exact', 50, 500, 'trader'", "999.99", money{trader: open}},
		"near, on the trader":       {"'tolerance', 0.2, null, 'trader'", "998.50", positions["completed"]},
		"near, on the platform":     {"'tolerance', null, 1.50, 'platform'", "998.50", money{"90.215", "0", "9.52380952", "0.26119048"}},
		"more, for the platform":    {"'tolerance', 1, 5, 'platform'", "1001.01", money{"90.1899", "0", "9.52380952", "0.28629048"}},
		"not within both":           {"'tolerance', 1, 1, 'trader'", "998.50", money{trader: open}},
		"no tolerance is set":       {"'tolerance', null, null, 'trader'", "998.50", money{trader: open}},
		"less, taken as it came":    {"'received', null, null, 'platform'", "800", money{"92.16", "0", "7.61904761", "0.22095239"}},
		"more, taken as it came":    {"'received', null, null, 'trader'", "1250.50", money{"87.7451", "0", "11.9095238", "0.3453762"}},
		"as asked, whatever policy": {"'received', null, null, 'trader'", "1000", positions["completed"]},
	} {
		t.Run(name, func(t *testing.T) {
			b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
			b.Exec(t, "update cashbox_method set (amount_policy, tolerance_percent, tolerance_amount, difference_to) = ("+c.policy+")")
			p := b.create(t, merchant.Caller, request("order-1"))
			got := testenv.Must(b.payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, &c.came))(t)
			if c.want.trader == open {
				b.wantMoney(t, trader.ID, merchant.CashboxID, positions["appeal"])
				testenv.Want(t, got.Case(), true, "a case")
				return
			}
			b.wantMoney(t, trader.ID, merchant.CashboxID, c.want)
			wantSame(t, got, testenv.Must(b.payments.Get(t.Context(), trader.Caller, p.UUID.String()))(t))
			testenv.Check(t, got.Amount.Equal(p.Amount) && got.ReceivedAmount.Valid, "%s of %s", got.ReceivedAmount.Decimal, got.Amount)
			steps := testenv.Must(b.sums.Payment(t.Context(), operator, p.ID))(t).Steps
			testenv.Want(t, steps[2].Value, got.AmountUSDT.Add(got.ProfitUSDT).StringFixed(8), "spot, explained")
			counted := steps[2].Name + " " + steps[2].Formula
			testenv.Want(t, strings.Contains(counted, "receivedAmount"), strings.Contains(c.policy, "received"), "%s", counted)
			b.wantToldReceived(t, p.ID, got.ReceivedAmount.Decimal.StringFixed(2))
			b.Audit(t)
			// Whatever follows takes all of it back, and nobody's word on an amount is the amount asked for.
			for _, status := range []string{"appeal", "completed", "failed", "pending"} {
				after := b.set(t, p.ID, status)
				b.wantMoney(t, trader.ID, merchant.CashboxID, positions[status])
				testenv.Want(t, after.ReceivedAmount.Valid, false, "received at %s", status)
			}
			b.Audit(t)
		})
	}
}

// wantToldReceived wants what came in the last webhook and in the history.
func (b *bundle) wantToldReceived(t *testing.T, id int64, want string) {
	t.Helper()
	var body []byte
	var kept string
	noError(t, b.Pool.QueryRow(t.Context(), `select e.body, h.received_amount::text from webhook_event e, payment_history h
		where e.subject_id = $1 and h.payment_id = $1 and h.to_status = 'completed'`, id).Scan(&body, &kept))
	var told struct {
		Data struct{ Amount string }
		Meta struct{ ReceivedAmount string }
	}
	noError(t, json.Unmarshal(body, &told))
	testenv.Want(t, strings.Join([]string{told.Data.Amount, told.Meta.ReceivedAmount, kept}, " "), "1000.00 "+want+" "+want, "told")
}

// A payment that waits for a rate is settled for what came, at the rate that comes; and what is wrong with an amount is said.
func TestReceivedWithoutRate(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	b.SetRate(t, "RUB", "80", false)
	b.Exec(t, "update cashbox_method set amount_policy = 'received'")
	p := b.create(t, merchant.Caller, request("order-1"))
	for _, wrong := range []string{"0", "-5", "1.001", "much", "1000000000000"} {
		wantFields(t, testenv.ErrOf(b.payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, &wrong)), "receivedAmount")
	}
	wantCode(t, testenv.ErrOf(b.payments.ConfirmReceived(t.Context(), b.NewTrader(t, dbtest.TraderOpts{USDT: "1"}).Caller, p.ID, new("800"))),
		"not_found")
	wantFields(t, testenv.ErrOf(b.payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, new("1000.01"))), "receivedAmount")
	testenv.Must(b.payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, new("800")))(t)
	b.SetRate(t, "RUB", "100", true)
	testenv.Want(t, testenv.Must(b.payments.Settle(t.Context()))(t), 1, "settled")
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{"92.16", "0", "7.61904761", "0.22095239"})
	testenv.Want(t, b.Balance(t, ledger.Reserved(ledger.Trader, trader.ID)).String(), "0", "held")
	b.Audit(t)
}

// Also what is missing of a payment that is taken as asked is counted at the rate that comes, and is the platform's as before.
func TestDifferenceWithoutRate(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	b.SetRate(t, "RUB", "80", false)
	b.Exec(t, "update cashbox_method set amount_policy = 'tolerance', tolerance_amount = 1.5, difference_to = 'platform'")
	p := b.create(t, merchant.Caller, request("order-1"))
	testenv.Must(b.payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, new("998.50")))(t)
	b.SetRate(t, "RUB", "100", true)
	testenv.Want(t, testenv.Must(b.payments.Settle(t.Context()))(t), 1, "settled")
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{"90.215", "0", "9.52380952", "0.26119048"})
	b.Audit(t)
}

// A payment that nobody paid in time can be completed by its trader for a day, as long as no other open payment has its requisite
// and amount; the merchant is told that it is late. What failed for another reason cannot, and neither can another trader's.
func TestLateMoney(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	b.clock.Advance(15 * time.Minute)
	testenv.Want(t, testenv.Must(b.payments.Expire(t.Context()))(t), 1, "expired")
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["failed"])

	b.clock.Advance(20 * time.Minute)
	second := b.create(t, merchant.Caller, request("order-2"))
	wantCode(t, testenv.ErrOf(b.payments.Confirm(t.Context(), trader.Caller, p.ID)), "payment_amount_taken")
	b.set(t, second.ID, "cancelled")
	wantCode(t, testenv.ErrOf(b.payments.Confirm(t.Context(), trader.Caller, second.ID)), "payment_not_pending")
	other := b.NewTrader(t, dbtest.TraderOpts{USDT: "1"})
	wantCode(t, testenv.ErrOf(b.payments.Confirm(t.Context(), other.Caller, p.ID)), "not_found")

	b.Exec(t, "update cashbox_method set late_seconds = 2099") // a second before
	b.clock.Advance(15 * time.Minute)
	wantCode(t, testenv.ErrOf(b.payments.Confirm(t.Context(), trader.Caller, p.ID)), "payment_not_pending")
	b.Exec(t, "update cashbox_method set late_seconds = 2101")
	after := testenv.Must(b.payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, new("1000")))(t)
	testenv.Check(t, after.Status == payment.Completed && *after.StatusReason == "late", "%s, %v", after.Status, after.StatusReason)
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["completed"])
	body := b.Text(t, "select convert_from(body, 'utf8') from webhook_event where sequence = 2 and subject_id = 1")
	testenv.Check(t, strings.Contains(body, `"previousStatus":"FAILED","reason":"late","sequence":2,"receivedAmount":"1000.00","late":true}`),
		"%s", body)
	b.Audit(t)
}

// Late money is not taken for one payment while it may be another's: one of the same requisite that asks for what came, or, unless
// what this one asked for came, one of the same payer that is pending.
func TestLateMoneyOfAnother(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	first := request("order-1")
	first.Payer = &payment.Payer{UserID: new("user-7")}
	p := b.create(t, merchant.Caller, first)
	first.OrderID, first.Amount = "order-2", "1500"
	asAsked := b.create(t, merchant.Caller, first)
	b.clock.Advance(15 * time.Minute)
	testenv.Want(t, testenv.Must(b.payments.Expire(t.Context()))(t), 2, "expired")
	kept := testenv.Must(b.payments.KeepMoney(t.Context(), trader.Caller, *p.RequisiteID, payment.Came{Amount: new("900")}))(t)
	for i, test := range []struct{ amount, payer, then string }{{"900", "user-8", "cancelled"}, {"901", "user-7", "appeal"}} {
		r := request(fmt.Sprint("other-", i))
		r.Amount, r.Payer = test.amount, &payment.Payer{UserID: &test.payer}
		other := b.create(t, merchant.Caller, r)
		for _, err := range []error{
			testenv.ErrOf(b.payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, new("900"))),
			testenv.ErrOf(b.payments.Attach(t.Context(), trader.Caller, kept.ID, p.ID)),
		} {
			wantCode(t, err, "payment_amount_taken")
		}
		if i > 0 {
			testenv.Must(b.payments.Confirm(t.Context(), trader.Caller, asAsked.ID))(t)
		}
		b.set(t, other.ID, test.then)
	}
	testenv.Must(b.payments.Attach(t.Context(), trader.Caller, kept.ID, p.ID))(t)
	b.Audit(t)
}

// A trader's word gives nobody what they do not have: neither more than is held for a payment, nor one of which nothing is held any
// more.
func TestReceivedBeyondHold(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "9.81", SharePercent: "2", Requisites: 1})
	b.Exec(t, "update cashbox_method set amount_policy = 'received'")
	p := b.create(t, merchant.Caller, request("order-1"))
	confirm := func(came string) error {
		return testenv.ErrOf(b.payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, &came))
	}
	for _, came := range []string{"1002", "999999999999.99"} {
		wantCode(t, confirm(came), "insufficient_trader_balance")
	}
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{"0.01", "9.8", "0", "0"})
	b.clock.Advance(15 * time.Minute)
	testenv.Must(b.payments.Expire(t.Context()))(t)
	spent := ledger.Available(ledger.Trader, trader.ID).ID() // as by payouts, meanwhile
	b.Exec(t, "delete from account_pending where account_id = $1", spent)
	b.Exec(t, "update account_balance set balance = 9.79 where account_id = $1", spent)
	for _, came := range []string{"1000", "1001"} {
		wantCode(t, confirm(came), "insufficient_trader_balance")
	}
	testenv.Want(t, b.row(t, p).Status, "failed", "after what was refused")
}

// What is taken is decided by the settings as they are, also where a process has read them a moment ago.
func TestPolicyJustSet(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	settings := testenv.Must(inforce.NewKeeper(t.Context(), b.Pool, time.Hour, nil))(t)
	payments := testenv.Must(payment.New(b.Pools(), b.clock, outbound.NewAddresses(false), settings, configuration))(t)
	b.Exec(t, "update cashbox_method set amount_policy = 'received'")
	testenv.Must(payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, new("800")))(t)
}
