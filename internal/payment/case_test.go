package payment_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
)

// What came in a currency in which no payouts are made cannot be returned by
// one; it can be taken.
func TestCaseWithoutPayouts(t *testing.T) {
	c := newCase(t, "700")
	c.Exec(t, "update payment set currency = 'KZT' where id = $1", c.p.ID)
	dbtest.WantFields(t, c.decide(t, operator, payment.CaseDecision{
		Decision: payment.ReturnIt, To: &payout.Recipient{Method: "c2c", Address: "4111111111111111", Recipient: "Ivan"},
	}), "decision")
	testenv.NoError(t, c.decide(t, operator, payment.CaseDecision{Decision: payment.TakeWhatCame}))
	testenv.Want(t, c.p.Status, payment.Completed, "the payment is")
}

// cased is a payment of 1000 RUB at 100 RUB per USDT, a markup of 5% and a
// trader's share of 2%, of which another amount came.
type cased struct {
	*bundle
	merchant dbtest.Merchant
	trader   dbtest.Trader
	payouts  *payout.Service
	p        payment.Payment
}

func newCase(t *testing.T, came string) cased {
	t.Helper()
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	c := cased{bundle: b, merchant: merchant, trader: trader}
	c.payouts = payout.New(b.Pools(), b.clock, dbtest.Vault(), outbound.NewAddresses(false), foureyes.Rules{})
	config := configuration
	config.Payouts = c.payouts
	c.payments = b.service(t, 0, config)
	c.p = c.create(t, merchant.Caller, request("order-1"))
	c.bystander(t)
	c.came(t, came)
	return c
}

// bystander is another merchant and trader with a case and an appeal like the
// one that a test is about, and with money of the same amounts that belongs to
// no payment: they stay as they are.
func (c *cased) bystander(t *testing.T) {
	t.Helper()
	m := c.NewMerchant(t, dbtest.MerchantOpts{})
	c.Exec(t, "update requisite set enabled = false")
	trader := c.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	open, failed := c.create(t, m.Caller, request("order-1")), c.create(t, m.Caller, requestOf("order-2", "1001"))
	testenv.Must(c.payments.ConfirmCame(t.Context(), trader.Caller, open.ID, payment.Came{Amount: new("700"), Payer: new("Petr S.")}))(t)
	c.Exec(t, "update payment set expires_at = $2 where id = $1", open.ID, at(1<<20)) // no test waits that long
	c.set(t, failed.ID, "failed")
	testenv.Must(c.payments.OpenAppeal(t.Context(), m.Caller, failed.ID, appeal(100)))(t)
	c.Exec(t, `insert into arrival (trader_id, requisite_id, currency, amount, came_at, payer, note, actor, created_at, state)
		select trader_id, requisite_id, currency, a, came_at, payer, note, actor, created_at, 'free'
		from arrival, unnest(array[700, 300, 1000, 1500]) a where payment_id = $1`, open.ID)
	c.Exec(t, "update requisite set enabled = trader_id <> $1", trader.ID)
	c.Stays(t, `select (select jsonb_agg(p order by p.id) from payment p where p.merchant_id = $1)::text
		|| (select jsonb_agg(a order by a.id) from arrival a where a.trader_id = $2)::text
		|| (select jsonb_agg(a order by a.id) from appeal a where a.merchant_id = $1)::text`, m.ID, trader.ID)
}

func (c *cased) came(t *testing.T, amount string) {
	t.Helper()
	c.p = testenv.Must(c.payments.ConfirmCame(t.Context(), c.trader.Caller, c.p.ID, payment.Came{Amount: &amount, Payer: new("Ivan P.")}))(t)
}

func (c *cased) decide(t *testing.T, who caller.Caller, d payment.CaseDecision) error {
	t.Helper()
	d.PaymentID = c.p.ID
	p, err := c.payments.DecideCase(t.Context(), who, d)
	if err == nil {
		c.p = p
	}
	return err
}

