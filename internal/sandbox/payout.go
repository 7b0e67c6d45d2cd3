package sandbox

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
)

const (
	// payoutMarkup is on every payout of a cashbox.
	payoutMarkup   = "2"
	payoutValidity = 24 * time.Hour
)

// payoutMethods are what RUB cashboxes pay out by, and every trader can.
var payoutMethods = []string{"sbp", "c2c"}

const payoutCurrency = "RUB"

// payouts lets a cashbox pay out, if its currency has payouts.
func (s *seeder) payouts(ctx context.Context, cashboxID int64, currency string) error {
	if currency != payoutCurrency {
		return nil
	}
	for _, method := range payoutMethods {
		err := s.q.CashboxPayoutMethodSet(ctx, db.CashboxPayoutMethodSetParams{
			CashboxID: cashboxID, Method: method, Enabled: true, MarkupPercent: decimal.RequireFromString(payoutMarkup),
			ValiditySeconds: int32(payoutValidity / time.Second),
		})
		if err != nil {
			return fmt.Errorf("seed payout method: %w", err)
		}
	}
	return nil
}

func (s *seeder) traderPayouts(ctx context.Context, traderIDs []int64) error {
	for _, id := range traderIDs {
		for _, method := range payoutMethods {
			err := s.q.TraderPayoutMethodSet(ctx, db.TraderPayoutMethodSetParams{
				TraderID: id, Currency: payoutCurrency, Method: method, Enabled: true,
			})
			if err != nil {
				return fmt.Errorf("seed trader's payouts: %w", err)
			}
		}
	}
	return nil
}
