package report

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Cashbox is a merchant's cashbox with its name.
type Cashbox struct {
	ID             int64
	Name, Currency string
}

// Cashboxes lists the cashboxes of the caller's merchant.
func (s *Service) Cashboxes(ctx context.Context, who caller.Caller) ([]Cashbox, error) {
	if err := who.Admit(ctx, caller.MerchantRead); err != nil {
		return nil, err
	}
	rows, err := s.q.CashboxesOf(ctx, who.MerchantID)
	return db.Each(rows, func(row db.CashboxesOfRow) Cashbox { return Cashbox(row) }), fault.Doing("list cashboxes", err)
}
