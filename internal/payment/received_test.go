package payment_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// What each policy of a cashbox's method makes of what came for a payment of
// 1000 RUB at 100 RUB per USDT, a markup of 5% and a trader's share of 2%, the
// trader having brought 100: the sums are those of internal/rate's table. What
// is not taken is a case, which holds what the payment held.
func TestReceivedAmount(t *testing.T) {
	for _, row := range testenv.Rows(t, "received.txt") {
		policy, came, want := row[0], row[1], positions[row[2]]
		if has := strings.Fields(row[2]); len(has) == 4 {
			want = money{has[0], has[1], has[2], has[3]}
		}
		t.Run(policy+" "+came, func(t *testing.T) {
			b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
			b.Exec(t, "update cashbox_method set (amount_policy, tolerance_percent, tolerance_amount, difference_to) = ("+policy+")")
			p := b.create(t, merchant.Caller, request("order-1"))
			got := testenv.Must(b.payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, &came))(t)
			if row[2] == "case" {
				b.wantMoney(t, trader.ID, merchant.CashboxID, positions["appeal"])
				testenv.Want(t, got.Case(), true, "a case")
				return
			}
			b.wantMoney(t, trader.ID, merchant.CashboxID, want)
			wantSame(t, got, testenv.Must(b.payments.Get(t.Context(), trader.Caller, p.UUID.String()))(t))
			testenv.Check(t, got.Amount.Equal(p.Amount) && got.ReceivedAmount.Valid, "%s of %s", got.ReceivedAmount.Decimal, got.Amount)
			steps := testenv.Must(b.sums.Payment(t.Context(), operator, p.ID))(t).Steps
			testenv.Want(t, steps[2].Value, got.AmountUSDT.Add(got.ProfitUSDT).StringFixed(8), "spot, explained")
			counted := steps[2].Name + " " + steps[2].Formula
			testenv.Want(t, strings.Contains(counted, "receivedAmount"), strings.Contains(policy, "received"), "%s", counted)
			b.wantToldReceived(t, p.ID, got.ReceivedAmount.Decimal.StringFixed(2))
			// Whatever follows takes all of it back, and nobody's
			// word on an amount is the amount asked for.
			for _, status := range []string{"appeal", "completed", "failed", "pending"} {
				after := b.set(t, p.ID, status)
				b.wantMoney(t, trader.ID, merchant.CashboxID, positions[status])
				testenv.Want(t, after.ReceivedAmount.Valid, false, "received at %s", status)
			}
		})
	}
}

// wantToldReceived wants what came in the last webhook and in the history.
func (b *bundle) wantToldReceived(t *testing.T, id int64, want string) {
	t.Helper()
	var body []byte
	var kept string
	testenv.NoError(t, b.Pool.QueryRow(t.Context(), `select e.body, h.received_amount::text from webhook_event e, payment_history h
		where e.subject_id = $1 and h.payment_id = $1 and h.to_status = 'completed'`, id).Scan(&body, &kept))
	var told struct {
		Data struct{ Amount string }
		Meta struct{ ReceivedAmount string }
	}
	testenv.NoError(t, json.Unmarshal(body, &told))
	testenv.Want(t, strings.Join([]string{told.Data.Amount, told.Meta.ReceivedAmount, kept}, " "), "1000.00 "+want+" "+want, "told")
}

// What is wrong with an amount is said. A payment that waits for a rate is
// settled for what came, at the rate that comes.
func TestReceivedWithoutRate(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	p := b.withoutRate(t, merchant, "amount_policy = 'received'")
	confirm := func(who dbtest.Trader, came string) error {
		return testenv.ErrOf(b.payments.ConfirmReceived(t.Context(), who.Caller, p.ID, &came))
	}
	for _, wrong := range []string{"0", "-5", "1.001", "much", "1000000000000", "1000.01"} {
		dbtest.WantFields(t, confirm(trader, wrong), "receivedAmount")
	}
	dbtest.WantCode(t, confirm(b.NewTrader(t, dbtest.TraderOpts{USDT: "1"}), "800"), "not_found")
	testenv.NoError(t, confirm(trader, "800"))
	b.SetRate(t, "RUB", "100", true)
	b.wantSettled(t, 1)
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{"92.16", "0", "7.61904761", "0.22095239"})
}

