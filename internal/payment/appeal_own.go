package payment

import (
	"context"
	"fmt"
	"slices"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// OwnAppeals asks for part of the list of a merchant's appeals, the newest first.
type OwnAppeals struct {
	Page
	// CashboxID keeps to the payments of a cashbox; nil is any.
	CashboxID *int64
}

// ListOwnAppeals lists the appeals of the caller's merchant to a user of its portal. The cursor is
// nil on the last page.
func (s *Service) ListOwnAppeals(
	ctx context.Context, who caller.Caller, page OwnAppeals,
) ([]AppealRecord, *string, error) {
	if err := who.Need(caller.MerchantRead); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	limit, before := page.Bounds(f)
	f.Check(page.Status == nil || slices.Contains(appealStatuses, *page.Status), "status",
		"must be open, in_review, completed, failed or closed")
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.AppealListOwnRow, error) {
		return q.AppealListOwn(ctx, db.AppealListOwnParams{
			MerchantID: who.MerchantID,
			BeforeID:   before,
			Status:     page.Status,
			CashboxID:  page.CashboxID,
			Page:       limit + 1,
		})
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list the merchant's appeals: %w", err)
	}
	rows, cursor := db.Cut(rows, limit, func(row db.AppealListOwnRow) int64 { return row.Appeal.ID })
	list := make([]AppealRecord, 0, len(rows))
	for _, row := range rows {
		list = append(list, appealFromRows(row.Appeal, row.Payment))
	}
	return list, cursor, nil
}

// GetAppeal reads one of the appeals of the caller's merchant, for a user of its portal.
func (s *Service) GetAppeal(ctx context.Context, who caller.Caller, id int64) (AppealRecord, error) {
	if err := who.Need(caller.MerchantRead); err != nil {
		return AppealRecord{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return AppealRecord{}, err
	}
	row, err := s.q.AppealGet(ctx, db.AppealGetParams{MerchantID: who.MerchantID, ID: id})
	if db.NoRows(err) {
		return AppealRecord{}, fault.ErrNotFound
	}
	if err != nil {
		return AppealRecord{}, fmt.Errorf("read appeal: %w", err)
	}
	return appealFromRows(row.Appeal, row.Payment), nil
}

// AppealOf is the id of a payment's appeal, for a user of the merchant's portal; 0 is none.
func (s *Service) AppealOf(ctx context.Context, who caller.Caller, paymentID int64) (int64, error) {
	if err := who.Need(caller.MerchantRead); err != nil {
		return 0, err
	}
	id, err := s.q.AppealOfPayment(ctx, db.AppealOfPaymentParams{MerchantID: who.MerchantID, PaymentID: paymentID})
	if db.IgnoreNoRows(err) != nil {
		return 0, fmt.Errorf("look for an appeal: %w", err)
	}
	return id, nil
}
