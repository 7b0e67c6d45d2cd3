package proposal_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/inforce"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/proposal"
	"gateway.example/internal/testenv"
)

// cases are what support decides: appeals and payouts of a cashbox, and
// deposits of another one.
type cases struct {
	*bundle
	payments  *payment.Service
	payouts   *payout.Service
	shop      dbtest.Merchant
	deposited int
}

func setupCases(t *testing.T) *cases {
	t.Helper()
	c := &cases{bundle: setup(t)}
	c.SetRate(t, "RUB", "100", true)
	settings := testenv.Must(inforce.NewKeeper(t.Context(), c.Pool, 0, nil))(t)
	addresses := outbound.NewAddresses(false)
	rules := foureyes.Rules{On: true, Above: decimal.NewFromInt(10)}
	c.payouts = payout.New(c.Pools(), c.clock, dbtest.Vault(), addresses, rules)
	c.payments = testenv.Must(payment.New(c.Pools(), c.clock, addresses, settings,
		payment.Config{Requisites: dbtest.Requisites(), ExternalSecret: true, FourEyes: rules, Payouts: c.payouts}))(t)
	c.proposals = proposal.New(c.Pools(), c.clock, dbtest.Vault(), proposal.Services{
		Deposits: c.deposits, Payments: c.payments, Payouts: c.payouts,
	})
	c.one.Role = caller.Admin
	c.Exec(t, "update app_user set role = 'admin' where id = $1", c.one.ID)
	c.shop = c.NewMerchant(t, dbtest.MerchantOpts{Scopes: []string{caller.ScopePayments, caller.ScopePayouts}})
	c.Fund(t, ledger.Available(ledger.Cashbox, c.shop.CashboxID), "100")
	c.trader = c.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	c.PaysOut(t, c.shop.CashboxID, "0", "sbp")
	c.PaysBy(t, c.trader.ID, "sbp")
	return c
}

// confirm has the first operator confirm a deposit of 6 USDT into the other
// cashbox, and tells whether they did so alone.
func (c *cases) confirm(t *testing.T) (alone bool) {
	t.Helper()
	c.deposited++
	made := testenv.Must(c.deposits.Create(t.Context(), c.merchant.Caller, deposit.Request{
		Amount: "6", Network: "TRC20", Address: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		IdempotencyKey: "0193d2f0-0000-7000-8000-00000000000" + string(rune('0'+c.deposited)),
	}))(t)
	done := testenv.Must(c.proposals.Do(t.Context(), c.one, proposal.ConfirmDeposit,
		proposal.Payload{DepositID: made.Deposit.ID}, ""))(t)
	return done.Proposal == nil
}

func (c *cases) asked(t *testing.T, orderID, amount string) payment.Payment {
	t.Helper()
	return testenv.Must(c.payments.Create(t.Context(), c.shop.Caller, payment.Request{
		OrderID: orderID, Amount: amount, Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: new("sbp"),
	}))(t).Payment
}

// appealed is an appeal in review about a failed payment.
func (c *cases) appealed(t *testing.T, orderID, amount string) int64 {
	t.Helper()
	made := c.asked(t, orderID, amount)
	testenv.Must2(c.payments.UpdateStatus(t.Context(), caller.Caller{Kind: caller.Application}, made.ID,
		payment.Update{Status: "failed"}))(t)
	reason, name := "The bank shows the transfer.", "receipt.png"
	opened := testenv.Must(c.payments.OpenAppeal(t.Context(), c.shop.Caller, made.ID, payment.AppealRequest{
		Reason: &reason, FileName: &name, File: io.NewSectionReader(strings.NewReader(testenv.PNG), 0, int64(len(testenv.PNG))),
	}))(t)
	testenv.Must(c.payments.ReviewAppeal(t.Context(), c.one, opened.ID))(t)
	return opened.ID
}

// taken is a payout that the trader has taken.
func (c *cases) taken(t *testing.T, orderID, amount string) string {
	t.Helper()
	made := testenv.Must(c.payouts.Create(t.Context(), c.shop.Caller, payout.Request{
		OrderID: orderID, Amount: amount, Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: "sbp",
		Address: "+79001234567", Recipient: "Ivan Petrov",
	}))(t)
	testenv.Must(c.payouts.Take(t.Context(), c.trader.Caller, made.Payout.UUID.String()))(t)
	return made.Payout.UUID.String()
}

