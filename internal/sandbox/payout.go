package sandbox

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
)

// payoutMarkup is the markup of every payout.
const payoutMarkup = "2"

// payouts lets a cashbox pay out by all methods of its currency.
func (s *seeder) payouts(ctx context.Context, cashboxID int64, currency string) error {
	for _, m := range catalogue.Payouts(currency) {
		err := s.q.CashboxPayoutMethodSet(ctx, db.CashboxPayoutMethodSetParams{
			CashboxID: cashboxID, Method: m.Name, Enabled: true, MarkupPercent: decimal.RequireFromString(payoutMarkup),
			ValiditySeconds: int32(catalogue.PayoutValidity / time.Second),
		})
		if err != nil {
			return fmt.Errorf("seed payout method: %w", err)
		}
	}
	return nil
}

// traderPayouts lets every trader pay out by all methods.
func (s *seeder) traderPayouts(ctx context.Context, traderIDs []int64) error {
	for _, id := range traderIDs {
		for _, m := range catalogue.Methods {
			for _, currency := range m.Payouts {
				err := s.q.TraderPayoutMethodSet(ctx, db.TraderPayoutMethodSetParams{
					TraderID: id, Currency: currency, Method: m.Name, Enabled: true,
				})
				if err != nil {
					return fmt.Errorf("seed trader's payouts: %w", err)
				}
			}
		}
	}
	return nil
}
