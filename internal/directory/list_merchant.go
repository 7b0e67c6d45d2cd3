package directory

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
)

// Merchant is a merchant's settings. Version names them as they were read: a change that carries it
// as Seen is refused where they have changed since.
type Merchant struct {
	ID              int64               `json:"id"`
	Name            string              `json:"name"`
	APIEnabled      bool                `json:"api_enabled"`
	RatePercent     decimal.NullDecimal `json:"rate_percent"`
	MaxOpenPayments int32               `json:"max_open_payments"`
	CreatedAt       time.Time           `json:"created_at"`
	Version         string              `json:"-"`
}

// Merchants lists merchants for an operator. The cursor is nil on the last page.
func (s *Settings) Merchants(ctx context.Context, who caller.Caller, search Search) ([]Merchant, *string, error) {
	return find(ctx, s, who, search, merchants, func(m Merchant) int64 { return m.ID })
}

// Merchant reads a merchant for an operator.
func (s *Settings) Merchant(ctx context.Context, who caller.Caller, id int64) (Merchant, error) {
	return get(ctx, s, who, id, merchants)
}

func merchants(ctx context.Context, q *db.Queries, l listing) ([]Merchant, error) {
	rows, err := q.MerchantList(ctx, db.MerchantListParams{
		BeforeID: l.before, ID: l.id, Search: l.text, SearchID: l.searchID, SwitchedOn: l.On, Page: l.limit + 1,
	})
	if err != nil {
		return nil, err
	}
	return decodeAll(rows, func(row db.MerchantListRow) (m Merchant, err error) {
		m.Version, err = db.DecodeSetting(row.Setting, &m)
		return m, err
	})
}
