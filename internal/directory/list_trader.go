package directory

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
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

// TraderUpdate changes the fields that are set; an empty RatePercent clears the markup.
type TraderUpdate struct {
	ID           int64
	Name         *string
	Enabled      *bool
	RatePercent  *string
	SharePercent *string
	// MaxOpenPayins is how many payouts they may have taken and not ended.
	MaxOpenPayins *int32
	Reason        string
	Seen          string
}

// Traders lists traders for an operator.
func (s *Settings) Traders(ctx context.Context, who caller.Caller, search Search) ([]Trader, *string, error) {
	return find(ctx, s, who, search, traders, func(t Trader) int64 { return t.ID })
}

// Trader reads a trader for an operator.
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

// TraderPayoutSetting is a method that a trader pays out by, as it is set.
type TraderPayoutSetting struct {
	TraderID int64  `json:"trader_id"`
	Currency string `json:"currency"`
	Method   string `json:"method"`
	Enabled  bool   `json:"enabled"`
	Versioned
}

// TraderPayouts lists the methods that a trader pays out by.
func (s *Settings) TraderPayouts(
	ctx context.Context, who caller.Caller, traderID int64,
) ([]TraderPayoutSetting, error) {
	return few[TraderPayoutSetting](ctx, who, func() ([][]byte, error) { return s.q.TraderPayoutMethodList(ctx, traderID) })
}
