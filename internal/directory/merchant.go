package directory

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/setting"
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

// NewMerchant is a merchant to be made. A nil APIEnabled is on; an empty RatePercent is no markup
// of its own.
type NewMerchant struct {
	Name        string
	APIEnabled  *bool
	RatePercent string
}

// CreateMerchant makes a merchant.
func (s *Settings) CreateMerchant(
	ctx context.Context, who caller.Caller, n NewMerchant,
) (done Changed[Merchant], err error) {
	c, err := s.change(who, setting.Merchant.Needs, setting.Merchant.Name, "")
	if err != nil {
		return done, err
	}
	f := fault.Decoded(ctx)
	params := db.MerchantInsertParams{
		Name:        checkName(f, n.Name),
		ApiEnabled:  n.APIEnabled,
		RatePercent: optionalPercent(f, "ratePercent", n.RatePercent),
		CreatedAt:   c.At,
	}
	if err := f.Err(); err != nil {
		return done, err
	}
	return became[Merchant](db.CreateSetting(ctx, s.pool, c, db.Creation{
		Insert: func(q *db.Queries) (int64, error) { return q.MerchantInsert(ctx, params) },
		Read:   func(q *db.Queries, id int64) ([]byte, error) { return q.MerchantSetting(ctx, id) },
	}))
}

// UpdateMerchant renames a merchant, switches its API, or sets its profile markup or how many open
// payments it may have.
func (s *Settings) UpdateMerchant(
	ctx context.Context, who caller.Caller, u MerchantUpdate,
) (done Changed[Merchant], err error) {
	return became[Merchant](s.revise(ctx, who, revision{
		of: setting.Merchant, id: u.ID, update: u, on: u.APIEnabled, reason: u.Reason, seen: u.Seen,
		action: foureyes.UpdateMerchant,
		read:   func(q *db.Queries) ([]byte, error) { return q.MerchantSetting(ctx, u.ID) },
	}))
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
