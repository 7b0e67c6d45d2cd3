package proposal_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle has a trader with 100 USDT, a cashbox with 50, and two operators who
// may approve each other's proposals. One alone may move 10 USDT, and set a
// rate within 5%.
type bundle struct {
	*dbtest.DB
	clock     *dbtest.Clock
	proposals *proposal.Service
	deposits  *deposit.Service
	trader    dbtest.Trader
	merchant  dbtest.Merchant
	one, two  caller.Caller
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	d := dbtest.New(t)
	b := &bundle{DB: d, clock: &dbtest.Clock{}}
	rules := foureyes.Rules{On: true, Above: decimal.NewFromInt(10), RatePercent: decimal.NewFromInt(5)}
	settings := directory.NewSettings(d.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{FourEyes: rules})
	rates := rate.NewSettings(d.Pool, b.clock, outbound.NewAddresses(true), rules)
	b.deposits = deposit.New(d.Pools(), b.clock, rules)
	b.proposals = proposal.New(d.Pools(), b.clock, dbtest.Vault(), proposal.Services{
		Settings: settings, Rates: rates, Deposits: b.deposits,
	})
	b.trader = d.NewTrader(t, dbtest.TraderOpts{USDT: "100"})
	b.merchant = d.NewMerchant(t, dbtest.MerchantOpts{Scopes: []string{caller.ScopeDeposits}})
	d.Fund(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID), "50")
	b.one, b.two = b.operator(t, "one", caller.Treasury), b.operator(t, "two", caller.Admin)
	return b
}

func (b *bundle) operator(t *testing.T, login string, role caller.Role) caller.Caller {
	t.Helper()
	id := testenv.Must(session.InsertUser(t.Context(), b.Queries(), session.NewUser{
		Kind: caller.Operator, Role: role, Login: login,
	}, "hash", dbtest.Start))(t)
	return caller.Caller{Kind: caller.Operator, Role: role, ID: id, Login: login}
}

// has wants an account to hold so much, and the books to be right.
func (b *bundle) has(t *testing.T, a ledger.Account, usdt string) {
	t.Helper()
	b.WantHas(t, map[ledger.Account]string{a: usdt})
}

func (b *bundle) account() ledger.Account { return ledger.Available(ledger.Trader, b.trader.ID) }

// propose makes a proposal, of which nothing may be done.
func (b *bundle) propose(t *testing.T, a proposal.Action, p proposal.Payload) proposal.Proposal {
	t.Helper()
	done := testenv.Must(b.proposals.Do(t.Context(), b.one, a, p, "Because"))(t)
	testenv.Need(t, done.Proposal != nil && done.Change == nil && done.Deposit == nil && done.Rate == nil,
		"%s was done: %+v", a, done)
	return *done.Proposal
}

// approved has somebody approve a proposal.
func (b *bundle) approved(t *testing.T, who caller.Caller, id int64) error {
	t.Helper()
	_, _, err := b.proposals.Approve(t.Context(), who, id)
	return err
}

func (b *bundle) funding(amount, reference string) proposal.Payload {
	return proposal.Payload{TraderID: b.trader.ID, Amount: amount, Reference: reference}
}

// Each action waits for a second operator, who has exactly that done.
func TestApproved(t *testing.T) {
	b := setup(t)
	cashbox, platform := ledger.Available(ledger.Cashbox, b.merchant.CashboxID), ledger.Available(ledger.Platform, 0)
	dep := testenv.Must(b.deposits.Create(t.Context(), b.merchant.Caller, deposit.Request{
		Amount: "20", Network: "TRC20", Address: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		IdempotencyKey: "0193d2f0-0000-7000-8000-000000000001",
	}))(t)
	b.SetRate(t, "RUB", "100", true)
	steps := []struct {
		action  proposal.Action
		payload proposal.Payload
		account ledger.Account
		before  string
		after   string
	}{
		{proposal.FundTrader, b.funding("5.5", "in"), b.account(), "100", "105.5"},
		{proposal.WithdrawTrader, b.funding("3", "out"), b.account(), "105.5", "102.5"},
		{proposal.Correct, proposal.Payload{
			From: new(b.account().ID()), To: new(platform.ID()), Amount: "0.00000001", Reference: "c", Reason: "Dust",
		}, platform, "0", "0.00000001"},
		{proposal.ConfirmDeposit, proposal.Payload{DepositID: dep.Deposit.ID}, cashbox, "50", "70"},
		{
			proposal.SetInsurance, proposal.Payload{CashboxID: b.merchant.CashboxID, Amount: "10.00000001"}, cashbox,
			"70", "59.99999999",
		},
	}
	for _, step := range steps {
		p := b.propose(t, step.action, step.payload)
		b.has(t, step.account, step.before)
		decided, _ := testenv.Must2(b.proposals.Approve(t.Context(), b.two, p.ID))(t)
		testenv.Check(t, decided.State == proposal.Approved && decided.Decider == "two" && decided.Proposer == "one",
			"%s: %+v", step.action, decided)
		b.has(t, step.account, step.after)
	}
	p := b.propose(t, proposal.SetRate, proposal.Payload{Currency: "RUB", FiatPerUSDT: "105.01"})
	testenv.NoError(t, b.approved(t, b.two, p.ID))
	base, err := rate.Current(t.Context(), b.Queries(), "RUB", b.clock.Now())
	testenv.Check(t, err == nil && base.FiatPerUSDT.String() == "105.01", "the rate is %s %v", base.FiatPerUSDT, err)
}