// withoutRate makes a payment while there is no fresh rate, to a cashbox whose
// methods are set so.
func (b *bundle) withoutRate(t *testing.T, merchant dbtest.Merchant, methods string) payment.Payment {
	t.Helper()
	b.SetRate(t, "RUB", "80", false)
	b.Exec(t, "update cashbox_method set "+methods)
	return b.create(t, merchant.Caller, request("order-1"))
}

// Also what is missing of a payment that is taken as asked is counted at the
// rate that comes, and is the platform's as before.
func TestDifferenceWithoutRate(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	p := b.withoutRate(t, merchant, "amount_policy = 'tolerance', tolerance_amount = 1.5, difference_to = 'platform'")
	testenv.Must(b.payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, new("998.50")))(t)
	b.SetRate(t, "RUB", "100", true)
	b.wantSettled(t, 1)
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{"90.215", "0", "9.52380952", "0.26119048"})
}

// The platform pays a difference only from what it has, however many payments
// ask for it at once and however money comes. Otherwise, and where nobody knows
// yet how much that is, the payment is a case. Of 1 RUB instead of 1000 the
// platform would pay 9.99 USDT less its spread of 0.27619048.
func TestPlatformCoversDifference(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 9})
	b.Exec(t, "update cashbox_method set amount_policy = 'tolerance', tolerance_percent = 100, difference_to = 'platform'")
	platform := ledger.Available(ledger.Platform, 0)
	var made [8]payment.Payment
	for i := range made {
		made[i] = b.create(t, merchant.Caller, request(fmt.Sprint("order-", i)))
	}
	late, attached, atOnce := made[0], made[1], made[2:]
	b.SetRate(t, "RUB", "100", false)
	unrated := b.create(t, merchant.Caller, request("order-unrated"))
	wantCase := func(p payment.Payment, err error) {
		t.Helper()
		testenv.Check(t, err == nil && p.Case() && *p.StatusReason == "difference_not_covered", "%s, %v, %v", p.Status, p.StatusReason, err)
	}
	b.Fund(t, platform, "50") // and yet it may be too little at the rate that comes
	wantCase(b.payments.ConfirmReceived(t.Context(), trader.Caller, unrated.ID, new("1")))
	b.spend(t, platform, "40.28619048")

	var after [6]payment.Payment
	testenv.NoError(t, testenv.AtOnce(len(atOnce), func(i int) (err error) {
		after[i], err = b.payments.ConfirmReceived(t.Context(), trader.Caller, atOnce[i].ID, new("1"))
		return err
	})...)
	completed := 0
	for _, p := range after {
		if p.Status == payment.Completed {
			completed++
			continue
		}
		wantCase(p, nil)
	}
	testenv.Want(t, completed, 1, "payments for whose difference the platform has enough")
	testenv.Want(t, b.Balance(t, platform).String(), "0", "what the platform has left")

	kept := testenv.Must(b.payments.KeepMoney(t.Context(), trader.Caller, *attached.RequisiteID, payment.Came{Amount: new("1")}))(t)
	wantCase(b.payments.Attach(t.Context(), trader.Caller, kept.ID, attached.ID))
	b.clock.Advance(15 * time.Minute)
	testenv.Must(b.payments.Expire(t.Context()))(t)
	p := testenv.Must(b.payments.ConfirmReceived(t.Context(), trader.Caller, late.ID, new("1")))(t)
	testenv.Check(t, p.Case() && *p.StatusReason == "late", "%s, %v", p.Status, p.StatusReason)
	testenv.Want(t, b.Count(t, "select count(*) from account_balance where balance < 0"), 0, "accounts below zero")
	b.Audit(t)
}