// What support decides moves money too: it is done once, by two, above what one
// operator moves alone, and that is added up with the deposits that they
// confirm.
func TestCasesByTwo(t *testing.T) {
	word := "Seen at the bank"
	for _, test := range []struct {
		action foureyes.Action
		// open makes a case about an amount in RUB, and returns what
		// decides it in the cashbox's favour.
		open func(t *testing.T, c *cases, orderID, amount string) func(who caller.Caller) error
	}{
		{foureyes.ResolveAppeal, func(t *testing.T, c *cases, orderID, amount string) func(caller.Caller) error {
			t.Helper()
			id := c.appealed(t, orderID, amount)
			return func(who caller.Caller) error {
				return testenv.ErrOf(c.payments.ResolveAppeal(t.Context(), who, id, payment.Resolution{Outcome: "completed", Reason: &word}))
			}
		}},
		{foureyes.AttachArrival, func(t *testing.T, c *cases, orderID, amount string) func(caller.Caller) error {
			t.Helper()
			made := c.asked(t, orderID, amount)
			kept := testenv.Must(c.payments.KeepMoney(t.Context(), c.trader.Caller, *made.RequisiteID, payment.Came{Amount: &amount}))(t)
			return func(who caller.Caller) error {
				return testenv.ErrOf(c.payments.Attach(t.Context(), who, kept.ID, made.ID))
			}
		}},
		{foureyes.ResolvePayout, func(t *testing.T, c *cases, orderID, amount string) func(caller.Caller) error {
			t.Helper()
			id := c.taken(t, orderID, amount)
			return func(who caller.Caller) error {
				return testenv.ErrOf(c.payouts.Resolve(t.Context(), who, id, payout.Resolution{Outcome: "failed", Reason: &word}))
			}
		}},
		{foureyes.ReversePayout, func(t *testing.T, c *cases, orderID, amount string) func(caller.Caller) error {
			t.Helper()
			id := c.taken(t, orderID, amount)
			testenv.Must(c.payouts.Complete(t.Context(), c.trader.Caller, id, &word))(t)
			return func(who caller.Caller) error { return testenv.ErrOf(c.payouts.Reverse(t.Context(), who, id, &word)) }
		}},
	} {
		t.Run(string(test.action), func(t *testing.T) {
			c := setupCases(t)
			account := ledger.Available(ledger.Cashbox, c.shop.CashboxID)
			small, second := test.open(t, c, "small", "600"), test.open(t, c, "second", "700")
			large := test.open(t, c, "large", "1001")
			before := c.Balance(t, account)
			has := func(gained string) {
				t.Helper()
				c.has(t, account, before.Add(decimal.RequireFromString(gained)).String())
			}
			testenv.NoError(t, small(c.one))
			has("6")
			testenv.Want(t, c.confirm(t), false, "the first operator confirms 6 USDT alone, having moved 6 of 10")
			for _, step := range []struct {
				decide func(caller.Caller) error
				before string
				after  string
			}{{second, "6", "13"}, {large, "13", "23.01"}} {
				p := testenv.Must(c.proposals.Propose(t.Context(), c.one, step.decide(c.one)))(t)
				testenv.Want(t, p.Action, test.action, "the action proposed")
				has(step.before)
				dbtest.WantCode(t, c.approved(t, c.one, p.ID), "proposal_own")
				has(step.before)
				testenv.NoError(t, c.approved(t, c.two, p.ID))
				has(step.after)
				dbtest.WantCode(t, c.approved(t, c.two, p.ID), "proposal_decided")
				has(step.after)
			}
		})
	}
}

// Deposits that an operator confirmed alone count against what they decide.
func TestCasesAfterDeposits(t *testing.T) {
	c := setupCases(t)
	id := c.appealed(t, "order", "600")
	testenv.Want(t, c.confirm(t), true, "the first operator confirms 6 USDT of 10 alone")
	_, err := c.payments.ResolveAppeal(t.Context(), c.one, id, payment.Resolution{Outcome: "completed"})
	p := testenv.Must(c.proposals.Propose(t.Context(), c.one, err))(t)
	testenv.Want(t, p.Action, foureyes.ResolveAppeal, "the action proposed")
}