func (c *cased) want(t *testing.T, status payment.Status, m money, received string) {
	t.Helper()
	c.wantMoney(t, c.trader.ID, c.merchant.CashboxID, m)
	testenv.Want(t, c.p.Status, status, "status")
	testenv.Want(t, c.p.ReceivedAmount.Decimal.StringFixed(2), received, "received")
	body := c.Text(t, "select convert_from(body, 'utf8') from webhook_event where subject = 'payment' and subject_id = $1 order by sequence desc limit 1", c.p.ID)
	told := `"receivedAmount":"` + received + `"`
	testenv.Check(t, strings.Contains(body, told), "%s lacks %s", body, told)
}

// told is how the last event says the case stands.
func (c *cased) told(t *testing.T) string {
	t.Helper()
	return c.Text(t, `select coalesce(convert_from(body, 'utf8')::jsonb->'meta'->>'case', '') from webhook_event
		where subject = 'payment' and subject_id = $1 order by sequence desc limit 1`, c.p.ID)
}

// payer is to whom money goes back.
func payer() *payout.Recipient {
	return &payout.Recipient{Method: "c2c", Address: "4111111111111111", Recipient: "Ivan Petrov"}
}

// What a payer said before a part came is not said of the rest.
func TestClaimIsOfTheWhole(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	p = testenv.Must(b.payments.Claim(t.Context(), p.UUID))(t)
	testenv.Check(t, p.ClaimStands() != nil, "it does not stand while nothing has come")
	b.clock.Advance(time.Second)
	came := payment.Came{Amount: new("700"), Payer: new("Ivan P.")}
	testenv.Must(b.payments.ConfirmCame(t.Context(), trader.Caller, p.ID, came))(t)
	p = testenv.Must(b.payments.DecideCase(t.Context(), operator, payment.CaseDecision{PaymentID: p.ID, Decision: payment.WaitForRest}))(t)
	testenv.Check(t, p.ClaimedAt != nil && p.ClaimStands() == nil, "it stands for the rest: %v", p.ClaimStands())
}

// What came to 700 of 1000 RUB, decided each way. Of 700, which is 7 USDT, the
// merchant gets 700/105 and the platform what is left of the spread without the
// trader's 2%: 7 − 6.66666666 − 0.14. Waiting holds what the whole payment
// holds.
func TestCaseByHand(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		who      func(c cased) caller.Caller
		decision string
		then     func(t *testing.T, c *cased)
		status   payment.Status
		received string
		money    money
		told     string
	}{
		"taken": {byMerchant, payment.TakeWhatCame, nil, payment.Completed, "700.00", money{"93.14", "0", "6.66666666", "0.19333334"}, "taken"},
		"taken by an operator": {byOperator, payment.TakeWhatCame, nil, payment.Completed, "700.00",
			money{"93.14", "0", "6.66666666", "0.19333334"}, "taken"},
		"waits": {byMerchant, payment.WaitForRest, nil, payment.Pending, "700.00", money{"90.2", "9.8", "0", "0"}, "waiting"},
		"the rest came": {byMerchant, payment.WaitForRest, func(t *testing.T, c *cased) { c.came(t, "300") },
			payment.Completed, "1000.00", positions["completed"], ""},
		"the rest came, unsaid": {byMerchant, payment.WaitForRest, func(t *testing.T, c *cased) {
			c.p = testenv.Must(c.payments.Confirm(t.Context(), c.trader.Caller, c.p.ID))(t)
		}, payment.Completed, "1000.00", positions["completed"], ""},
		"less than the rest came": {byMerchant, payment.WaitForRest, func(t *testing.T, c *cased) { c.came(t, "100") },
			payment.Appeal, "800.00", money{"90.2", "9.8", "0", "0"}, "open"},
		"no rest came": {byOperator, payment.WaitForRest, expire, payment.Failed, "700.00",
			money{"100", "0", "0", "0"}, "ended"},
		// 700 / 100 are held of the trader until they have sent them.
		"goes back": {byMerchant, payment.ReturnIt, nil, payment.Failed, "700.00", money{"93", "7", "0", "0"}, "returned"},
		"went back": {byMerchant, payment.ReturnIt, func(t *testing.T, c *cased) {
			testenv.Must(c.payouts.Complete(t.Context(), c.trader.Caller, c.returned(t), new("receipt 7")))(t)
		}, payment.Failed, "700.00", money{"100", "0", "0", "0"}, "returned"},
		"did not go back": {byOperator, payment.ReturnIt, func(t *testing.T, c *cased) {
			testenv.Must(c.payouts.Fail(t.Context(), c.trader.Caller, c.returned(t), new("the card is closed")))(t)
		}, payment.Failed, "700.00", money{"93", "0", "7", "0"}, "returned"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCase(t, "700")
			c.want(t, payment.Appeal, money{"90.2", "9.8", "0", "0"}, "700.00")
			testenv.Want(t, c.told(t), "open", "the case")
			dbtest.WantCode(t, testenv.ErrOf(c.payments.ConfirmReceived(t.Context(), c.trader.Caller, c.p.ID, new("700"))), "payment_not_pending")
			c.Exec(t, "insert into work_claim values ('other_amount', $1, $2, now())", c.p.ID, c.user(t, operator, "ann").ID)
			testenv.NoError(t, c.decide(t, test.who(c), payment.CaseDecision{Decision: test.decision, To: payer()}))
			testenv.Want(t, c.Count(t, "select count(*) from work_claim"), 0, "claims of what is decided")
			if test.then != nil {
				test.then(t, &c)
			}
			c.want(t, test.status, test.money, test.received)
			testenv.Want(t, c.told(t), test.told, "the case")
			if test.status != payment.Appeal {
				dbtest.WantCode(t, c.decide(t, byOperator(c), payment.CaseDecision{Decision: "take"}), "payment_no_case")
			}
			list := testenv.Must(c.payments.Arrivals(t.Context(), portalOf(c.merchant.ID), c.p.UUID.String()))(t)
			testenv.Check(t, list[0].Payer == "Ivan P." && list[0].Amount.StringFixed(2) == "700.00", "what came: %+v", list)
		})
	}
}

