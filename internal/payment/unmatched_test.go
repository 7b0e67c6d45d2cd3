package payment_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// Money of no payment is kept for its trader, found by its amount and words, offered to the payment that it fits, and counts
// towards one payment, once, however many ask.
func TestMoneyOfNoPayment(t *testing.T) {
	c := newCase(t, "700")
	ctx, who, requisite := t.Context(), c.trader.Caller, *c.p.RequisiteID
	keep := func(amount, payer string) payment.Arrival {
		t.Helper()
		return testenv.Must(c.payments.KeepMoney(ctx, who, requisite, payment.Came{Amount: &amount, Payer: &payer}))(t)
	}
	rest, other := keep("300", "Ivan P."), keep("299.99", "100% Anna")
	for words, want := range map[string]int{"": 2, "anna": 1, "100%": 1, "_": 0, "petr": 0} {
		list, next, err := c.payments.ListFree(ctx, who, payment.FreeArrivals{Words: words})
		testenv.Check(t, err == nil && next == nil && len(list) == want, "%q finds %+v, %v", words, list, err)
	}
	list, _, err := c.payments.ListFree(ctx, who, payment.FreeArrivals{Amount: "300"})
	testenv.Check(t, err == nil && len(list) == 1 && list[0].ID == rest.ID, "of 300: %+v, %v", list, err)
	stranger := c.NewTrader(t, dbtest.TraderOpts{USDT: "10"})
	wantCode(t, testenv.ErrOf(c.payments.KeepMoney(ctx, stranger.Caller, requisite, payment.Came{Amount: new("1")})), "not_found")
	wantFields(t, testenv.ErrOf(c.payments.KeepMoney(ctx, who, requisite, payment.Came{At: new(c.clock.Now().Add(time.Hour))})), "amount", "cameAt")
	wantCode(t, testenv.ErrOf(c.payments.Attach(ctx, stranger.Caller, rest.ID, c.p.ID)), "not_found")

	keep("284.99", "") // more than 5% off
	fitting := testenv.Must(c.payments.Fitting(ctx, who, c.p.UUID.String()))(t)
	testenv.Check(t, len(fitting) == 2 && fitting[0].ID == rest.ID && fitting[1].ID == other.ID, "it fits: %+v", fitting)
	errs := testenv.AtOnce(8, func(int) error { return testenv.ErrOf(c.payments.Attach(ctx, who, rest.ID, c.p.ID)) })
	dbtest.WantOne(t, errs, "arrival_taken")
	c.p = testenv.Must(c.payments.Get(ctx, who, c.p.UUID.String()))(t)
	c.want(t, payment.Completed, positions["completed"], "1000.00")
	wantCode(t, testenv.ErrOf(c.payments.Attach(ctx, who, other.ID, c.p.ID)), "payment_not_pending")

	// What is found while a merchant's appeal waits decides it.
	p := c.create(t, c.merchant.Caller, request("order-2"))
	c.set(t, p.ID, "failed")
	opened := testenv.Must(c.payments.OpenAppeal(ctx, c.merchant.Caller, p.ID, appeal(100)))(t)
	late := keep("1000", "")
	keep("500", "")
	for i, amount := range []string{"500", "499.99"} {
		open := c.create(t, c.merchant.Caller, requestOf(fmt.Sprint("desk-", i), amount))
		desk := testenv.Must(c.payments.Desk(ctx, who))(t)
		testenv.Check(t, len(desk) == 1 && desk[0].ID == open.ID && desk[0].Fits == (amount == "500"), "the desk: %+v", desk)
		c.set(t, open.ID, "completed")
	}
	far := c.NewTrader(t, dbtest.TraderOpts{Requisites: 1})
	foreign := testenv.Must(c.payments.KeepMoney(ctx, far.Caller, far.Requisites[0], payment.Came{Amount: new("1000")}))(t)
	wantCode(t, testenv.ErrOf(c.payments.Attach(ctx, operator, foreign.ID, p.ID)), "not_found")
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
	return configured(t, c.DB, c.clock, config)
}

// anOperator is one of whom it is noted what they move.
func (c *cased) anOperator(t *testing.T) caller.Caller {
	t.Helper()
	who := operator
	who.ID = int64(c.Count(t, `insert into app_user (kind, login, role, created_at) values ('operator', 'ann', 'admin', now()) returning id`))
	return who
}

// What came may be worth far more than what was asked for: one operator gives away neither alone, whatever the policy makes of it and
// however small the payment. Of 890 RUB the trader gives away 8.9 USDT less their 2%.
func TestFarMoreByOneOperator(t *testing.T) {
	for _, policy := range []string{"exact", "received", "tolerance"} {
		t.Run(policy, func(t *testing.T) {
			c := newCase(t, "700")
			c.Exec(t, "update cashbox_method set amount_policy = $1, tolerance_amount = 1000, difference_to = 'platform'", policy)
			ctx, who := t.Context(), c.anOperator(t)
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

// What an operator attaches to a case counts once for what the operator moves, and not each time for all that is held for the payment,
// which is 19.6 USDT. Of 900 RUB that its merchant takes then the trader gives away 9 USDT less their 2%. More than one may move is
// held for no payment alone.
func TestPartsCountOnce(t *testing.T) {
	c := newCase(t, "700")
	who := c.anOperator(t)
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

// Two pieces that an operator attaches add up: the second completes the payment for what was asked, whose USDT move once, and each
// piece counts towards it. For what the operator moved alone the first has counted for itself, and the whole counts then: rather too
// much than too little is noted of one who gives others' money away.
func TestTwoPiecesComplete(t *testing.T) {
	c := newCase(t, "400")
	who := c.anOperator(t)
	for _, amount := range []string{"250", "350"} {
		kept := testenv.Must(c.payments.KeepMoney(t.Context(), c.trader.Caller, *c.p.RequisiteID, payment.Came{Amount: &amount}))(t)
		c.p = testenv.Must(c.guarded(t, 20).Attach(t.Context(), who, kept.ID, c.p.ID))(t)
	}
	c.want(t, payment.Completed, positions["completed"], "1000.00")
	testenv.Want(t, c.Text(t, "select string_agg(amount || ' ' || state, ', ' order by id) from arrival"),
		"400.00 kept, 250.00 kept, 350.00 kept", "what came")
	testenv.Want(t, c.Text(t, "select string_agg(trunc(amount, 4)::text, ' ' order by id) from operator_movement"), "2.4500 9.8000", "moved alone")
	c.Audit(t)
}

// Money that came to a requisite is not a payment's by card, which has none of its own.
func TestMoneyIsNotByCard(t *testing.T) {
	b := setup(t)
	b.SetRate(t, "AZN", "1.7", true)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{Currency: "AZN", Methods: []string{"quasi_ecom"}})
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1, Currency: "AZN", Method: "quasi_ecom"})
	r := request("order-1")
	r.Currency, r.Method = "AZN", new("quasi_ecom")
	p := b.create(t, merchant.Caller, r)
	kept := testenv.Must(b.payments.KeepMoney(t.Context(), trader.Caller, trader.Requisites[0], payment.Came{Amount: new("1000")}))(t)
	wantFields(t, testenv.ErrOf(b.payments.Attach(t.Context(), trader.Caller, kept.ID, p.ID)), "paymentId")
	fitting := testenv.Must(b.payments.Fitting(t.Context(), trader.Caller, p.UUID.String()))(t)
	desk := testenv.Must(b.payments.Desk(t.Context(), trader.Caller))(t)
	testenv.Check(t, len(fitting) == 0 && len(desk) == 1 && !desk[0].Fits, "it fits: %+v, %+v", fitting, desk)
}
