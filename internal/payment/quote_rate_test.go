package payment_test

import (
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
)

// The sum of a payment that is not made is the sum of one that is: 1000/100 = 10, and with a markup of 6.5 %
// the merchant gets 1000/106.5 = 9.389671361…; of the difference, 0.61032864, the trader keeps
// 10 × 1.5 % = 0.15.
func TestQuoteRate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := caller.Caller{Kind: caller.Operator, Role: caller.Auditor, ID: 1}
	question := payment.RateQuestion{Currency: "RUB", Amount: "1000", Markup: "6.5", TraderShare: "1.5"}
	answer, err := b.payments.QuoteRate(t.Context(), operator, question)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, step := range answer.Steps {
		got[step.Name] = step.Value
	}
	for name, value := range map[string]string{
		"baseRate": "100.00", "markupPercent": "6.5", "spot": "10.00000000", "amountUsdt": "9.38967136",
		"profitUsdt": "0.61032864", "traderShare": "0.15000000", "spreadTraderUsdt": "0.15000000",
		"spreadPlatformUsdt": "0.46032864", "hold": "9.85000000",
	} {
		if got[name] != value {
			t.Errorf("%s is %s, want %s", name, got[name], value)
		}
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
	if _, err := b.payments.QuoteRate(
		t.Context(),
		operator,
		payment.RateQuestion{Currency: "KZT", Amount: "1000"},
	); err == nil {
		t.Error("a currency without a rate is quoted")
	}
	if _, err := b.payments.QuoteRate(
		t.Context(),
		caller.Caller{Kind: caller.Trader, Role: caller.Owner},
		question,
	); err == nil {
		t.Error("a trader is told the sum")
	}
}