// A payment that nobody paid in time can be completed by its trader for a day,
// as long as no other open payment has its requisite and amount; the merchant
// is told that it is late. What failed for another reason cannot, and neither
// can another trader's.
func TestLateMoney(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	b.clock.Advance(15 * time.Minute)
	b.wantExpired(t, 1)
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["failed"])

	b.clock.Advance(20 * time.Minute)
	second := b.create(t, merchant.Caller, request("order-2"))
	dbtest.WantCode(t, testenv.ErrOf(b.payments.Confirm(t.Context(), trader.Caller, p.ID)), "payment_amount_taken")
	b.set(t, second.ID, "cancelled")
	dbtest.WantCode(t, testenv.ErrOf(b.payments.Confirm(t.Context(), trader.Caller, second.ID)), "payment_not_pending")
	other := b.NewTrader(t, dbtest.TraderOpts{USDT: "1"})
	dbtest.WantCode(t, testenv.ErrOf(b.payments.Confirm(t.Context(), other.Caller, p.ID)), "not_found")

	b.Exec(t, "update cashbox_method set late_seconds = 2099") // a second before
	b.clock.Advance(15 * time.Minute)
	dbtest.WantCode(t, testenv.ErrOf(b.payments.Confirm(t.Context(), trader.Caller, p.ID)), "payment_not_pending")
	b.Exec(t, "update cashbox_method set late_seconds = 2101")
	after := testenv.Must(b.payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, new("1000")))(t)
	testenv.Check(t, after.Status == payment.Completed && *after.StatusReason == "late", "%s, %v", after.Status, after.StatusReason)
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["completed"])
	body := b.Text(t, "select convert_from(body, 'utf8') from webhook_event where sequence = 2 and subject_id = 1")
	testenv.Check(t, strings.Contains(body, `"previousStatus":"FAILED","reason":"late","sequence":2,"receivedAmount":"1000.00","late":true}`),
		"%s", body)
	b.Audit(t)
}

// Late money is not taken for one payment while it may be another's: one of the
// same requisite that asks for what came, or, unless what this one asked for
// came, one of the same payer that is pending.
func TestLateMoneyOfAnother(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	first := request("order-1")
	first.Payer = &payment.Payer{UserID: new("user-7")}
	p := b.create(t, merchant.Caller, first)
	first.OrderID, first.Amount = "order-2", "1500"
	asAsked := b.create(t, merchant.Caller, first)
	b.clock.Advance(15 * time.Minute)
	b.wantExpired(t, 2)
	kept := testenv.Must(b.payments.KeepMoney(t.Context(), trader.Caller, *p.RequisiteID, payment.Came{Amount: new("900")}))(t)
	for i, test := range []struct{ amount, payer, then string }{{"900", "user-8", "cancelled"}, {"901", "user-7", "appeal"}} {
		r := request(fmt.Sprint("other-", i))
		r.Amount, r.Payer = test.amount, &payment.Payer{UserID: &test.payer}
		other := b.create(t, merchant.Caller, r)
		for _, err := range []error{
			testenv.ErrOf(b.payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, new("900"))),
			testenv.ErrOf(b.payments.Attach(t.Context(), trader.Caller, kept.ID, p.ID)),
		} {
			dbtest.WantCode(t, err, "payment_amount_taken")
		}
		if i > 0 {
			testenv.Must(b.payments.Confirm(t.Context(), trader.Caller, asAsked.ID))(t)
		}
		b.set(t, other.ID, test.then)
	}
	testenv.Must(b.payments.Attach(t.Context(), trader.Caller, kept.ID, p.ID))(t)
	b.Audit(t)
}

// A trader's word gives nobody what they do not have: neither more than is held
// for a payment, nor one of which nothing is held any more.
func TestReceivedBeyondHold(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "9.81", SharePercent: "2", Requisites: 1})
	b.Exec(t, "update cashbox_method set amount_policy = 'received'")
	p := b.create(t, merchant.Caller, request("order-1"))
	confirm := func(came string) error {
		return testenv.ErrOf(b.payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, &came))
	}
	for _, came := range []string{"1002", "999999999999.99"} {
		dbtest.WantCode(t, confirm(came), "insufficient_trader_balance")
	}
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{"0.01", "9.8", "0", "0"})
	b.clock.Advance(15 * time.Minute)
	testenv.Must(b.payments.Expire(t.Context()))(t)
	spent := ledger.Available(ledger.Trader, trader.ID).ID() // as by payouts, meanwhile
	b.Exec(t, "delete from account_pending where account_id = $1", spent)
	b.Exec(t, "update account_balance set balance = 9.79 where account_id = $1", spent)
	for _, came := range []string{"1000", "1001"} {
		dbtest.WantCode(t, confirm(came), "insufficient_trader_balance")
	}
	testenv.Want(t, b.row(t, p).Status, "failed", "after what was refused")
}