// What goes back is held of its trader: one who does not have it any more sends
// nothing back, and the case stays.
func TestReturnIsCovered(t *testing.T) {
	c := newCase(t, "1500") // 15 USDT, of which 9.8 are held already
	c.Fund(t, ledger.Available(ledger.Trader, c.trader.ID), "-88")
	dbtest.WantCode(t, c.decide(t, operator, payment.CaseDecision{Decision: payment.ReturnIt, To: payer()}), "insufficient_trader_balance")
	c.want(t, payment.Appeal, money{"2.2", "9.8", "0", "0"}, "1500.00")
	testenv.Want(t, c.Count(t, "select count(*) from payin"), 0, "payouts")
}

// What goes back to its payer is not the merchant's any more: an appeal would
// have it paid to them, too. Where the application has begun the payment anew,
// it may be appealed as any other.
func TestReturnedIsNotAppealed(t *testing.T) {
	c := newCase(t, "700")
	testenv.NoError(t, c.decide(t, byMerchant(c), payment.CaseDecision{Decision: payment.ReturnIt, To: payer()}))
	open := func() error {
		return testenv.ErrOf(c.payments.OpenAppeal(t.Context(), c.merchant.Caller, c.p.ID, appeal(100)))
	}
	dbtest.WantCode(t, open(), "appeal_money_returned")
	testenv.Check(t, !testenv.Must(c.payments.Get(t.Context(), c.merchant.Caller, c.p.UUID.String()))(t).TakesAppeal(c.clock.Now()),
		"the page offers an appeal")
	testenv.Must(c.payouts.Complete(t.Context(), c.trader.Caller, c.returned(t), new("receipt 7")))(t)
	dbtest.WantCode(t, open(), "appeal_money_returned")
	c.want(t, payment.Failed, money{"100", "0", "0", "0"}, "700.00")
	c.set(t, c.p.ID, "pending")
	c.set(t, c.p.ID, "failed")
	testenv.NoError(t, open())
}

