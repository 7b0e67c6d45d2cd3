package directory

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
)

// Cashbox is a cashbox's settings.
type Cashbox struct {
	ID           int64  `json:"id"`
	MerchantID   int64  `json:"merchant_id"`
	MerchantName string `json:"-"`
	Name         string `json:"name"`
	Currency     string `json:"currency"`
	// TraderID is the trader that it is bridged to, or nil.
	TraderID       *int64  `json:"trader_cashbox_id"`
	CollectEnabled bool    `json:"collect_enabled"`
	PageColor      *string `json:"page_color"`
	// LogoHash is of the shop's logo on hosted pages, or nil.
	LogoHash           *string         `json:"page_logo_hash"`
	FrameOrigin        *string         `json:"frame_origin"`
	ReturnHosts        []string        `json:"return_hosts"`
	ReturnAutomatic    bool            `json:"return_automatic"`
	PayerEvents        bool            `json:"payer_events"`
	DepositCallbackURI *string         `json:"deposit_callback_uri"`
	InsuranceUSDT      decimal.Decimal `json:"insurance_usdt"`
	CreatedAt          time.Time       `json:"created_at"`
	Versioned
}

// Cashboxes lists cashboxes for an operator, of one merchant or bridged to one trader if the search
// says so.
func (s *Settings) Cashboxes(ctx context.Context, who caller.Caller, search Search) ([]Cashbox, *string, error) {
	return find(ctx, s, who, search, cashboxes, func(c Cashbox) int64 { return c.ID })
}

// Cashbox reads a cashbox for an operator.
func (s *Settings) Cashbox(ctx context.Context, who caller.Caller, id int64) (Cashbox, error) {
	return get(ctx, s, who, id, cashboxes)
}

func cashboxes(ctx context.Context, q *db.Queries, l listing) ([]Cashbox, error) {
	rows, err := q.CashboxList(ctx, db.CashboxListParams{
		BeforeID: l.before, ID: l.id, MerchantID: orNil(l.MerchantID), TraderID: orNil(l.TraderID),
		Currency: orNil(l.Currency), Search: l.text, SearchID: l.searchID, SwitchedOn: l.On, Page: l.limit + 1,
	})
	if err != nil {
		return nil, err
	}
	return decodeAll(rows, func(row db.CashboxListRow) (c Cashbox, err error) {
		c, err = decode[Cashbox](row.Setting)
		c.MerchantName = row.MerchantName
		return c, err
	})
}

// MethodSetting is the settings of a cashbox's method.
type MethodSetting struct {
	CashboxID       int64               `json:"cashbox_id"`
	Name            string              `json:"method"`
	Enabled         bool                `json:"enabled"`
	MarginPercent   decimal.NullDecimal `json:"margin_percent"`
	ValiditySeconds int32               `json:"validity_seconds"`
	MinAmount       decimal.NullDecimal `json:"min_amount"`
	MaxAmount       decimal.NullDecimal `json:"max_amount"`
	ClaimSeconds    int32               `json:"claim_seconds"`
	Cards           int32               `json:"cards"`
	// AmountPolicy says what becomes of another amount than asked for: exact, tolerance or received.
	AmountPolicy     string              `json:"amount_policy"`
	TolerancePercent decimal.NullDecimal `json:"tolerance_percent"`
	ToleranceAmount  decimal.NullDecimal `json:"tolerance_amount"`
	// DifferenceTo says whose the difference is: trader or platform.
	DifferenceTo string `json:"difference_to"`
	// LateSeconds is how long after its time a payment can still be completed by its trader.
	LateSeconds int32 `json:"late_seconds"`
	Versioned
}

// PayoutMethodSetting is the settings of a method that a cashbox pays out by.
type PayoutMethodSetting struct {
	CashboxID       int64           `json:"cashbox_id"`
	Name            string          `json:"method"`
	Enabled         bool            `json:"enabled"`
	MarkupPercent   decimal.Decimal `json:"markup_percent"`
	ValiditySeconds int32           `json:"validity_seconds"`
	// MinAmount and MaxAmount limit a payout, if they are set.
	MinAmount decimal.NullDecimal `json:"min_amount"`
	MaxAmount decimal.NullDecimal `json:"max_amount"`
	Versioned
}

// Methods lists a cashbox's methods for an operator.
func (s *Settings) Methods(ctx context.Context, who caller.Caller, cashboxID int64) ([]MethodSetting, error) {
	return few[MethodSetting](ctx, who, func() ([][]byte, error) { return s.q.CashboxMethodList(ctx, cashboxID) })
}

// PayoutMethods lists the methods that a cashbox pays out by.
func (s *Settings) PayoutMethods(
	ctx context.Context, who caller.Caller, cashboxID int64,
) ([]PayoutMethodSetting, error) {
	return few[PayoutMethodSetting](ctx, who, func() ([][]byte, error) { return s.q.CashboxPayoutMethodList(ctx, cashboxID) })
}