// What is taken is decided by the settings as they are, also where a process
// has read them a moment ago.
func TestPolicyJustSet(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	payments := b.replica(t, time.Hour)
	b.Exec(t, "update cashbox_method set amount_policy = 'received'")
	testenv.Must(payments.ConfirmReceived(t.Context(), trader.Caller, p.ID, new("800")))(t)
}

// Money of no payment is kept for its trader, found by its amount and words,
// offered to the payment that it fits, and counts towards one payment, once,
// however many ask.
func TestMoneyOfNoPayment(t *testing.T) {
	c := newCase(t, "700")
	ctx, who, requisite := t.Context(), c.trader.Caller, *c.p.RequisiteID
	keep := func(amount, payer string) payment.Arrival {
		t.Helper()
		return testenv.Must(c.payments.KeepMoney(ctx, who, requisite, payment.Came{Amount: &amount, Payer: &payer}))(t)
	}
	stranger := c.NewTrader(t, dbtest.TraderOpts{USDT: "10"})
	stamps := func() map[int64]uint64 {
		t.Helper()
		return testenv.Must(c.payments.DeskStamps(ctx, []int64{c.trader.ID, stranger.ID}))(t)
	}
	before := stamps()
	rest, other := keep("300", "Ivan P."), keep("299.99", "100% Anna")
	kept := stamps()
	testenv.Check(t, kept[c.trader.ID] != before[c.trader.ID] && kept[stranger.ID] == before[stranger.ID], "stamps %v, then %v", before, kept)
	for words, want := range map[string]int{"": 2, "anna": 1, "100%": 1, "_": 0, "petr": 0} {
		list, next, err := c.payments.ListFree(ctx, who, payment.FreeArrivals{Words: words})
		testenv.Check(t, err == nil && next == nil && len(list) == want, "%q finds %+v, %v", words, list, err)
	}
	list, _, err := c.payments.ListFree(ctx, who, payment.FreeArrivals{Amount: "300"})
	testenv.Check(t, err == nil && len(list) == 1 && list[0].ID == rest.ID, "of 300: %+v, %v", list, err)
	first := payment.FreeArrivals{Page: db.Page{Limit: new(int32(1))}}
	list, first.Cursor, err = c.payments.ListFree(ctx, who, first)
	testenv.Check(t, err == nil && len(list) == 1 && list[0].ID == other.ID, "first: %+v, %v", list, err)
	list, first.Cursor, err = c.payments.ListFree(ctx, who, first)
	testenv.Check(t, err == nil && len(list) == 1 && list[0].ID == rest.ID && first.Cursor == nil, "then: %+v, %v", list, err)
	dbtest.WantCode(t, testenv.ErrOf(c.payments.KeepMoney(ctx, stranger.Caller, requisite, payment.Came{Amount: new("1")})), "not_found")
	dbtest.WantFields(t, testenv.ErrOf(c.payments.KeepMoney(ctx, who, requisite, payment.Came{At: new(c.clock.Now().Add(time.Hour))})), "amount", "cameAt")
	dbtest.WantCode(t, testenv.ErrOf(c.payments.Attach(ctx, stranger.Caller, rest.ID, c.p.ID)), "not_found")

	keep("284.99", "") // more than 5% off
	early := c.p.CreatedAt.Add(-5*time.Minute - time.Millisecond)
	testenv.Must(c.payments.KeepMoney(ctx, who, requisite, payment.Came{Amount: new("300"), At: &early}))(t)
	c.Exec(t, `insert into arrival (trader_id, requisite_id, currency, amount, came_at, payer, note, actor, created_at, state, merchant_id, payment_id)
		select trader_id, requisite_id, currency, 300, came_at, payer, note, actor, created_at, state, merchant_id, 0 from arrival where payment_id = $1`, c.p.ID)
	fitting := testenv.Must(c.payments.Fitting(ctx, who, c.p.UUID.String()))(t)
	testenv.Check(t, len(fitting) == 2 && fitting[0].ID == rest.ID && fitting[1].ID == other.ID, "it fits: %+v", fitting)
	given := stamps()[c.trader.ID]
	errs := testenv.AtOnce(8, func(int) error { return testenv.ErrOf(c.payments.Attach(ctx, who, rest.ID, c.p.ID)) })
	dbtest.WantOne(t, errs, "arrival_taken")
	testenv.Check(t, stamps()[c.trader.ID] != given, "the stamp stays")
	c.p = testenv.Must(c.payments.Get(ctx, who, c.p.UUID.String()))(t)
	c.want(t, payment.Completed, positions["completed"], "1000.00")
	dbtest.WantCode(t, testenv.ErrOf(c.payments.Attach(ctx, who, other.ID, c.p.ID)), "payment_not_pending")

	// What is found while a merchant's appeal waits decides it.
	p := c.create(t, c.merchant.Caller, request("order-2"))
	c.set(t, p.ID, "failed")
	opened := testenv.Must(c.payments.OpenAppeal(ctx, c.merchant.Caller, p.ID, appeal(100)))(t)
	late := keep("1000", "")
	keep("500", "")
	for i, amount := range []string{"500", "499.99", "700", "300"} { // 700 and 300 are kept, or came too early
		open := c.create(t, c.merchant.Caller, requestOf(fmt.Sprint("desk-", i), amount))
		desk := testenv.Must(c.payments.Desk(ctx, who))(t)
		testenv.Check(t, len(desk) == 1 && desk[0].ID == open.ID && desk[0].Fits == (amount == "500"), "the desk: %+v", desk)
		c.set(t, open.ID, "completed")
	}
	far := c.NewTrader(t, dbtest.TraderOpts{Requisites: 1})
	foreign := testenv.Must(c.payments.KeepMoney(ctx, far.Caller, far.Requisites[0], payment.Came{Amount: new("1000")}))(t)
	dbtest.WantCode(t, testenv.ErrOf(c.payments.Attach(ctx, operator, foreign.ID, p.ID)), "not_found")
	testenv.Check(t, errors.Is(testenv.ErrOf(c.guarded(t, 1).Attach(ctx, operator, late.ID, p.ID)), foureyes.ErrSecondOperator), "one operator alone")
	testenv.Must(c.payments.Attach(ctx, operator, late.ID, p.ID))(t)
	testenv.Want(t, testenv.Must(c.payments.GetAppeal(ctx, operator, opened.ID))(t).Status, "completed", "the appeal")
	c.Audit(t)
}

