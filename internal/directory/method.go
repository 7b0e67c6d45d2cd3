package directory

import (
	"context"
	"strconv"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/setting"
)

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
	// AmountPolicy says how a received amount that differs from the amount
	// asked for is treated: exact, tolerance or received.
	AmountPolicy     string              `json:"amount_policy"`
	TolerancePercent decimal.NullDecimal `json:"tolerance_percent"`
	ToleranceAmount  decimal.NullDecimal `json:"tolerance_amount"`
	// DifferenceTo says who gains or bears the difference: trader or
	// platform.
	DifferenceTo string `json:"difference_to"`
	// LateSeconds is how long after its expiry a payment can still be
	// completed by its trader.
	LateSeconds int32 `json:"late_seconds"`
	Versioned
}

// CashboxMethod is a change of a method of a cashbox. An empty text clears its
// field.
type CashboxMethod struct {
	CashboxID            int64
	Name                 string
	Enabled              bool
	MarginPercent        string
	ValiditySeconds      int32
	MinAmount, MaxAmount string
	// ClaimSeconds is how long a payment waits at least after its payer
	// said that they have paid, and Cards is how many cards may be tried
	// for it; nil leaves the present setting.
	ClaimSeconds, Cards *int32
	// AmountPolicy says how a received amount that differs from the amount
	// asked for is treated, and DifferenceTo who gains or bears the
	// difference. Nil leaves the present setting; for the tolerances ""
	// clears it.
	AmountPolicy, TolerancePercent, ToleranceAmount, DifferenceTo *string
	// LateSeconds is how long after its expiry a payment can still be
	// completed; nil leaves the present setting.
	LateSeconds *int32
	Seen        string `json:",omitempty"`
}

// ofMethod begins a change of a cashbox's method, and reads the cashbox's
// currency.
func (s *Settings) ofMethod(
	ctx context.Context, who caller.Caller, of setting.Subject, cashboxID int64, name string,
) (c Change, currency string, err error) {
	if c, err = s.change(who, of.Needs, of.Name, strconv.FormatInt(cashboxID, 10)+"/"+name); err != nil {
		return c, "", err
	}
	currency, err = s.q.CashboxCurrency(ctx, cashboxID)
	if db.NoRows(err) {
		err = fault.ErrNotFound
	}
	return c, currency, err
}

// SetMethod makes or changes a method of a cashbox.
func (s *Settings) SetMethod(
	ctx context.Context, who caller.Caller, m CashboxMethod,
) (done Changed[MethodSetting], err error) {
	c, currency, err := s.ofMethod(ctx, who, setting.Method, m.CashboxID, m.Name)
	if err != nil {
		return done, err
	}
	columns, err := m.columns(ctx, currency)
	if err != nil {
		return done, err
	}
	key := db.CashboxMethodSettingParams{CashboxID: m.CashboxID, Method: m.Name}
	return became[MethodSetting](db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  m.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.CashboxMethodSetting(ctx, key) },
		Apply: func(q *db.Queries) error {
			return q.Put(ctx, setting.Method.Name, map[string]any{"cashbox_id": m.CashboxID, "method": m.Name}, columns)
		},
		May: func(q *db.Queries, c Change) (err error) {
			// An approval changes this state only.
			m.Seen = db.VersionOf(c.Before)
			if c.Before == nil {
				if c.Before, err = s.newMethod(ctx, q, m); err != nil {
					return err
				}
			}
			return s.terms(ctx, q, setting.Method, c, m)
		},
		New: true,
	}))
}

func (m CashboxMethod) columns(ctx context.Context, currency string) (map[string]any, error) {
	f := fault.Decoded(ctx)
	columns := setting.Method.Read(f, m)
	_, known := catalogue.Find(catalogue.Payments(currency), m.Name)
	f.Check(known, "method", "is not a method for %s", currency)
	low, _ := columns["min_amount"].(decimal.NullDecimal)
	high, _ := columns["max_amount"].(decimal.NullDecimal)
	checkOrder(f, low, high)
	return columns, f.Err()
}

// Methods lists a cashbox's methods for an operator.
func (s *Settings) Methods(ctx context.Context, who caller.Caller, cashboxID int64) ([]MethodSetting, error) {
	return few[MethodSetting](ctx, who, func() ([][]byte, error) { return s.q.CashboxMethodList(ctx, cashboxID) })
}
