package directory

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/setting"
)

// Merchant is a merchant's settings. Version identifies the state that was
// read: a change that passes it as Seen is refused if the settings have changed
// since.
type Merchant struct {
	ID              int64               `json:"id"`
	Name            string              `json:"name"`
	APIEnabled      bool                `json:"api_enabled"`
	RatePercent     decimal.NullDecimal `json:"rate_percent"`
	MaxOpenPayments int32               `json:"max_open_payments"`
	CreatedAt       time.Time           `json:"created_at"`
	Versioned
}

// MerchantUpdate changes the fields that are set; an empty RatePercent clears
// the markup.
type MerchantUpdate struct {
	ID int64
	// Name is shown to payers.
	Name        *string
	APIEnabled  *bool
	RatePercent *string
	// MaxOpenPayments is how many of its payments may be pending at the
	// same time.
	MaxOpenPayments *int32
	// Reason is why, for the audit log. Only a change that switches
	// something off requires it. It means the same in the other updates.
	Reason string `json:",omitempty"`
	// Seen is the version that the change expects; "" expects any. It means
	// the same in the other updates.
	Seen string `json:",omitempty"`
}

// NewMerchant is a merchant to be made. With a nil APIEnabled the API is on;
// with an empty RatePercent the merchant has no markup of its own.
type NewMerchant struct {
	Name        string
	APIEnabled  *bool
	RatePercent string
}

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

// UpdateMerchant changes a merchant's name, API switch, markup, or how many
// open payments it may have.
func (s *Settings) UpdateMerchant(
	ctx context.Context, who caller.Caller, u MerchantUpdate,
) (done Changed[Merchant], err error) {
	return became[Merchant](s.revise(ctx, who, revision{
		of: setting.Merchant, id: u.ID, update: u, on: u.APIEnabled, reason: u.Reason, seen: u.Seen,
		asSeen: func(version string) any {
			u.Seen = version
			return u
		},
		read: func(q *db.Queries) ([]byte, error) { return q.MerchantSetting(ctx, u.ID) },
	}))
}

// Merchants lists merchants for an operator. The cursor is nil on the last
// page.
func (s *Settings) Merchants(ctx context.Context, who caller.Caller, search Search) ([]Merchant, *string, error) {
	return find(ctx, s, who, search, merchants, func(m Merchant) int64 { return m.ID })
}

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