// guarded has one operator move so many USDT alone, and no more.
func (c *cased) guarded(t *testing.T, above int64) *payment.Service {
	t.Helper()
	config := configuration
	config.Payouts, config.FourEyes = c.payouts, foureyes.Rules{On: true, Above: decimal.NewFromInt(above)}
	return c.service(t, 0, config)
}

// What came may be worth far more than what was asked for: one operator gives
// away neither alone, whatever the policy makes of it and however small the
// payment. Of 890 RUB the trader gives away 8.9 USDT less their 2%.
func TestFarMoreByOneOperator(t *testing.T) {
	for _, policy := range []string{"exact", "received", "tolerance"} {
		t.Run(policy, func(t *testing.T) {
			c := newCase(t, "700")
			c.Exec(t, "update cashbox_method set amount_policy = $1, tolerance_amount = 1000, difference_to = 'platform'", policy)
			ctx, who := t.Context(), c.user(t, operator, "ann")
			p := c.create(t, c.merchant.Caller, requestOf("order-2", "10"))
			kept := testenv.Must(c.payments.KeepMoney(ctx, c.trader.Caller, *p.RequisiteID, payment.Came{Amount: new("890")}))(t)
			testenv.Check(t, errors.Is(testenv.ErrOf(c.guarded(t, 8).Attach(ctx, who, kept.ID, p.ID)), foureyes.ErrSecondOperator), "attached alone")
			testenv.Want(t, c.row(t, p).Status, "pending", "the payment")
			if policy != "exact" {
				testenv.Must(c.guarded(t, 9).Attach(ctx, who, kept.ID, p.ID))(t)
				return
			}
			testenv.Must(c.payments.Attach(ctx, c.trader.Caller, kept.ID, p.ID))(t)
			take := payment.CaseDecision{PaymentID: p.ID, Decision: payment.TakeWhatCame}
			testenv.Check(t, errors.Is(testenv.ErrOf(c.guarded(t, 8).DecideCase(ctx, who, take)), foureyes.ErrSecondOperator), "taken alone")
			testenv.Must(c.guarded(t, 9).DecideCase(ctx, who, take))(t)
			c.Audit(t)
		})
	}
}