// What came of a payment before and is free since does not go back with what
// came later.
func TestReturnLeavesWhatIsFree(t *testing.T) {
	c := newCase(t, "1200")
	expire(t, &c)
	c.came(t, "700")
	testenv.NoError(t, c.decide(t, operator, payment.CaseDecision{Decision: payment.ReturnIt, To: payer()}))
	testenv.Want(t, c.Text(t, "select string_agg(amount || ' ' || state, ', ' order by id) from arrival where payment_id = $1", c.p.ID),
		"1200.00 free, 700.00 returned", "what came")
	c.Audit(t)
}

// A merchant may have given a payout of their own the order id of the one that
// returns the money: it goes back all the same.
func TestReturnOfTakenOrder(t *testing.T) {
	c := newCase(t, "700")
	c.Exec(t, `insert into payin_key (merchant_id, channel, order_id, payin_id)
		select $1, $2, format('return-%s-%s', $3::uuid, n), 100 + n from generate_series(1, 9) n`, c.merchant.ID, payer().Method, c.p.UUID)
	testenv.NoError(t, c.decide(t, operator, payment.CaseDecision{Decision: payment.ReturnIt, To: payer()}))
	testenv.Check(t, strings.HasSuffix(c.Text(t, "select order_id from payin"), "-"), "the payout has a free order id")
	c.Audit(t)
}

func byMerchant(c cased) caller.Caller { return portalOf(c.merchant.ID) }
func byOperator(cased) caller.Caller   { return operator }

// returned is the payout that returns what came.
func (c *cased) returned(t *testing.T) string {
	t.Helper()
	return c.Text(t, "select payin_uuid::text from arrival where payment_id = $1", c.p.ID)
}

// expire lets a case wait for a decision, or for the rest, until it ends.
func expire(t *testing.T, c *cased) {
	t.Helper()
	c.clock.Advance(24*time.Hour - time.Second)
	testenv.Want(t, testenv.Must(c.payments.Expire(t.Context()))(t), 0, "expired too early")
	c.clock.Advance(time.Second)
	testenv.NoError(t, c.payments.ExpireAll(t.Context()))
	c.p = testenv.Must(c.payments.Get(t.Context(), c.trader.Caller, c.p.UUID.String()))(t)
}

// A case that nobody decides fails at its end: what came is free then, and
// counts anew when the payment's trader says so in time.
func TestCaseEnds(t *testing.T) {
	c := newCase(t, "1200")
	expire(t, &c)
	c.want(t, payment.Failed, money{"100", "0", "0", "0"}, "1200.00")
	testenv.Want(t, c.told(t), "ended", "the case")
	testenv.Want(t, c.Text(t, "select state from arrival where payment_id = $1", c.p.ID), "free", "what came")
	c.came(t, "1000.01")
	c.want(t, payment.Appeal, money{"90.2", "9.8", "0", "0"}, "1000.01")
	dbtest.WantFields(t, c.decide(t, byMerchant(c), payment.CaseDecision{Decision: "wait"}), "decision")
	testenv.NoError(t, c.decide(t, byMerchant(c), payment.CaseDecision{Decision: "take"}))
	c.want(t, payment.Completed, money{"90.199902", "0", "9.52390476", "0.27619324"}, "1000.01")
}

// What came stays the payment's where the application completes it for what was
// asked, whatever was decided before: it counts towards no other payment. It is
// free once that is taken back.
func TestCompletedWithoutAWord(t *testing.T) {
	for _, decision := range []string{"", payment.WaitForRest} {
		t.Run(decision, func(t *testing.T) {
			c := newCase(t, "700")
			if decision != "" {
				testenv.NoError(t, c.decide(t, byMerchant(c), payment.CaseDecision{Decision: decision}))
			}
			for _, step := range [][2]string{{"completed", "kept"}, {"failed", "free"}} {
				c.set(t, c.p.ID, step[0])
				c.wantMoney(t, c.trader.ID, c.merchant.CashboxID, positions[step[0]])
				testenv.Want(t, c.Text(t, "select state from arrival where payment_id = $1", c.p.ID), step[1], "what came, once %s", step[0])
				c.Audit(t)
			}
		})
	}
}

