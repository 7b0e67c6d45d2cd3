package directory

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/setting"
)

// Trader is a trader's settings.
type Trader struct {
	ID            int64               `json:"id"`
	Name          string              `json:"name"`
	Enabled       bool                `json:"enabled"`
	OnBreak       bool                `json:"on_break"`
	RatePercent   decimal.NullDecimal `json:"rate_percent"`
	SharePercent  decimal.Decimal     `json:"share_percent"`
	MaxOpenPayins int32               `json:"max_open_payins"`
	CreatedAt     time.Time           `json:"created_at"`
	Versioned
}

// TraderUpdate changes the fields that are set; an empty RatePercent clears the
// markup.
type TraderUpdate struct {
	ID           int64
	Name         *string
	Enabled      *bool
	RatePercent  *string
	SharePercent *string
	// MaxOpenPayins is how many payouts they may have taken and not ended.
	MaxOpenPayins *int32
	Reason        string `json:",omitempty"`
	Seen          string `json:",omitempty"`
}

// NewTrader is a trader to be made. With an empty RatePercent they have no
// markup of their own.
type NewTrader struct {
	Name string
	// SharePercent is their share of the spread, as a percent of spot.
	SharePercent string
	RatePercent  string
}

func (s *Settings) CreateTrader(ctx context.Context, who caller.Caller, n NewTrader) (done Changed[Trader], err error) {
	c, err := s.change(who, setting.Trader.Needs, setting.Trader.Name, "")
	if err != nil {
		return done, err
	}
	f := fault.Decoded(ctx)
	f.Required("sharePercent", n.SharePercent)
	params := db.TraderInsertParams{
		Name: checkName(f, n.Name), SharePercent: optionalPercent(f, "sharePercent", n.SharePercent).Decimal,
		RatePercent: optionalPercent(f, "ratePercent", n.RatePercent), CreatedAt: c.At,
	}
	if err := f.Err(); err != nil {
		return done, err
	}
	return became[Trader](db.CreateSetting(ctx, s.pool, c, db.Creation{
		Insert: func(q *db.Queries) (int64, error) { return InsertTrader(ctx, q, params) },
		Read:   func(q *db.Queries, id int64) ([]byte, error) { return q.TraderSetting(ctx, id) },
	}))
}

// InsertTrader writes a trader, and opens the accounts for their USDT.
func InsertTrader(ctx context.Context, q *db.Queries, params db.TraderInsertParams) (int64, error) {
	id, err := q.TraderInsert(ctx, params)
	if err != nil {
		return 0, fmt.Errorf("insert trader: %w", err)
	}
	return id, ledger.Open(ctx, q, ledger.Trader, id)
}

// UpdateTrader renames a trader, switches them on or off, or sets their terms.
func (s *Settings) UpdateTrader(
	ctx context.Context, who caller.Caller, u TraderUpdate,
) (done Changed[Trader], err error) {
	return became[Trader](s.revise(ctx, who, revision{
		of: setting.Trader, id: u.ID, update: u, on: u.Enabled, reason: u.Reason, seen: u.Seen,
		asSeen: func(version string) any {
			u.Seen = version
			return u
		},
		read: func(q *db.Queries) ([]byte, error) { return q.TraderSetting(ctx, u.ID) },
	}))
}

// Traders lists traders for an operator.
func (s *Settings) Traders(ctx context.Context, who caller.Caller, search Search) ([]Trader, *string, error) {
	return find(ctx, s, who, search, traders, func(t Trader) int64 { return t.ID })
}

func (s *Settings) Trader(ctx context.Context, who caller.Caller, id int64) (Trader, error) {
	return get(ctx, s, who, id, traders)
}

func traders(ctx context.Context, q *db.Queries, l listing) ([]Trader, error) {
	rows, err := q.TraderList(ctx, db.TraderListParams{
		BeforeID: l.before, ID: l.id, Search: l.text, SearchID: l.searchID, SwitchedOn: l.On, Page: l.limit + 1,
	})
	if err != nil {
		return nil, err
	}
	return decodeAll(rows, func(row db.TraderListRow) (Trader, error) { return decode[Trader](row.Setting) })
}
