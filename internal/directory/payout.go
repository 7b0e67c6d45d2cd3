package directory

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/setting"
)

type CashboxPayoutMethod struct {
	CashboxID int64
	Name      string
	Enabled   bool
	// MarkupPercent is added to the base rate.
	MarkupPercent string
	// ValiditySeconds is how long a payout waits for a trader to take it; 0
	// is a day.
	ValiditySeconds int32
	// MinAmount and MaxAmount limit a payout; "" is no limit.
	MinAmount, MaxAmount string
	Seen                 string `json:",omitempty"`
}

// SetPayoutMethod creates or changes a payout method of a cashbox.
func (s *Settings) SetPayoutMethod(
	ctx context.Context, who caller.Caller, m CashboxPayoutMethod,
) (done Changed[PayoutMethodSetting], err error) {
	c, currency, err := s.ofMethod(ctx, who, setting.PayoutMethod, m.CashboxID, m.Name)
	if err != nil {
		return done, err
	}
	if m.ValiditySeconds == 0 { // a second operator is shown the day
		m.ValiditySeconds = int32(catalogue.PayoutValidity / time.Second)
	}
	params, err := m.validate(ctx, currency)
	if err != nil {
		return done, err
	}
	key := db.CashboxPayoutMethodSettingParams{CashboxID: m.CashboxID, Method: m.Name}
	return became[PayoutMethodSetting](db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  m.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.CashboxPayoutMethodSetting(ctx, key) },
		Apply: func(q *db.Queries) error { return q.CashboxPayoutMethodSet(ctx, params) },
		May: func(q *db.Queries, c Change) error {
			// An approval changes this state only.
			m.Seen = db.VersionOf(c.Before)
			if c.Before == nil { // a new method is compared with payouts at the base rate
				c.Before = []byte(`{"markup_percent": 0}`)
			}
			return s.terms(ctx, q, setting.PayoutMethod, c, m)
		},
		New: true,
	}))
}

// validate checks how a cashbox pays out by a method, in the cashbox's
// currency. The markup has to be given, so that none is ever 0 by mistake; an
// amount that is left out is no bound.
func (m CashboxPayoutMethod) validate(ctx context.Context, currency string) (db.CashboxPayoutMethodSetParams, error) {
	f := fault.Decoded(ctx)
	setting.PayoutMethod.Find("validitySeconds").Between(f, m.ValiditySeconds)
	markup := optionalPercent(f, "markupPercent", m.MarkupPercent)
	f.Check(m.MarkupPercent != "", "markupPercent", "is required")
	params := db.CashboxPayoutMethodSetParams{
		CashboxID:       m.CashboxID,
		Method:          m.Name,
		Enabled:         m.Enabled,
		MarkupPercent:   markup.Decimal,
		ValiditySeconds: m.ValiditySeconds,
		MinAmount:       optionalAmount(f, "minAmount", m.MinAmount),
		MaxAmount:       optionalAmount(f, "maxAmount", m.MaxAmount),
	}
	checkOrder(f, params.MinAmount, params.MaxAmount)
	return params, checkPayoutMethod(f, m.Name, currency)
}

// checkPayoutMethod refuses a method by which the platform makes no payouts in
// the currency.
func checkPayoutMethod(f fault.Fields, name, currency string) error {
	_, known := catalogue.Find(catalogue.Payouts(currency), name)
	f.Check(known, "method", "is not a method of payouts in %s", currency)
	return f.Err()
}

// TraderPayoutMethod says whether a trader may take payouts by a method.
type TraderPayoutMethod struct {
	TraderID         int64
	Currency, Method string
	Enabled          bool
	Seen             string `json:",omitempty"`
}

// SetTraderPayoutMethod lets a trader take payouts by a method, which requires
// a second operator, or stops that.
func (s *Settings) SetTraderPayoutMethod(
	ctx context.Context, who caller.Caller, m TraderPayoutMethod,
) (done Changed[TraderPayoutSetting], err error) {
	subject := fmt.Sprintf("%d/%s/%s", m.TraderID, m.Currency, m.Method)
	c, err := s.change(who, caller.OperatorDirectory, "trader_payout_method", subject)
	if err != nil {
		return done, err
	}
	if _, err := s.q.TraderShare(ctx, m.TraderID); db.NoRows(err) {
		return done, fault.ErrNotFound
	} else if err != nil {
		return done, err
	}
	if err := checkPayoutMethod(fault.Decoded(ctx), m.Method, m.Currency); err != nil {
		return done, err
	}
	key := db.TraderPayoutMethodSettingParams{TraderID: m.TraderID, Currency: m.Currency, Method: m.Method}
	return became[TraderPayoutSetting](db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  m.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.TraderPayoutMethodSetting(ctx, key) },
		Apply: func(q *db.Queries) error {
			return q.TraderPayoutMethodSet(ctx, db.TraderPayoutMethodSetParams{
				TraderID: m.TraderID, Currency: m.Currency, Method: m.Method, Enabled: m.Enabled,
			})
		},
		// A trader who pays out gets merchants' money by saying that it
		// was sent.
		May: func(_ *db.Queries, c Change) error {
			if !m.Enabled || bytes.Equal(c.Before, c.After) {
				return nil
			}
			return foureyes.WithAction(s.FourEyes.Always(), foureyes.SetTraderPayoutMethod, m)
		},
		New: true,
	}))
}

// TraderPayoutSetting is the setting of a trader's payout method.
type TraderPayoutSetting struct {
	TraderID int64  `json:"trader_id"`
	Currency string `json:"currency"`
	Method   string `json:"method"`
	Enabled  bool   `json:"enabled"`
	Versioned
}

// TraderPayouts lists the payout methods of a trader.
func (s *Settings) TraderPayouts(
	ctx context.Context, who caller.Caller, traderID int64,
) ([]TraderPayoutSetting, error) {
	return few[TraderPayoutSetting](ctx, who, func() ([][]byte, error) { return s.q.TraderPayoutMethodList(ctx, traderID) })
}

// PayoutMethodSetting is the settings of a cashbox's payout method.
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

// PayoutMethods lists the payout methods of a cashbox.
func (s *Settings) PayoutMethods(
	ctx context.Context, who caller.Caller, cashboxID int64,
) ([]PayoutMethodSetting, error) {
	return few[PayoutMethodSetting](ctx, who, func() ([][]byte, error) { return s.q.CashboxPayoutMethodList(ctx, cashboxID) })
}