// What is not decided so: by others, of others, of what is no case; and what is
// missing is named. Nothing is moved.
func TestCaseRefused(t *testing.T) {
	c := newCase(t, "0.99")
	other := c.NewMerchant(t, dbtest.MerchantOpts{})
	viewer := portalOf(c.merchant.ID)
	viewer.Role = caller.Developer
	dbtest.WantCode(t, c.decide(t, portalOf(other.ID), payment.CaseDecision{Decision: "take"}), "cashbox_access_denied")
	dbtest.WantCode(t, c.decide(t, viewer, payment.CaseDecision{Decision: "take"}), "role_not_allowed")
	dbtest.WantCode(t, c.decide(t, c.trader.Caller, payment.CaseDecision{Decision: "take"}), "token_kind_not_allowed")
	dbtest.WantFields(t, c.decide(t, operator, payment.CaseDecision{}), "decision")
	dbtest.WantFields(t, c.decide(t, operator, payment.CaseDecision{Decision: "keep"}), "decision")
	dbtest.WantFields(t, c.decide(t, operator, payment.CaseDecision{Decision: "return"}), "method", "address", "recipient")
	to := payer()
	to.Address = "4111111111111112"
	dbtest.WantFields(t, c.decide(t, operator, payment.CaseDecision{Decision: "return", To: to}), "address", "amount")
	c.want(t, payment.Appeal, money{"90.2", "9.8", "0", "0"}, "0.99")
	testenv.Want(t, c.Count(t, "select count(*) from payin"), 0, "payouts")
	// Whose rest another payment asks for cannot be told from that.
	second := requestOf("order-2", "999.01")
	p := c.create(t, c.merchant.Caller, second)
	wantTaken := func() {
		t.Helper()
		dbtest.WantCode(t, c.decide(t, operator, payment.CaseDecision{Decision: "wait"}), "payment_amount_taken")
	}
	wantTaken()
	// Nor while the transfer of one that has failed may still come late:
	// later on the next payment would be given the same amount.
	c.set(t, p.ID, "failed")
	c.clock.Advance(15*time.Minute - time.Millisecond)
	wantTaken()
	c.clock.Advance(time.Millisecond)
	testenv.NoError(t, c.decide(t, operator, payment.CaseDecision{Decision: "wait"}))
	second.OrderID = "order-3"
	dbtest.WantCode(t, testenv.ErrOf(c.payments.Create(t.Context(), c.merchant.Caller, second)), "collect_requisites_not_available")
	c.Audit(t)
}

// What a trader says has come is what they saw was waited for, and not the rest
// of it.
func TestWholeIsNotTheRest(t *testing.T) {
	c := newCase(t, "700")
	testenv.NoError(t, c.decide(t, operator, payment.CaseDecision{Decision: payment.WaitForRest}))
	confirm := func(expected int64) (err error) {
		saw := payment.Came{Expected: new(decimal.NewFromInt(expected))}
		c.p, err = c.payments.ConfirmCame(t.Context(), c.trader.Caller, c.p.ID, saw)
		return err
	}
	id := c.p.ID
	dbtest.WantCode(t, confirm(1000), "payment_came_since")
	c.p.ID = id
	testenv.NoError(t, confirm(300))
	testenv.Want(t, c.p.Status, payment.Completed, "status")
}

// What is decided of one amount is not done to another that has come since.
func TestCaseOfWhatWasSeen(t *testing.T) {
	c := newCase(t, "700")
	decide := func(about string) error {
		return c.decide(t, portalOf(c.merchant.ID), payment.CaseDecision{Decision: payment.TakeWhatCame, Came: about})
	}
	dbtest.WantCode(t, decide("699.99"), "payment_came_since")
	dbtest.WantFields(t, decide("700.001"), "receivedAmount")
	testenv.NoError(t, decide("700"))
	testenv.Want(t, c.p.Status, payment.Completed, "status")
}