// What is small enough one operator does alone: 10 USDT of a deposit or
// insurance, 5% of a rate.
func TestAlone(t *testing.T) {
	b := setup(t)
	b.SetRate(t, "RUB", "100", true)
	for action, p := range map[proposal.Action]proposal.Payload{
		proposal.SetInsurance: {CashboxID: b.merchant.CashboxID, Amount: "10"},
		proposal.SetRate:      {Currency: "RUB", FiatPerUSDT: "105"},
	} {
		done, err := b.proposals.Do(t.Context(), b.one, action, p, "")
		testenv.Check(t, err == nil && done.Proposal == nil, "%s: %+v %v", action, done, err)
	}
	// 110 is within 5% of 105, but not of the 100 that the day began with.
	// 20.00000001 is more than 10 above the insurance there is.
	b.propose(t, proposal.SetRate, proposal.Payload{Currency: "RUB", FiatPerUSDT: "110"})
	b.propose(t, proposal.SetInsurance, proposal.Payload{CashboxID: b.merchant.CashboxID, Amount: "20.00000001"})
	// A day later 110 is as near as it may be.
	b.clock.Advance(25 * time.Hour)
	done, err := b.proposals.Do(t.Context(), b.one, proposal.SetRate,
		proposal.Payload{Currency: "RUB", FiatPerUSDT: "110"}, "")
	testenv.Check(t, err == nil && done.Proposal == nil, "%+v %v", done, err)
	// The band of a feed narrows the 5%, and never widens them.
	b.clock.Advance(25 * time.Hour)
	b.Exec(t, `insert into rate_feed (currency, enabled, priority, url, pointer, poll_seconds, timeout_ms, band_percent, day_band_percent,
		fresh_seconds, next_poll_at) values ('RUB', true, 1, 'http://127.0.0.1:1/', '/rate', 60, 1000, 50, 50, 60, now())`)
	b.propose(t, proposal.SetRate, proposal.Payload{Currency: "RUB", FiatPerUSDT: "115.51"})
	b.Exec(t, "update rate_feed set band_percent = 2")
	b.propose(t, proposal.SetRate, proposal.Payload{Currency: "RUB", FiatPerUSDT: "112.21"})
}

// What one operator moves alone is added up over a day, theirs and that of the
// owner's, also when it is done at once.
func TestSplit(t *testing.T) {
	b := setup(t)
	other := b.NewMerchant(t, dbtest.MerchantOpts{Scopes: []string{caller.ScopeDeposits}})
	ids := map[int64][]int64{}
	for i := range 12 {
		m := []dbtest.Merchant{b.merchant, other}[i/9]
		made := testenv.Must(b.deposits.Create(t.Context(), m.Caller, deposit.Request{
			Amount: "4", Network: "TRC20", Address: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
			IdempotencyKey: fmt.Sprintf("0193d2f0-0000-7000-8000-%012d", i),
		}))(t)
		ids[m.ID] = append(ids[m.ID], made.Deposit.ID)
	}
	confirm := func(who caller.Caller, id int64) (alone bool) {
		done, err := b.proposals.Do(context.WithoutCancel(t.Context()), who, proposal.ConfirmDeposit,
			proposal.Payload{DepositID: id}, "")
		testenv.Check(t, err == nil, "%v", err)
		return done.Proposal == nil
	}
	var wait sync.WaitGroup
	var alone atomic.Int64
	for _, id := range ids[b.merchant.ID][:8] {
		wait.Go(func() {
			if confirm(b.one, id) {
				alone.Add(1)
			}
		})
	}
	wait.Wait()
	testenv.Want(t, alone.Load(), int64(2), "deposits of 4 USDT that one operator confirmed alone, of 10 they may move")
	last := ids[b.merchant.ID][8]
	testenv.Want(t, confirm(b.two, last), false, "another operator moves alone what the cashbox may not get any more")
	testenv.Want(t, confirm(b.one, ids[other.ID][0]), false, "the first moves more alone, to another cashbox")
	testenv.Want(t, confirm(b.two, ids[other.ID][0]), true, "the second moves the first of another cashbox's alone")
	b.clock.Advance(24 * time.Hour)
	testenv.Want(t, confirm(b.one, last), true, "a day later the first moves it alone")
	b.has(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID), "62")
}

