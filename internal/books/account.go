package books

import (
	"context"
	"fmt"
	"math"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/optional"
	"gateway.example/internal/report"
)

// AccountFilter selects the owners that a list shows.
type AccountFilter struct {
	// Limit is 1 to 100; 0 is 50. After is the id of the last available
	// account of the page before.
	Limit int
	After *int64
	// Owner selects a kind of owner: external, platform, cashbox or trader;
	// "" means all. OwnerID selects one owner of the kind.
	Owner   string
	OwnerID *int64
}

// Holding is the balances of one owner.
type Holding struct {
	// Account is the owner's available account.
	Account ledger.Account
	// Name is the name of a trader or cashbox, and Merchant the merchant of
	// a cashbox.
	Name, Merchant      string
	Available, Reserved decimal.Decimal
}

// Accounts lists owners with their balances, and the cursor of the next page,
// which is nil on the last page.
func (s *Service) Accounts(ctx context.Context, who caller.Caller, f AccountFilter) ([]Holding, *int64, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	found := fault.Decoded(ctx)
	f.Limit = report.Paging{Limit: f.Limit}.Size(found)
	_, known := ledger.OwnerNamed(f.Owner)
	found.Check(known || f.Owner == "", "owner", "must be external, platform, cashbox or trader")
	if err := found.Err(); err != nil {
		return nil, nil, err
	}
	params := db.AccountListParams{
		Past:      math.MinInt64,
		OwnerKind: optional.Of(f.Owner),
		OwnerID:   f.OwnerID,
		Page:      int32(f.Limit) + 1,
	}
	if f.After != nil {
		params.Past = *f.After
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.AccountListRow, error) {
		return q.AccountList(ctx, params)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list accounts: %w", err)
	}
	var next *int64
	if len(rows) > f.Limit {
		rows = rows[:f.Limit]
		next = &rows[f.Limit-1].ID
	}
	return db.Each(rows, func(row db.AccountListRow) Holding {
		return Holding{
			Account: ledger.AccountOf(row.ID), Name: row.Name, Merchant: row.Merchant, Available: row.Available,
			Reserved: row.Reserved,
		}
	}), next, nil
}
