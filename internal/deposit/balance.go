package deposit

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

var errNoBridge = fault.New(fault.Refused, "cashbox_without_trader_bridge", "The cashbox is bridged to no trader's cashbox.")

// Balance is what a cashbox holds, in USDT with 8 decimals.
type Balance struct {
	CashboxID, TraderCashboxID int64
	// Total is Available and Reserved; Insurance is a part of Reserved.
	Total, Available, Reserved, Insurance decimal.Decimal
}

// Balance reads what a cashbox of the merchant holds, in one snapshot. Every
// key of the merchant may read it.
func (s *Service) Balance(ctx context.Context, who caller.Caller, id int64) (Balance, error) {
	if err := who.NeedMerchant(""); err != nil {
		return Balance{}, err
	}
	row, err := s.q.CashboxBalance(ctx, balanceOf(id))
	switch {
	case db.NoRows(err):
		return Balance{}, fault.ErrNotFound
	case err != nil:
		return Balance{}, fmt.Errorf("read balance: %w", err)
	case row.MerchantID != who.MerchantID:
		return Balance{}, fault.ErrCashboxAccessDenied
	case row.TraderCashboxID == nil:
		return Balance{}, errNoBridge
	}
	b := balanceFromRow(id, row)
	b.TraderCashboxID = *row.TraderCashboxID
	return b, nil
}