// To whom another amount goes back is sealed while a second operator is asked,
// who sees its end, and is as it was typed when they approve.
func TestReturnByTwo(t *testing.T) {
	c := setupCases(t)
	made := c.asked(t, "order", "2000")
	testenv.Must(c.payments.ConfirmReceived(t.Context(), c.trader.Caller, made.ID, new("1500")))(t)
	to := &payout.Recipient{Method: "c2c", Address: "4111111111111111", Recipient: "Ivan Petrov"}
	_, err := c.payments.DecideCase(t.Context(), c.one, payment.CaseDecision{PaymentID: made.ID, Decision: "return", To: to})
	p := testenv.Must(c.proposals.Propose(t.Context(), c.one, err))(t)
	testenv.Want(t, to.Address, "4111111111111111", "what the caller has")
	payload := c.Text(t, "select payload::text from proposal where id = $1", p.ID)
	testenv.Check(t, !strings.Contains(payload, "41111111") && strings.Contains(payload, "•••• 1111"), "stored: %s", payload)
	testenv.NoError(t, c.approved(t, c.two, p.ID))
	id := c.Text(t, "select uuid::text from payin")
	testenv.Want(t, testenv.Must(c.payouts.GetOffer(t.Context(), c.trader.Caller, id))(t).Address, "4111111111111111", "where it goes")
	c.Audit(t)
}

// A payout is taken away from its trader by two above what one operator moves
// alone: whoever takes it next is paid for what the former one may have sent.
func TestReclaimByTwo(t *testing.T) {
	c := setupCases(t)
	small, large := c.taken(t, "small", "600"), c.taken(t, "large", "1001")
	reclaim := func(id string) error {
		return testenv.ErrOf(c.payouts.Reclaim(t.Context(), c.one, id, payout.Resolution{Reason: new("the trader sleeps")}))
	}
	testenv.NoError(t, reclaim(small))
	testenv.Want(t, c.confirm(t), false, "the first operator confirms 6 USDT alone, having moved 6 of 10")
	p := testenv.Must(c.proposals.Propose(t.Context(), c.one, reclaim(large)))(t)
	testenv.Want(t, p.Action, foureyes.ReclaimPayout, "the action proposed")
	status := func() string { return c.Text(t, "select status from payin where uuid = $1", large) }
	testenv.Want(t, status(), "processing", "the payout until it is approved")
	dbtest.WantCode(t, c.approved(t, c.one, p.ID), "proposal_own")
	testenv.NoError(t, c.approved(t, c.two, p.ID))
	testenv.Want(t, status(), "waiting", "the payout that was taken away")
}