// What an operator attaches to a case counts once for what the operator moves,
// and not each time for all that is held for the payment, which is 19.6 USDT.
// Of 900 RUB that its merchant takes then the trader gives away 9 USDT less
// their 2%. More than one may move is held for no payment alone.
func TestPartsCountOnce(t *testing.T) {
	c := newCase(t, "700")
	who := c.user(t, operator, "ann")
	p := c.create(t, c.merchant.Caller, requestOf("order-2", "2000"))
	for _, amount := range []string{"500", "300", "100"} {
		kept := testenv.Must(c.payments.KeepMoney(t.Context(), c.trader.Caller, *p.RequisiteID, payment.Came{Amount: &amount}))(t)
		testenv.Check(t, errors.Is(testenv.ErrOf(c.guarded(t, 19).Attach(t.Context(), who, kept.ID, p.ID)), foureyes.ErrSecondOperator), "attached alone")
		testenv.Must(c.guarded(t, 20).Attach(t.Context(), who, kept.ID, p.ID))(t)
	}
	testenv.Want(t, c.Text(t, "select trunc(sum(amount), 4)::text from operator_movement"), "8.8200", "moved alone")
	take := payment.CaseDecision{PaymentID: p.ID, Decision: payment.TakeWhatCame}
	testenv.Check(t, errors.Is(testenv.ErrOf(c.guarded(t, 20).DecideCase(t.Context(), who, take)), foureyes.ErrSecondOperator), "taken alone")
	before := c.Count(t, "select count(*) from operator_movement")
	testenv.Must(c.payments.DecideCase(t.Context(), portalOf(c.merchant.ID), take))(t)
	testenv.Want(t, c.Count(t, "select count(*) from operator_movement"), before, "movements, once the merchant has taken it")
	c.Audit(t)
}

// Two pieces that an operator attaches add up: the second completes the payment
// for what was asked, whose USDT move once, and each piece counts towards it.
// For what the operator moved alone the first has counted for itself, and the
// whole counts then: rather too much than too little is noted of one who gives
// others' money away.
func TestTwoPiecesComplete(t *testing.T) {
	c := newCase(t, "400")
	who := c.user(t, operator, "ann")
	for _, amount := range []string{"250", "350"} {
		kept := testenv.Must(c.payments.KeepMoney(t.Context(), c.trader.Caller, *c.p.RequisiteID, payment.Came{Amount: &amount}))(t)
		c.p = testenv.Must(c.guarded(t, 20).Attach(t.Context(), who, kept.ID, c.p.ID))(t)
	}
	c.want(t, payment.Completed, positions["completed"], "1000.00")
	testenv.Want(t, c.Text(t, "select string_agg(amount || ' ' || state, ', ' order by id) from arrival where trader_id = $1", c.trader.ID),
		"400.00 kept, 250.00 kept, 350.00 kept", "what came")
	testenv.Want(t, c.Text(t, "select string_agg(trunc(amount, 4)::text, ' ' order by id) from operator_movement"), "2.4500 9.8000", "moved alone")
	c.Audit(t)
}

// Money that came to a requisite is not a payment's by card, which has none of
// its own.
func TestMoneyIsNotByCard(t *testing.T) {
	b := setup(t)
	merchant, trader := b.abroad(t, "quasi_ecom")
	p := b.create(t, merchant.Caller, requestBy("order-1", "AZN", "quasi_ecom"))
	kept := testenv.Must(b.payments.KeepMoney(t.Context(), trader.Caller, trader.Requisites[0], payment.Came{Amount: new("1000")}))(t)
	dbtest.WantFields(t, testenv.ErrOf(b.payments.Attach(t.Context(), trader.Caller, kept.ID, p.ID)), "paymentId")
	fitting := testenv.Must(b.payments.Fitting(t.Context(), trader.Caller, p.UUID.String()))(t)
	desk := testenv.Must(b.payments.Desk(t.Context(), trader.Caller))(t)
	testenv.Check(t, len(fitting) == 0 && len(desk) == 1 && !desk[0].Fits, "it fits: %+v, %+v", fitting, desk)
}