// Less than one unit of the currency that has come is decided about as well, as
// the portal's form asks, which names the amount.
func TestCaseOfLessThanOne(t *testing.T) {
	c := newCase(t, "0.01")
	testenv.NoError(t, c.decide(t, portalOf(c.merchant.ID), payment.CaseDecision{Decision: payment.TakeWhatCame, Came: "0.01"}))
	// Of 0.01 RUB at 100 RUB per USDT the spot is 0.0001 USDT, of which the
	// merchant gets 0.01 / 105, rounded down, and the trader keeps 2%.
	c.want(t, payment.Completed, money{"99.99990200", "0", "0.00009523", "0.00000277"}, "0.01")
	c.Audit(t)
}

// What came may be more in all than an amount has digits: it is refused, like a
// single one.
func TestCaseOfTooMuch(t *testing.T) {
	c := newCase(t, "700")
	testenv.NoError(t, c.decide(t, operator, payment.CaseDecision{Decision: payment.WaitForRest}))
	_, err := c.payments.ConfirmCame(t.Context(), c.trader.Caller, c.p.ID, payment.Came{Amount: new("999999999999.99")})
	dbtest.WantFields(t, err, "receivedAmount")
	c.Audit(t)
}

// Of many who decide at once one does, and a payout is made once.
func TestCaseDecidedOnce(t *testing.T) {
	c := newCase(t, "700")
	who := portalOf(c.merchant.ID)
	errs := testenv.AtOnce(8, func(i int) error {
		return testenv.ErrOf(c.payments.DecideCase(t.Context(), who, payment.CaseDecision{
			PaymentID: c.p.ID, Decision: []string{"take", "wait", "return"}[i%3], To: payer(),
		}))
	})
	dbtest.WantOne(t, errs, "payment_no_case")
	c.Audit(t)
}

// What goes back is a payout to whom the decision names: of a merchant's users
// those have it made who may have payouts made, with a second factor, and an
// operator alone no more than one may move. Of 700 RUB that are 7 USDT; what is
// held for the payment is more.
func TestReturnIsAPayout(t *testing.T) {
	c := newCase(t, "700")
	d := payment.CaseDecision{Decision: payment.ReturnIt, To: payer()}
	for role, want := range map[caller.Role]string{caller.Support: "role_not_allowed", caller.Owner: "factor_needed"} {
		who := portalOf(c.merchant.ID)
		who.Role, who.Stale = role, role == caller.Owner
		dbtest.WantCode(t, c.decide(t, who, d), want)
	}
	d.PaymentID = c.p.ID
	_, err := c.guarded(t, 9).DecideCase(t.Context(), operator, d)
	testenv.Check(t, errors.Is(err, foureyes.ErrSecondOperator), "one operator alone: %v", err)
	c.want(t, payment.Appeal, money{"90.2", "9.8", "0", "0"}, "700.00")
	testenv.Want(t, c.Count(t, "select count(*) from payin"), 0, "payouts")
	who := portalOf(c.merchant.ID)
	who.Role = caller.Finance
	testenv.NoError(t, c.decide(t, who, d))
}

