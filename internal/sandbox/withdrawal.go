package sandbox

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
)

// withdrawals lets everybody try withdrawals at once, on two networks and to
// addresses that may already be used. The addresses belong to no wallet.
func (s *seeder) withdrawals(ctx context.Context, merchantIDs, traderIDs []int64) error {
	for network, fee := range map[string]string{"TRC20": "1.50", "ERC20": "4"} {
		err := s.q.WithdrawalTermsSet(ctx, db.WithdrawalTermsSetParams{
			Network: network, Enabled: true, Fee: decimal.RequireFromString(fee), MinAmount: decimal.NewFromInt(10),
			DailyAmount: decimal.NewFromInt(withdrawalsDaily),
		})
		if err != nil {
			return fmt.Errorf("seed terms of withdrawals: %w", err)
		}
	}
	for kind, ids := range map[string][]int64{"merchant": merchantIDs, "trader": traderIDs} {
		for _, id := range ids {
			_, err := s.q.WithdrawalAddressInsert(ctx, db.WithdrawalAddressInsertParams{
				OwnerKind: kind, OwnerID: id, Network: "TRC20", Address: "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm", Label: "Cold wallet",
				AddedBy: "sandbox", AddedAt: s.now, UsableAt: s.now,
			})
			if err != nil {
				return fmt.Errorf("seed an address book: %w", err)
			}
		}
	}
	return nil
}

// withdrawalsDaily is how much may be withdrawn on a network in a day.
const withdrawalsDaily = 50_000
