package directory

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
)

// OwnCashbox is a cashbox as its merchant sees it.
type OwnCashbox struct {
	ID       int64
	Name     string
	Currency string
	// Collects says that it takes payments, Signs that its webhooks are
	// signed.
	Collects, Signs bool
}

// ownCashboxes is more cashboxes than any merchant has.
const ownCashboxes = 1000

// OwnCashboxes lists the cashboxes of the calling user's merchant, the oldest
// first.
func (s *Settings) OwnCashboxes(ctx context.Context, who caller.Caller) ([]OwnCashbox, error) {
	if err := who.Admit(ctx, caller.MerchantRead); err != nil {
		return nil, err
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.CashboxesOwnRow, error) {
		return q.CashboxesOwn(ctx, db.CashboxesOwnParams{MerchantID: who.MerchantID, Most: ownCashboxes})
	})
	if err != nil {
		return nil, fmt.Errorf("list cashboxes: %w", err)
	}
	return db.Each(rows, func(row db.CashboxesOwnRow) OwnCashbox {
		return OwnCashbox{
			ID: row.ID, Name: row.Name, Currency: row.Currency, Collects: row.CollectEnabled, Signs: row.Signs,
		}
	}), nil
}
