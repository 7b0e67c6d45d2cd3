package payment_test

import (
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// explained is the sum of a payment as operators are told it, a step a line.
func (b *bundle) explained(t *testing.T, id int64) ([]string, payment.RateAnswer) {
	t.Helper()
	answer := must(b.payments.ExplainRate(t.Context(), operator, id))(t)
	var lines []string
	for _, step := range answer.Steps {
		lines = append(lines, step.Name+" "+step.Value+": "+step.Formula)
	}
	return lines, answer
}

func (b *bundle) wantSum(t *testing.T, id int64, want string) payment.RateAnswer {
	t.Helper()
	lines, answer := b.explained(t, id)
	testenv.Want(t, strings.Join(lines, "\n"), want, "the sum")
	return answer
}

// 1000/92.35 = 10.828370330…; 92.35 × 1.065 = 98.35275, 1000/98.35275 = 10.167483878…; the
// difference is 0.66088646;
// 10.82837033 × 1.5% = 0.16242555495; the rest of the spread is 0.49846091; 10.82837033 − 0.16242555 = 10.66594478.
func TestExplainRate(t *testing.T) {
	b := setup(t)
	b.SetRate(t, "RUB", "92.35", true)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{Margin: percent("6.5")})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100", SharePercent: "1.5", Requisites: 1})
	id := b.create(t, merchant.Caller, request("order-1")).ID
	answer := b.wantSum(t, id, `baseRate 92.35: fiat per USDT, from test
markupPercent 6.5: percent of the base rate, from cashbox_method
spot 10.82837033: amount / baseRate, rounded down = 1000.00 / 92.35
amountUsdt 10.16748387: amount / (baseRate × (1 + markupPercent / 100)), rounded down = 1000.00 / (92.35 × (1 + 6.5 / 100))
profitUsdt 0.66088646: spot − amountUsdt = 10.82837033 − 10.16748387
traderShare 0.16242555: spot × traderSharePercent / 100, rounded down = 10.82837033 × 1.5 / 100
spreadTraderUsdt 0.16242555: min(profitUsdt, traderShare) = min(0.66088646, 0.16242555)
spreadPlatformUsdt 0.49846091: profitUsdt − spreadTraderUsdt = 0.66088646 − 0.16242555
hold 10.66594478: spot − spreadTraderUsdt = 10.82837033 − 0.16242555`)
	if answer.PaymentID != id || answer.MarkupSource != "cashbox_method" || answer.RateSource != "test" ||
		!answer.RateObservedAt.Equal(dbtest.Start) {
		t.Errorf("%+v", answer)
	}
	for _, unknown := range []int64{0, -1, id + 1} {
		wantCode(t, errOf(b.payments.ExplainRate(t.Context(), operator, unknown)), "not_found")
	}
}

// The sum is the stored one: a later rate, margin or share changes nothing of it. 1000/100 = 10 and
// 1000/200 = 5; 60% of 10 is more than the spread of 5, so the trader gets all of that.
func TestExplainRateIsOfThePaymentsOwnTime(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{Margin: percent("1")})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100", SharePercent: "60", Requisites: 1})
	r := request("order-1")
	r.RatePercent = new("100")
	id := b.create(t, merchant.Caller, r).ID
	b.SetRate(t, "RUB", "80", true)
	b.Exec(t, "update trader set share_percent = 1")
	b.Exec(t, "update cashbox_method set margin_percent = 2")
	b.wantSum(t, id, `baseRate 100.00: fiat per USDT, from test
markupPercent 100: percent of the base rate, from body
spot 10.00000000: amount / baseRate, rounded down = 1000.00 / 100.00
amountUsdt 5.00000000: amount / (baseRate × (1 + markupPercent / 100)), rounded down = 1000.00 / (100.00 × (1 + 100 / 100))
profitUsdt 5.00000000: spot − amountUsdt = 10.00000000 − 5.00000000
traderShare 6.00000000: spot × traderSharePercent / 100, rounded down = 10.00000000 × 60 / 100
spreadTraderUsdt 5.00000000: min(profitUsdt, traderShare) = min(5.00000000, 6.00000000)
spreadPlatformUsdt 0.00000000: profitUsdt − spreadTraderUsdt = 5.00000000 − 5.00000000
hold 5.00000000: spot − spreadTraderUsdt = 10.00000000 − 5.00000000`)
}