// Nor is money returned to a recipient to whom nothing is paid out.
func TestReturnToBlocked(t *testing.T) {
	c := newCase(t, "700")
	c.payouts.Requisites = dbtest.Requisites()
	settings := directory.NewSettings(c.Pools(), c.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	testenv.Must(settings.BlockPayer(t.Context(), operator, directory.NewBlock{Kind: "requisite", Value: payer().Address, Reason: "fraud"}))(t)
	dbtest.WantFields(t, c.decide(t, operator, payment.CaseDecision{Decision: payment.ReturnIt, To: payer()}), "address")
	c.want(t, payment.Appeal, money{"90.2", "9.8", "0", "0"}, "700.00")
	testenv.Want(t, c.Count(t, "select count(*) from payin"), 0, "payouts")
}

// An operator's return waits for what others move before it locks the trader's
// account, as all that operators move does: of two that lock in another order
// one fails.
func TestReturnWaitsBeforeItLocks(t *testing.T) {
	c := newCase(t, "700")
	who := c.user(t, operator, "ann")
	holder := c.Beside(t)
	testenv.NoError(t, db.New(holder).OperatorMovementTurn(t.Context(), fmt.Sprint("by ", who.ID)))
	c.payments = c.guarded(t, 10)
	decided := make(chan error, 1)
	go func() { decided <- c.decide(t, who, payment.CaseDecision{Decision: payment.ReturnIt, To: payer()}) }()
	c.AwaitBlocked(t)
	_, err := holder.Exec(t.Context(), lockBalance+" nowait", ledger.Available(ledger.Trader, c.trader.ID).ID())
	testenv.Check(t, err == nil, "the trader's account while it waits: %v", err)
	testenv.NoError(t, holder.Commit(t.Context()))
	testenv.NoError(t, <-decided)
	c.want(t, payment.Failed, money{"93", "7", "0", "0"}, "700.00")
}

// Where no rest came, it may still come late, as the whole may: for a while no
// other payment is given its amount.
func TestRestRests(t *testing.T) {
	for _, end := range []string{"failed", "cancelled"} {
		t.Run(end, func(t *testing.T) {
			c := newCase(t, "700")
			testenv.NoError(t, c.decide(t, byMerchant(c), payment.CaseDecision{Decision: payment.WaitForRest}))
			c.set(t, c.p.ID, end)
			next := requestOf("order-2", "300")
			c.clock.Advance(15*time.Minute - time.Millisecond)
			dbtest.WantCode(t, testenv.ErrOf(c.payments.Create(t.Context(), c.merchant.Caller, next)), "collect_requisites_not_available")
			c.clock.Advance(time.Millisecond)
			c.create(t, c.merchant.Caller, next)
			c.Audit(t)
		})
	}
}

// What waits for its rest is cancelled neither by its trader, who would keep
// what came, nor by its payer. If no rest comes it fails, and then it can be
// appealed, and what came count towards it again.
func TestPartIsNotCancelled(t *testing.T) {
	c := newCase(t, "700")
	ctx := t.Context()
	testenv.NoError(t, c.decide(t, byMerchant(c), payment.CaseDecision{Decision: payment.WaitForRest}))
	dbtest.WantCode(t, testenv.ErrOf(c.payments.Cancel(ctx, c.trader.Caller, c.p.ID, nil)), "payment_part_came")
	dbtest.WantCode(t, testenv.ErrOf(c.payments.CancelByPayer(ctx, c.p.UUID)), "payment_part_came")
	c.want(t, payment.Pending, money{"90.2", "9.8", "0", "0"}, "700.00")
	expire(t, &c)
	c.want(t, payment.Failed, money{"100", "0", "0", "0"}, "700.00")
	testenv.Must(c.payments.OpenAppeal(ctx, c.merchant.Caller, c.p.ID, appeal(100)))(t)
	free, _, err := c.payments.ListFree(ctx, c.trader.Caller, payment.FreeArrivals{})
	testenv.NoError(t, err)
	c.p = testenv.Must(c.payments.Attach(ctx, c.trader.Caller, free[0].ID, c.p.ID))(t)
	c.want(t, payment.Appeal, money{"90.2", "9.8", "0", "0"}, "700.00")
	testenv.NoError(t, c.decide(t, byMerchant(c), payment.CaseDecision{Decision: payment.TakeWhatCame}))
	c.want(t, payment.Completed, money{"93.14", "0", "6.66666666", "0.19333334"}, "700.00")
}

// What came goes back also where the payment's events go to no address, as
// those of a link may: neither do those of the payout.
func TestReturnWithoutCallback(t *testing.T) {
	c := newCase(t, "700")
	r := request("order-2")
	r.Amount, r.CallbackURI, r.FeedOnly = "2000", "", true
	c.p = c.create(t, c.merchant.Caller, r)
	c.came(t, "500")
	testenv.NoError(t, c.decide(t, byMerchant(c), payment.CaseDecision{Decision: payment.ReturnIt, To: payer()}))
	id := c.Text(t, "select payin_uuid::text from arrival where payment_id = $1", c.p.ID)
	testenv.Must(c.payouts.Complete(t.Context(), c.trader.Caller, id, new("receipt 7")))(t)
	c.Audit(t)
}
