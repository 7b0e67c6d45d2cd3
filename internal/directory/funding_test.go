package directory_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

func (b *bundle) wantTrader(t *testing.T, usdt string) {
	t.Helper()
	b.WantHas(t, map[ledger.Account]string{ledger.Available(ledger.Trader, b.trader.ID): usdt})
}

// funding is money to the trader or from them.
func (b *bundle) funding(amount, reference string) directory.Funding {
	return directory.Funding{TraderID: b.trader.ID, Amount: amount, Reference: reference}
}

func TestFundAndWithdraw(t *testing.T) {
	b := setup(t)
	fund, withdraw := b.settings.FundTrader, b.settings.WithdrawTrader
	in, out := b.funding("100.12345678", " tx-1 "), b.funding("0.12345678", "tx-2")
	c, err := fund(ctx, operator, in)
	wantChange(t, c, err, "trader_funding", c.SubjectKey, "amount", "new", 100.12345678)
	testenv.Want(t, value(t, c.After, "trader_id"), any(float64(b.trader.ID)), "kept trader")
	testenv.Want(t, value(t, c.After, "reference"), any("tx-1"), "kept reference")
	b.wantTrader(t, "100.12345678")
	taken, err := withdraw(ctx, operator, out)
	wantChange(t, taken, err, "trader_funding", taken.SubjectKey, "amount", "new", -0.12345678)
	b.wantTrader(t, "100")

	// Repeats answer with what was done, however the number is written, and
	// move nothing.
	again := testenv.Must(fund(ctx, operator, b.funding("0100.12345678", "tx-1")))(t)
	testenv.Check(t, again.ID == c.ID && string(again.After) == string(c.After), "again: %+v", again)
	testenv.Want(t, testenv.Must(withdraw(ctx, operator, out))(t).ID, taken.ID, "again")
	b.wantTrader(t, "100")

	// Another movement under the same reference: amount, trader, direction.
	another := in
	another.TraderID = b.NewTrader(t, dbtest.TraderOpts{}).ID
	for _, err := range []error{
		testenv.ErrOf(fund(ctx, operator, b.funding("100.12345679", "tx-1"))), testenv.ErrOf(fund(ctx, operator, another)),
		testenv.ErrOf(withdraw(ctx, operator, in)),
	} {
		dbtest.WantRefusal(t, err, fault.Conflict, "idempotency_key_conflict")
	}
	b.wantTrader(t, "100")
}

func TestWithdrawTooMuch(t *testing.T) {
	b := setup(t)
	take := func(amount, reference string) error {
		return testenv.ErrOf(b.settings.WithdrawTrader(ctx, operator, b.funding(amount, reference)))
	}
	b.Fund(t, ledger.Available(ledger.Trader, b.trader.ID), "10")
	dbtest.WantRefusal(t, take("10.00000001", "tx"), fault.Refused, "insufficient_trader_balance")
	b.wantTrader(t, "10")
	testenv.NoError(t, take("10", "tx")) // the refusal left the reference free
	b.wantTrader(t, "0")
	// What is held for payments is not theirs to take.
	b.Fund(t, ledger.Reserved(ledger.Trader, b.trader.ID), "5")
	dbtest.WantCode(t, take("1", "held"), "insufficient_trader_balance")
}

func TestWrongFunding(t *testing.T) {
	b := setup(t)
	fund := func(n directory.Funding) error { return testenv.ErrOf(b.settings.FundTrader(ctx, operator, n)) }
	for _, wrong := range []string{"", "0", "0.00000000", "-1", "+1", "1e3", "x", "NaN", "1.000000001", "1000000000000"} {
		dbtest.WantFields(t, fund(b.funding(wrong, "tx")), "amount")
		dbtest.WantFields(t, testenv.ErrOf(b.settings.WithdrawTrader(ctx, operator, b.funding(wrong, ""))), "amount", "reference")
	}
	dbtest.WantFields(t, fund(b.funding("1", strings.Repeat("x", 256))), "reference")
	for _, unknown := range []int64{0, -1, 1 << 40} {
		dbtest.WantCode(t, fund(directory.Funding{TraderID: unknown, Amount: "1", Reference: "tx"}), "not_found")
	}
	b.wantTrader(t, "0")
	// The largest there is.
	testenv.NoError(t, fund(b.funding("999999999999.99999999", strings.Repeat("ж", 255))))
	b.wantTrader(t, "999999999999.99999999")
}