// Nobody approves what they proposed, and nobody approves without the role, the
// role that they have now, or a fresh second factor. None of that moves
// anything.
func TestWhoApproves(t *testing.T) {
	b := setup(t)
	p := b.propose(t, proposal.FundTrader, b.funding("5", "in"))
	approve := func(who caller.Caller) error { return b.approved(t, who, p.ID) }
	dbtest.WantCode(t, approve(b.one), "proposal_own")
	stale := b.two
	stale.Stale = true
	dbtest.WantCode(t, approve(stale), "factor_needed")
	dbtest.WantCode(t, approve(b.operator(t, "support", caller.Support)), "role_not_allowed")
	dbtest.WantCode(t, approve(b.operator(t, "auditor", caller.Auditor)), "role_not_allowed")
	dbtest.WantCode(t, approve(b.trader.Caller), "token_kind_not_allowed")
	// Their session still says admin, the database does not.
	b.Exec(t, "update app_user set role = 'support' where id = $1", b.two.ID)
	dbtest.WantCode(t, approve(b.two), "role_not_allowed")
	b.Exec(t, "update app_user set role = 'admin', enabled = false where id = $1", b.two.ID)
	dbtest.WantCode(t, approve(b.two), "role_not_allowed")
	b.Exec(t, "update app_user set enabled = true where id = $1", b.two.ID)
	// Nor does what somebody proposed count who may not any more.
	b.Exec(t, "update app_user set role = 'auditor' where id = $1", b.one.ID)
	dbtest.WantCode(t, approve(b.two), "proposal_author")
	b.has(t, b.account(), "100")
	b.Exec(t, "update app_user set role = 'treasury' where id = $1", b.one.ID)
	testenv.NoError(t, approve(b.two))
	b.has(t, b.account(), "105")
}

// Of many approvals at a time one acts.
func TestApprovedOnce(t *testing.T) {
	b := setup(t)
	p := b.propose(t, proposal.SetInsurance, proposal.Payload{CashboxID: b.merchant.CashboxID, Amount: "20"})
	fund := b.propose(t, proposal.FundTrader, b.funding("5", "in"))
	who := []caller.Caller{b.two}
	for i := range 5 {
		who = append(who, b.operator(t, fmt.Sprint("other", i), caller.Admin))
	}
	for _, id := range []int64{p.ID, fund.ID} {
		dbtest.WantOne(t, testenv.AtOnce(len(who), func(i int) error {
			_, _, err := b.proposals.Approve(context.Background(), who[i], id)
			return err
		}), "proposal_decided")
	}
	b.has(t, b.account(), "105")
	b.has(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID), "30")
	dbtest.WantCode(t, testenv.ErrOf(b.proposals.Refuse(t.Context(), b.two, p.ID, "")), "proposal_decided")
}

// A day later nothing can be approved or refused.
func TestExpired(t *testing.T) {
	b := setup(t)
	p := b.propose(t, proposal.FundTrader, b.funding("5", "in"))
	b.clock.Advance(proposal.Lasts)
	dbtest.WantCode(t, b.approved(t, b.two, p.ID), "proposal_expired")
	dbtest.WantCode(t, testenv.ErrOf(b.proposals.Refuse(t.Context(), b.two, p.ID, "")), "proposal_expired")
	open, _, err := b.proposals.List(t.Context(), b.two, proposal.Page{})
	testenv.Check(t, err == nil && len(open) == 0, "open: %+v %v", open, err)
	all, _, err := b.proposals.List(t.Context(), b.two, proposal.Page{All: true})
	testenv.Check(t, err == nil && len(all) == 1 && all[0].State == proposal.Expired, "all: %+v %v", all, err)
	// It can be proposed again, and then done a moment before its end.
	again := b.propose(t, proposal.FundTrader, b.funding("5", "in"))
	testenv.Check(t, again.ID != p.ID, "the expired one is proposed again")
	b.clock.Advance(proposal.Lasts - time.Second)
	testenv.NoError(t, b.approved(t, b.two, again.ID))
	b.has(t, b.account(), "105")
}