// What was proposed of a payout is about the trader who had it then. Another
// who has it since may have sent the money: nobody takes it from them, or pays
// them for it, by what was said of the first.
func TestPayoutTakenSinceProposed(t *testing.T) {
	for name, propose := range map[string]func(c *cases, id string) error{
		"reclaim": func(c *cases, id string) error {
			return testenv.ErrOf(c.payouts.Reclaim(t.Context(), c.one, id, payout.Resolution{Reason: new("the trader sleeps")}))
		},
		"complete": func(c *cases, id string) error {
			return testenv.ErrOf(c.payouts.Resolve(t.Context(), c.one, id,
				payout.Resolution{Outcome: "completed", ProofReference: new("the first trader's")}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := setupCases(t)
			id := c.taken(t, "large", "1001")
			p := testenv.Must(c.proposals.Propose(t.Context(), c.one, propose(c, id)))(t)
			testenv.Must(c.payouts.GiveBack(t.Context(), c.trader.Caller, id, nil))(t)
			another := c.NewTrader(t, dbtest.TraderOpts{})
			c.PaysBy(t, another.ID, "sbp")
			c.clock.Advance(time.Minute)
			testenv.Must(c.payouts.Take(t.Context(), another.Caller, id))(t)
			dbtest.WantCode(t, c.approved(t, c.two, p.ID), "payin_taken_anew")
			testenv.Want(t, c.Text(t, "select status from payin where trader_id = $1", another.ID), "processing", "the payout")
			p = testenv.Must(c.proposals.Propose(t.Context(), c.one, propose(c, id)))(t)
			testenv.NoError(t, c.approved(t, c.two, p.ID))
		})
	}
}

// What was proposed about another amount is about the amount that had come
// then. More may have come since: nobody takes it, or sends it back, by what
// was said of less.
func TestMoreCameSinceProposed(t *testing.T) {
	for _, decision := range []string{payment.TakeWhatCame, payment.ReturnIt} {
		t.Run(decision, func(t *testing.T) {
			c := setupCases(t)
			made := c.asked(t, "order", "3000")
			testenv.Must(c.payments.ConfirmReceived(t.Context(), c.trader.Caller, made.ID, new("1500")))(t)
			propose := func() proposal.Proposal {
				t.Helper()
				_, err := c.payments.DecideCase(t.Context(), c.one, payment.CaseDecision{
					PaymentID: made.ID, Decision: decision,
					To: &payout.Recipient{Method: "c2c", Address: "4111111111111111", Recipient: "Ivan Petrov"},
				})
				return testenv.Must(c.proposals.Propose(t.Context(), c.one, err))(t)
			}
			p := propose()
			kept := testenv.Must(c.payments.KeepMoney(t.Context(), c.trader.Caller, c.trader.Requisites[0],
				payment.Came{Amount: new("700")}))(t)
			testenv.Must(c.payments.Attach(t.Context(), c.trader.Caller, kept.ID, made.ID))(t)
			dbtest.WantCode(t, c.approved(t, c.two, p.ID), "payment_came_since")
			testenv.Want(t, c.Text(t, "select status || ' ' || received_amount from payment"), "appeal 2200.00", "the payment")
			testenv.NoError(t, c.approved(t, c.two, propose().ID))
			c.Audit(t)
		})
	}
}

// What was proposed about an appeal is about what had come of its payment then.
// A part may have come since: nobody credits all of it by what was said before.
func TestPartCameSinceAppealProposed(t *testing.T) {
	c := setupCases(t)
	id := c.appealed(t, "order", "3000")
	made := testenv.Must(c.payments.GetAppeal(t.Context(), c.one, id))(t).Payment
	propose := func() proposal.Proposal {
		t.Helper()
		_, err := c.payments.ResolveAppeal(t.Context(), c.one, id, payment.Resolution{Outcome: "completed"})
		return testenv.Must(c.proposals.Propose(t.Context(), c.one, err))(t)
	}
	p := propose()
	kept := testenv.Must(c.payments.KeepMoney(t.Context(), c.trader.Caller, c.trader.Requisites[0],
		payment.Came{Amount: new("1200")}))(t)
	testenv.Must(c.payments.Attach(t.Context(), c.trader.Caller, kept.ID, made.ID))(t)
	dbtest.WantCode(t, c.approved(t, c.two, p.ID), "payment_came_since")
	testenv.Want(t, c.Text(t, "select status || ' ' || received_amount from payment"), "appeal 1200.00", "the payment")
	testenv.NoError(t, c.approved(t, c.two, propose().ID))
	testenv.Want(t, c.Text(t, "select status from payment"), "completed", "the payment")
	c.Audit(t)
}

// A deposit that one operator proposed to confirm by a transfer is not
// confirmed by the second one after that has vanished from its network.
func TestTransferVanishedSinceProposed(t *testing.T) {
	b := setup(t)
	const address = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	made := testenv.Must(b.deposits.Create(t.Context(), b.merchant.Caller, deposit.Request{
		Amount: "20", Network: "TRC20", Address: address, IdempotencyKey: "0193d2f0-0000-7000-8000-000000000001",
	}))(t).Deposit
	b.Exec(t, `insert into chain_cursor (network, start_number, block_number, block_hash, head_number, leased_until)
		values ('TRC20', 1, 1, 'b', 100, now())`)
	b.Exec(t, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
		to_address, amount, state, seen_at, state_at) values ('TRC20', 'hash', 0, 'in', 95, 'b', 'f', $1, 20, 'seen', $2, $2)`, address, b.clock.Now())
	testenv.NoError(t, b.deposits.Match(t.Context()))
	confirm := proposal.Payload{DepositID: made.ID}
	p := b.propose(t, proposal.ConfirmDeposit, confirm)
	b.Exec(t, "update chain_transfer set state = 'gone'")
	dbtest.WantCode(t, b.approved(t, b.two, p.ID), "transfer_differs")
	testenv.NoError(t, b.deposits.Match(t.Context()))
	dbtest.WantCode(t, b.approved(t, b.two, p.ID), "transfer_differs")
	b.has(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID), "50")

	// What two have seen come by no transfer stays theirs to decide, also
	// once there is one.
	p = b.propose(t, proposal.ConfirmDeposit, confirm)
	b.Exec(t, "update chain_transfer set state = 'seen'")
	testenv.NoError(t, b.deposits.Match(t.Context()))
	testenv.NoError(t, b.approved(t, b.two, p.ID))
	b.has(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID), "70")
}
