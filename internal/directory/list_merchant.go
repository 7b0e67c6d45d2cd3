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
	Versioned
}

// MerchantUpdate changes the fields that are set; an empty RatePercent clears the markup.
type MerchantUpdate struct {
	ID int64
	// Name is shown to payers.
	Name        *string
	APIEnabled  *bool
	RatePercent *string
	// MaxOpenPayments is how many of its payments may be pending at the same time.
	MaxOpenPayments *int32
	// Reason is why, for the log; "" says nothing, and only what switches nothing off may. The other updates that have it
	// mean the same.
	Reason string
	// Seen is the version that is to be changed; "" is any. The other updates have it, too.
	Seen string
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
	return decodeAll(rows, func(row db.MerchantListRow) (Merchant, error) { return decode[Merchant](row.Setting) })
}