// Where it cannot be done any more, the approval says why and leaves everything
// as it was.
func TestStaleWorld(t *testing.T) {
	b := setup(t)
	p := b.propose(t, proposal.WithdrawTrader, b.funding("80", "out"))
	b.Exec(t, "select 1")
	first := b.propose(t, proposal.WithdrawTrader, b.funding("30", "first"))
	testenv.NoError(t, b.approved(t, b.two, first.ID))
	dbtest.WantCode(t, b.approved(t, b.two, p.ID), "insufficient_trader_balance")
	still, err := b.proposals.Get(t.Context(), b.two, p.ID)
	testenv.Check(t, err == nil && still.State == proposal.Open && still.Decider == "", "%+v %v", still, err)
	b.has(t, b.account(), "70")
	b.Fund(t, b.account(), "10")
	testenv.NoError(t, b.approved(t, b.two, p.ID))
	b.has(t, b.account(), "0")
}

// A process that dies between the deed and the decision leaves neither.
func TestCrashBetween(t *testing.T) {
	b := setup(t)
	p := b.propose(t, proposal.FundTrader, b.funding("5", "in"))
	b.Exec(t, `create function die() returns trigger language plpgsql as
		$$ begin if new.decision is not null then raise exception 'the process dies'; end if; return new; end $$`)
	b.Exec(t, "create trigger die before update on proposal for each row execute function die()")
	err := b.approved(t, b.two, p.ID)
	testenv.Check(t, err != nil && fault.As(err) == nil, "approved: %v", err)
	b.has(t, b.account(), "100")
	b.Exec(t, "drop trigger die on proposal")
	testenv.NoError(t, b.approved(t, b.two, p.ID))
	b.has(t, b.account(), "105")
}

// The same again is the same proposal; of another operator it is another one,
// and still moves money once. What was done under a reference is answered with.
func TestRepeated(t *testing.T) {
	b := setup(t)
	p := b.propose(t, proposal.FundTrader, b.funding("5", "in"))
	again := b.propose(t, proposal.FundTrader, b.funding("5", "in"))
	testenv.Check(t, again.ID == p.ID, "proposal %d, want %d", again.ID, p.ID)
	done := testenv.Must(b.proposals.Do(t.Context(), b.two, proposal.FundTrader, b.funding("5", "in"), ""))(t)
	testenv.Need(t, done.Proposal != nil && done.Proposal.ID != p.ID, "%+v", done)
	testenv.NoError(t, b.approved(t, b.two, p.ID))
	testenv.NoError(t, b.approved(t, b.one, done.Proposal.ID))
	b.has(t, b.account(), "105")
	done, err := b.proposals.Do(t.Context(), b.one, proposal.FundTrader, b.funding("5", "in"), "")
	testenv.Check(t, err == nil && done.Change != nil && done.Change.ID != 0, "%+v %v", done, err)
	dbtest.WantCode(t, testenv.ErrOf(b.proposals.Do(t.Context(), b.one, proposal.FundTrader, b.funding("6", "in"), "")), "idempotency_key_conflict")
}

// What is wrong is refused before there is a proposal.
func TestInvalid(t *testing.T) {
	b := setup(t)
	trader, platform, held := b.account(), ledger.Available(ledger.Platform, 0), ledger.Reserved(ledger.Trader,
		b.trader.ID)
	correction := func(from, to *int64, amount, reason string) proposal.Payload {
		return proposal.Payload{From: from, To: to, Amount: amount, Reference: "c", Reason: reason}
	}
	for name, test := range map[string]struct {
		action proposal.Action
		p      proposal.Payload
		why    string
		want   string
	}{
		"nothing":         {proposal.FundTrader, b.funding("0", "in"), "", "amount"},
		"no number":       {proposal.FundTrader, b.funding("1e3", "in"), "", "amount"},
		"no reference":    {proposal.FundTrader, b.funding("1", " "), "", "reference"},
		"a long reason":   {proposal.FundTrader, b.funding("1", "in"), strings.Repeat("x", 501), "reason"},
		"no account":      {proposal.Correct, correction(nil, new(platform.ID()), "1", "why"), "", "from"},
		"no other":        {proposal.Correct, correction(new(trader.ID()), nil, "1", "why"), "", "to"},
		"the same":        {proposal.Correct, correction(new(trader.ID()), new(trader.ID()), "1", "why"), "", "to"},
		"what is held":    {proposal.Correct, correction(new(held.ID()), new(platform.ID()), "1", "why"), "", "from"},
		"no reason":       {proposal.Correct, correction(new(trader.ID()), new(platform.ID()), "1", " "), "", "reason"},
		"nine decimals":   {proposal.Correct, correction(new(trader.ID()), new(platform.ID()), "0.000000001", "w"), "", "amount"},
		"unknown account": {proposal.Correct, correction(new(trader.ID()), new(ledger.Available(ledger.Trader, 9999).ID()), "1", "w"), "", "not_found"},
		"unknown trader":  {proposal.FundTrader, proposal.Payload{TraderID: 9999, Amount: "1", Reference: "x"}, "", "not_found"},
		"unknown deposit": {proposal.ConfirmDeposit, proposal.Payload{DepositID: 9999}, "", "not_found"},
		"no currency":     {proposal.SetRate, proposal.Payload{Currency: "XXX", FiatPerUSDT: "1"}, "", "currency"},
	} {
		_, err := b.proposals.Do(t.Context(), b.one, test.action, test.p, test.why)
		f := fault.As(err)
		testenv.Check(t, f != nil && (f.Code == test.want || f.Fields[test.want] != nil),
			"%s: %v, want %s", name, err, test.want)
	}
	list, _, err := b.proposals.List(t.Context(), b.one, proposal.Page{All: true})
	testenv.Check(t, err == nil && len(list) == 0, "%d proposals, %v", len(list), err)
	b.has(t, b.account(), "100")
}

