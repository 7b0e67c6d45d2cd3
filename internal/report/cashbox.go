package report

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
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
	if err != nil {
		return nil, fmt.Errorf("list cashboxes: %w", err)
	}
	return db.Each(rows, func(row db.CashboxesOfRow) Cashbox { return Cashbox(row) }), nil
}
