package rate_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/rate"
)

// Reckoned by hand; frozen is rounded up, spot and the trader's share down.
func TestQuotePayout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ fiat, base, markup, share, spot, frozen, trader, platform string }{
		// 1000 / 92.5 = 10.810810810…; × 1.02 = 11.027027027…; 1.5% of spot 0.16216216.
		{"1000", "92.5", "2", "1.5", "10.81081081", "11.02702703", "10.97297297", "0.05405406"},
		// Nothing to round.
		{"1000", "100", "2", "1", "10", "10.2", "10.1", "0.1"},
		// Without a markup only the rounding is left, and it is the platform's or the trader's,
		// never lost.
		{"1000", "92.5", "0", "0", "10.81081081", "10.81081082", "10.81081081", "0.00000001"},
		{"1000", "92.5", "0", "100", "10.81081081", "10.81081082", "10.81081082", "0"},
		// A share above the markup is the whole markup.
		{"1000", "100", "2", "5", "10", "10.2", "10.2", "0"},
		// Less than the last decimal is still paid for.
		{"1", "999999999999", "0", "1", "0", "0.00000001", "0", "0.00000001"},
	} {
		number := decimal.RequireFromString
		q := rate.QuotePayout(number(c.fiat), number(c.base), number(c.markup))
		trader, platform := q.Divide(number(c.share))
		for name, pair := range map[string][2]decimal.Decimal{
			"spot": {q.Spot, number(c.spot)}, "frozen": {q.Frozen, number(c.frozen)},
			"trader": {trader, number(c.trader)}, "platform": {platform, number(c.platform)},
		} {
			if !pair[0].Equal(pair[1]) {
				t.Errorf("%s at %s + %s%%: %s is %s, want %s", c.fiat, c.base, c.markup, name, pair[0], pair[1])
			}
		}
	}
}
