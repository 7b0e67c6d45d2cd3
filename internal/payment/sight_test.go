package payment_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
)

// Cabinet users and traders see neither what the platform earns nor what it could be calculated
// from; a trader gets no link to the payer's page; and before there is a fresh rate nobody sees
// what was calculated at an old one.
func TestSeen(t *testing.T) {
	t.Parallel()
	one := decimal.NewFromInt(1)
	known := payment.Payment{
		AmountUSDT:         one,
		SpreadTraderUSDT:   one,
		SpreadPlatformUSDT: one,
		ProfitUSDT:         one,
		BaseRate:           one,
		MarkupPercent:      one,
	}
	unknown := known
	unknown.RateUnavailable = true
	for kind, want := range map[caller.Kind]struct{ all, link bool }{
		caller.MerchantKey: {true, true}, caller.MerchantPortal: {true, true}, caller.Operator: {true, true}, caller.Application: {true, true},
		caller.Cabinet: {false, true}, caller.Trader: {false, false},
	} {
		who := caller.Caller{Kind: kind, ID: 1}
		seen := known.Seen(who)
		if seen.Link != want.link || seen.Restricted == want.all || seen.Amount == nil || seen.SpreadTrader == nil {
			t.Errorf("%s: %+v", kind, seen)
		}
		for name, number := range map[string]*decimal.Decimal{
			"platform's part": seen.SpreadPlatform, "profit": seen.Profit, "base rate": seen.BaseRate, "markup": seen.Markup,
		} {
			if (number != nil) != want.all {
				t.Errorf("%s sees the %s: %t", kind, name, number != nil)
			}
		}
		late := unknown.Seen(who)
		if late.Amount != nil || late.SpreadTrader != nil || late.SpreadPlatform != nil || late.Profit != nil ||
			late.BaseRate != nil ||
			(late.Markup != nil) != want.all {
			t.Errorf("%s, without a rate: %+v", kind, late)
		}
	}
}
