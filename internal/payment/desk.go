package payment

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// MaxDesk is how many open payments a trader is shown, and where counting
// stops.
const MaxDesk = 200

// DeskPayment is an open payment as its trader sees it.
type DeskPayment struct {
	Payment
	// Receipts is how many receipts the payer has sent.
	Receipts int
	// Fits says that a free arrival has exactly the missing amount.
	Fits bool
}

// Desk lists the open payments of the caller's trader, those that expire first
// before the others, at most MaxDesk.
func (s *Service) Desk(ctx context.Context, who caller.Caller) ([]DeskPayment, error) {
	if err := who.Admit(ctx, caller.TraderRead); err != nil {
		return nil, err
	}
	list, err := db.List(ctx, s.reads, func(q *db.Queries) ([]DeskPayment, error) {
		rows, err := q.PaymentDesk(ctx, db.PaymentDeskParams{TraderID: who.TraderID, Page: MaxDesk})
		if err != nil {
			return nil, err
		}
		list := db.Each(rows, func(row db.PaymentDeskRow) DeskPayment {
			return DeskPayment{Payment: s.FromRow(row.Payment), Receipts: int(row.Receipts)}
		})
		return list, fits(ctx, q, list)
	})
	return list, fault.Doing("list open payments", err)
}

// DeskCount counts the open payments of the caller's trader, and stops at most.
func (s *Service) DeskCount(ctx context.Context, who caller.Caller, most int32) (int, error) {
	if err := who.Admit(ctx, caller.TraderRead); err != nil {
		return 0, err
	}
	count, err := s.q.PaymentDeskCount(ctx, db.PaymentDeskCountParams{TraderID: who.TraderID, Most: most})
	return int(count), fault.Doing("count open payments", err)
}
