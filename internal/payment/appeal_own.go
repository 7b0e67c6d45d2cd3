package payment

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// OwnAppeals asks for a page of a merchant's appeals, the newest first.
type OwnAppeals struct {
	Page
	// Statuses filters, together with Status; without both, every status is
	// listed.
	Statuses []string
	// CashboxID filters by cashbox; nil is any.
	CashboxID *int64
	// Backward asks for newer appeals than the cursor instead of older
	// ones.
	Backward bool
}

func (o OwnAppeals) statuses() []string {
	if o.Status == nil {
		return o.Statuses
	}
	return append(slices.Clone(o.Statuses), *o.Status)
}

// ListOwnAppeals lists the appeals of the caller's merchant for a user of its
// portal, the newest first in either direction. The cursor continues in the
// direction of the page; it is nil at the end.
func (s *Service) ListOwnAppeals(
	ctx context.Context, who caller.Caller, page OwnAppeals,
) ([]AppealRecord, *string, error) {
	if err := who.Need(caller.MerchantRead); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	statuses := page.statuses()
	for _, status := range statuses {
		f.Check(slices.Contains(appealStatuses, status), "status", "must be open, in_review, completed, failed or closed")
	}
	rows, cursor, err := db.ListPage(ctx, s.reads, f, page.Page.Page, "list the merchant's appeals",
		func(q *db.Queries, from int64, rows int32) ([]db.AppealListOwnRow, error) {
			return q.AppealListOwn(ctx, db.AppealListOwnParams{
				MerchantID: who.MerchantID, Backward: page.Backward, BeyondID: from, Statuses: statuses,
				CashboxID: page.CashboxID, Page: rows,
			})
		}, func(row db.AppealListOwnRow) int64 { return row.Appeal.ID })
	if page.Backward {
		slices.Reverse(rows)
	}
	list := db.Each(rows, func(row db.AppealListOwnRow) AppealRecord { return s.appealFromRows(row.Appeal, row.Payment) })
	return list, cursor, err
}

// GetAppeal reads an appeal of the caller's merchant for a user of its portal,
// or any for an operator.
func (s *Service) GetAppeal(ctx context.Context, who caller.Caller, id int64) (AppealRecord, error) {
	if err := who.Admit(ctx, caller.MerchantRead, caller.OperatorRead); err != nil {
		return AppealRecord{}, err
	}
	merchantID := who.MerchantID
	if who.Kind == caller.Operator {
		found, err := s.findAppeal(ctx, who, caller.OperatorRead, id)
		if err != nil {
			return AppealRecord{}, err
		}
		merchantID = found.MerchantID
	}
	row, err := s.q.AppealGet(ctx, db.AppealGetParams{MerchantID: merchantID, ID: id})
	if err != nil {
		return AppealRecord{}, db.Missing(err, fault.ErrNotFound, "read appeal")
	}
	return s.appealFromRows(row.Appeal, row.Payment), nil
}

// AppealOf returns the id of a payment's appeal, or 0 if there is none. It is
// for a user of the merchant's portal, for the trader to whom the payment is
// assigned, and for operators.
func (s *Service) AppealOf(ctx context.Context, who caller.Caller, paymentID int64) (int64, error) {
	if err := who.Need(caller.MerchantRead, caller.TraderRead, caller.OperatorRead); err != nil {
		return 0, err
	}
	merchantID := who.MerchantID
	if who.Kind != caller.MerchantPortal {
		p, err := s.Get(ctx, who, strconv.FormatInt(paymentID, 10))
		if err != nil {
			return 0, err
		}
		merchantID = p.MerchantID
	}
	id, err := s.q.AppealOfPayment(ctx, db.AppealOfPaymentParams{MerchantID: merchantID, PaymentID: paymentID})
	if db.IgnoreNoRows(err) != nil {
		return 0, fmt.Errorf("look for an appeal: %w", err)
	}
	return id, nil
}
