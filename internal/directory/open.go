package directory

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/optional"
)

// Whose says whose payments or payouts are counted. A zero field does not
// filter.
type Whose struct{ MerchantID, CashboxID, TraderID, RequisiteID int64 }

// OpenMost is the number at which counting open payments and payouts stops.
const OpenMost = 100

// OpenPayouts counts, for an operator, a merchant's payouts that have not
// ended, or those that a trader is processing. It stops at OpenMost.
func (s *Settings) OpenPayouts(ctx context.Context, who caller.Caller, of Whose) (int, error) {
	return s.open(ctx, who, func(q *db.Queries) (int32, error) {
		return q.PayoutOpenCount(ctx, db.PayoutOpenCountParams{
			MerchantID: optional.Of(of.MerchantID), TraderID: optional.Of(of.TraderID), Most: OpenMost,
		})
	})
}

// OpenPayments counts pending payments for an operator. It stops at OpenMost.
func (s *Settings) OpenPayments(ctx context.Context, who caller.Caller, of Whose) (int, error) {
	return s.open(ctx, who, func(q *db.Queries) (int32, error) {
		return q.PaymentOpenCount(ctx, db.PaymentOpenCountParams{
			MerchantID: optional.Of(of.MerchantID), CashboxID: optional.Of(of.CashboxID), TraderID: optional.Of(of.TraderID),
			RequisiteID: optional.Of(of.RequisiteID), Most: OpenMost,
		})
	})
}

// open counts for an operator under the time limit of a list: beyond it the
// answer is fault.ErrBusy. The query itself stops at OpenMost.
func (s *Settings) open(ctx context.Context, who caller.Caller, count func(q *db.Queries) (int32, error)) (int, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return 0, err
	}
	counts, err := db.List(ctx, s.reads, func(q *db.Queries) ([]int32, error) {
		n, err := count(q)
		return []int32{n}, err
	})
	if err != nil {
		return 0, fmt.Errorf("count what is open: %w", err)
	}
	return int(counts[0]), nil
}