// A double click, from several hands at once: one moves, all are told the same.
func TestParallelFunding(t *testing.T) {
	b := setup(t)
	answers := make([]directory.Change, 10)
	testenv.NoError(t, testenv.AtOnce(len(answers), func(i int) (err error) {
		answers[i], err = b.settings.FundTrader(ctx, operator, b.funding("7", "tx"))
		return err
	})...)
	for _, c := range answers {
		testenv.Want(t, c.ID, answers[0].ID, "the change")
	}
	b.wantTrader(t, "7")
}

// Of withdrawals at once that together are too much, as many get through as
// there is money for.
func TestParallelWithdrawals(t *testing.T) {
	b := setup(t)
	b.Fund(t, ledger.Available(ledger.Trader, b.trader.ID), "35")
	taken := 0
	for _, err := range testenv.AtOnce(10, func(i int) error {
		return testenv.ErrOf(b.settings.WithdrawTrader(ctx, operator, b.funding("10", "tx-"+strconv.Itoa(i))))
	}) {
		if err == nil {
			taken++
		} else {
			dbtest.WantCode(t, err, "insufficient_trader_balance")
		}
	}
	testenv.Want(t, taken, 3, "got through")
	b.wantTrader(t, "5")
}

func (b *bundle) bridge(t *testing.T) {
	t.Helper()
	b.Exec(t, "update cashbox set trader_cashbox_id = $1 where id = $2", b.NewTrader(t, dbtest.TraderOpts{}).ID, b.merchant.CashboxID)
}

// balance is total, available, reserved and insurance, as the merchant reads
// them.
func (b *bundle) balance(t *testing.T) string {
	t.Helper()
	held := b.held(t)
	return fmt.Sprint(held.Total, " ", held.Available, " ", held.Reserved, " ", held.Insurance)
}

func (b *bundle) held(t *testing.T) deposit.Balance {
	t.Helper()
	held := testenv.Must(deposit.New(b.Pools(), &dbtest.Clock{}, foureyes.Rules{}).
		Balance(ctx, b.merchant.Caller, b.merchant.CashboxID))(t)
	return held
}

func TestInsurance(t *testing.T) {
	b := setup(t)
	b.bridge(t)
	b.Fund(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID), "100")
	key := strconv.FormatInt(b.merchant.CashboxID, 10)
	set := func(amount string) (directory.Change, error) {
		return b.settings.SetInsurance(ctx, operator, b.merchant.CashboxID, amount)
	}
	for _, c := range []struct {
		amount, balance string
		before, after   float64
	}{
		{"30", "100 70 30 30", 0, 30}, {"100", "100 0 100 100", 30, 100}, {"100", "100 0 100 100", 100, 100},
		{"12.5", "100 87.5 12.5 12.5", 100, 12.5}, {"0", "100 100 0 0", 12.5, 0},
	} {
		change, err := set(c.amount)
		if c.before == c.after {
			testenv.Check(t, err == nil && change.ID == 0, "unchanged: %+v (%v)", change, err)
		} else {
			wantChange(t, change, err, "cashbox", key, "insurance_usdt", c.before, c.after)
		}
		testenv.Want(t, b.balance(t), c.balance, "insured for %s", c.amount)
		b.Audit(t)
	}
	dbtest.WantCode(t, testenv.ErrOf(set("100.00000001")), "insufficient_cashbox_balance")
	for _, wrong := range []string{"", "-1", "x", "1.000000001", "1000000000000"} {
		dbtest.WantFields(t, testenv.ErrOf(set(wrong)), "amount")
	}
	dbtest.WantCode(t, testenv.ErrOf(b.settings.SetInsurance(ctx, operator, 1<<50, "1")), "not_found")
	testenv.Want(t, b.balance(t), "100 100 0 0", "the balance after refusals")
}

