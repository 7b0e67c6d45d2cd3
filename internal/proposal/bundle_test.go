package proposal_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle has a trader with 100 USDT, a cashbox with 50, and two operators who may approve each other's
// proposals. One alone may move 10 USDT, and set a rate within 5%.
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
	b.proposals = proposal.New(d.Pools(), b.clock, dbtest.Vault(), proposal.Rooms{
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
	testenv.Want(t, b.Balance(t, a).String(), usdt, "%s %d has", a.Owner, a.OwnerID)
	b.Audit(t)
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