// The database itself keeps a proposal as it was made, from being approved by
// who made it, and from being decided twice.
func TestKept(t *testing.T) {
	b := setup(t)
	p := b.propose(t, proposal.FundTrader, b.funding("5", "in"))
	for _, sql := range []string{
		`update proposal set payload = '{"trader_id": 1, "amount": "5000", "reference": "in"}' where id = $1`,
		`update proposal set decision = 'approved', decided_by = proposed_by, decided_at = created_at where id = $1`,
		`update proposal set decision = 'refused', decided_by = proposed_by, decided_at = expires_at where id = $1`,
		`update proposal set decision = 'approved' where id = $1`,
		`delete from proposal where id = $1`,
	} {
		_, err := b.Pool.Exec(t.Context(), sql, p.ID)
		testenv.Check(t, err != nil, "the database let this be done: %s", sql)
	}
	refused, err := b.proposals.Refuse(t.Context(), b.one, p.ID, " Typed wrongly ")
	testenv.Check(t, err == nil && refused.State == proposal.Refused && refused.DecisionReason == "Typed wrongly",
		"%+v %v", refused, err)
	_, err = b.Pool.Exec(t.Context(), `update proposal set decision = 'approved', decided_by = $2 where id = $1`,
		p.ID, b.two.ID)
	testenv.Check(t, err != nil, "it was decided twice")
	others, err := b.proposals.Others(t.Context(), b.one)
	testenv.Check(t, err == nil && others == 1, "%d others, %v", others, err)
}

// Without the rules everything is done at once.
func TestOff(t *testing.T) {
	b := setup(t)
	alone := proposal.New(b.Pools(), b.clock, dbtest.Vault(), proposal.Services{
		Settings: directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{}),
		Rates:    rate.NewSettings(b.Pool, b.clock, outbound.NewAddresses(true), foureyes.Rules{}),
		Deposits: deposit.New(b.Pools(), b.clock, foureyes.Rules{}),
	})
	done, err := alone.Do(t.Context(), b.one, proposal.FundTrader, b.funding("5", "in"), "")
	testenv.Check(t, err == nil && done.Proposal == nil && done.Change.ID != 0, "%+v %v", done, err)
	b.has(t, b.account(), "105")
	// A correction never takes more than there is.
	tooMuch := proposal.Payload{
		From: new(b.account().ID()), To: new(ledger.Available(ledger.Cashbox, b.merchant.CashboxID).ID()),
		Amount: "105.00000001", Reference: "c", Reason: "Mistake",
	}
	dbtest.WantCode(t, testenv.ErrOf(alone.Do(t.Context(), b.one, proposal.Correct, tooMuch, "")), "insufficient_account_balance")
	tooMuch.Amount = "105"
	testenv.Must(alone.Do(t.Context(), b.one, proposal.Correct, tooMuch, ""))(t)
	b.has(t, b.account(), "0")
	b.has(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID), "155")
	if err := db.InTx(t.Context(), b.Pool, func(_ pgx.Tx, q *db.Queries) error {
		_, err := q.CorrectionByReference(t.Context(), "c")
		return errors.Join(err)
	}); err != nil {
		t.Error(err)
	}
}