// Operators who set it at the same time come one after the other: the last sum
// stands, and nothing is lost.
func TestParallelInsurance(t *testing.T) {
	b := setup(t)
	b.bridge(t)
	b.Fund(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID), "100")
	testenv.NoError(t, testenv.AtOnce(10, func(i int) error {
		return testenv.ErrOf(b.settings.SetInsurance(ctx, operator, b.merchant.CashboxID, strconv.Itoa(10*i)))
	})...)
	held := b.held(t)
	testenv.Check(t, held.Total.Equal(decimal.NewFromInt(100)) && held.Reserved.Equal(held.Insurance), "%+v", held)
	b.Audit(t)
}

func TestPayoutSettings(t *testing.T) {
	b := setup(t)
	trader := b.NewTrader(t, dbtest.TraderOpts{})
	box := strconv.FormatInt(b.merchant.CashboxID, 10)
	method := directory.CashboxPayoutMethod{
		CashboxID: b.merchant.CashboxID, Name: "sbp", Enabled: true, MarkupPercent: "2.5",
	}
	made(logged(b.settings.SetPayoutMethod(ctx, operator, method)))(t, "cashbox_payout_method", box+"/sbp", "validity_seconds", "new", 86400.0)
	method.MarkupPercent, method.ValiditySeconds = "0", 604_800
	made(logged(b.settings.SetPayoutMethod(ctx, operator, method)))(t, "cashbox_payout_method", box+"/sbp", "markup_percent", 2.5, 0.0)
	for wrong, m := range map[string]directory.CashboxPayoutMethod{
		"method":          {CashboxID: b.merchant.CashboxID, Name: "sim", MarkupPercent: "1"},
		"markupPercent":   {CashboxID: b.merchant.CashboxID, Name: "sbp", MarkupPercent: "101"},
		"validitySeconds": {CashboxID: b.merchant.CashboxID, Name: "sbp", MarkupPercent: "1", ValiditySeconds: 604_801},
	} {
		dbtest.WantFields(t, testenv.ErrOf(b.settings.SetPayoutMethod(ctx, operator, m)), wrong)
	}
	dbtest.WantFields(t, testenv.ErrOf(b.settings.SetPayoutMethod(ctx, operator,
		directory.CashboxPayoutMethod{CashboxID: b.merchant.CashboxID, Name: "sbp"})), "markupPercent")
	dbtest.WantCode(t, testenv.ErrOf(b.settings.SetPayoutMethod(ctx, operator,
		directory.CashboxPayoutMethod{CashboxID: 1 << 50, Name: "sbp", MarkupPercent: "1"})), "not_found")

	can, key := directory.TraderPayoutMethod{TraderID: trader.ID, Currency: "RUB", Method: "c2c"}, fmt.Sprintf("%d/RUB/c2c", trader.ID)
	before := any("new")
	for _, can.Enabled = range []bool{true, false} {
		made(logged(b.settings.SetTraderPayoutMethod(ctx, operator, can)))(t, "trader_payout_method", key, "enabled", before, can.Enabled)
		before = can.Enabled
	}
	dbtest.WantFields(t, testenv.ErrOf(b.settings.SetTraderPayoutMethod(ctx, operator,
		directory.TraderPayoutMethod{TraderID: trader.ID, Currency: "AZN", Method: "c2c"})), "method")
	dbtest.WantCode(t, testenv.ErrOf(b.settings.SetTraderPayoutMethod(ctx, operator,
		directory.TraderPayoutMethod{TraderID: 1 << 50, Currency: "RUB", Method: "c2c"})), "not_found")
}