// While no rate is fresh the sum is the hold's, at 100: 10 − 0.2. Settled at 80 it is another, and
// the hold, 9.8 and not
// 12.5 − 0.25, is explained as what it was.
func TestExplainRateUnavailable(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	b.SetRate(t, "RUB", "100", false)
	id := b.create(t, merchant.Caller, request("order-1")).ID
	first, _ := b.explained(t, id)
	testenv.Want(
		t,
		first[0],
		"baseRate 100.00: fiat per USDT, the last known from test: no rate is fresh, so this sum "+
			"gives the hold only, and is made again at the first fresh rate",
		"the rate",
	)
	testenv.Want(t, first[8], "hold 9.80000000: spot − spreadTraderUsdt = 10.00000000 − 0.20000000", "the hold")
	b.set(t, id, "completed")
	b.SetRate(t, "RUB", "80", true)
	b.wantSettled(t, 1)
	settled, _ := b.explained(t, id)
	testenv.Want(t, settled[0], "baseRate 80.00: fiat per USDT, from test", "the rate")
	testenv.Want(t, settled[2], "spot 12.50000000: amount / baseRate, rounded down = 1000.00 / 80.00", "spot")
	testenv.Want(
		t,
		settled[8],
		"hold 9.80000000: held at creation at the rate last known then, before the settlement at "+
			"the base rate above",
		"the hold",
	)
}

// The sum of a payment that is not made is the sum of one that is: 1000/100 = 10, and with a markup of 6.5 % the
// merchant gets 1000/106.5 = 9.389671361…; of the difference, 0.61032864, the trader keeps 10 × 1.5 % = 0.15.
func TestQuoteRate(t *testing.T) {
	b := setup(t)
	operator := caller.Caller{Kind: caller.Operator, Role: caller.Auditor, ID: 1}
	question := payment.RateQuestion{Currency: "RUB", Amount: "1000", Markup: "6.5", TraderShare: "1.5"}
	answer := must(b.payments.QuoteRate(t.Context(), operator, question))(t)
	got := map[string]string{}
	for _, step := range answer.Steps {
		got[step.Name] = step.Value
	}
	for name, value := range map[string]string{
		"baseRate": "100.00", "markupPercent": "6.5", "spot": "10.00000000", "amountUsdt": "9.38967136",
		"profitUsdt": "0.61032864", "traderShare": "0.15000000", "spreadTraderUsdt": "0.15000000",
		"spreadPlatformUsdt": "0.46032864", "hold": "9.85000000",
	} {
		testenv.Want(t, got[name], value, "%s is", name)
	}
	for field, wrong := range map[string]payment.RateQuestion{
		"amount":      {Currency: "RUB", Amount: "0.99"},
		"currency":    {Currency: "XXX", Amount: "1000"},
		"markup":      {Currency: "RUB", Amount: "1000", Markup: "101"},
		"traderShare": {Currency: "RUB", Amount: "1000", TraderShare: "-1"},
	} {
		_, err := b.payments.QuoteRate(t.Context(), operator, wrong)
		if f := fault.As(err); f == nil || len(f.Fields[field]) == 0 {
			t.Errorf("a wrong %s: %v", field, err)
		}
	}
	if errOf(
		b.payments.QuoteRate(t.Context(), operator, payment.RateQuestion{Currency: "KZT", Amount: "1000"}),
	) == nil {
		t.Error("a currency without a rate is quoted")
	}
}
