package directory

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// CashboxPayoutMethod is a method by which a cashbox pays out.
type CashboxPayoutMethod struct {
	CashboxID int64
	Name      string
	Enabled   bool
	// MarkupPercent is added to the base rate.
	MarkupPercent string
	// ValiditySeconds is how long a payout may take; 0 is a day.
	ValiditySeconds int32
	// MinAmount and MaxAmount bound a payout; "" does not.
	MinAmount, MaxAmount string
	Seen                 string
}

const (
	payoutValidity    = int32(catalogue.PayoutValidity / time.Second)
	maxPayoutValidity = 7 * payoutValidity
)

// SetPayoutMethod makes or changes a method by which a cashbox pays out.
func (s *Settings) SetPayoutMethod(ctx context.Context, who caller.Caller, m CashboxPayoutMethod) (Change, error) {
	c, err := s.change(
		who,
		caller.OperatorDirectory,
		"cashbox_payout_method",
		strconv.FormatInt(m.CashboxID, 10)+"/"+m.Name,
	)
	if err != nil {
		return c, err
	}
	currency, err := s.q.CashboxCurrency(ctx, m.CashboxID)
	if db.NoRows(err) {
		return c, fault.ErrNotFound
	}
	if err != nil {
		return c, err
	}
	params, err := m.validate(ctx, currency)
	if err != nil {
		return c, err
	}
	key := db.CashboxPayoutMethodSettingParams{CashboxID: m.CashboxID, Method: m.Name}
	return db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  m.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.CashboxPayoutMethodSetting(ctx, key) },
		Apply: func(q *db.Queries) error { return q.CashboxPayoutMethodSet(ctx, params) },
		New:   true,
	})
}

func (m CashboxPayoutMethod) validate(
	ctx context.Context,
	currency string,
) (db.CashboxPayoutMethodSetParams, error) {
	f := fault.Decoded(ctx)
	if m.ValiditySeconds == 0 {
		m.ValiditySeconds = payoutValidity
	}
	f.Check(
		m.ValiditySeconds > 0 && m.ValiditySeconds <= maxPayoutValidity,
		"validitySeconds",
		"must be between 1 and %d",
		maxPayoutValidity,
	)
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

// checkPayoutMethod wants a method the platform pays out by, and reports it with all else that is
// wrong.
func checkPayoutMethod(f fault.Fields, name, currency string) error {
	_, known := catalogue.Find(catalogue.Payouts(currency), name)
	f.Check(known, "method", "is not a method of payouts in %s", currency)
	return f.Err()
}

// TraderPayoutMethod is a method by which a trader can pay out.
type TraderPayoutMethod struct {
	TraderID         int64
	Currency, Method string
	Enabled          bool
	Seen             string
}

// SetTraderPayoutMethod lets a trader take payouts of a method, or stops them from taking more.
func (s *Settings) SetTraderPayoutMethod(ctx context.Context, who caller.Caller, m TraderPayoutMethod) (Change, error) {
	subject := fmt.Sprintf("%d/%s/%s", m.TraderID, m.Currency, m.Method)
	c, err := s.change(who, caller.OperatorDirectory, "trader_payout_method", subject)
	if err != nil {
		return c, err
	}
	if _, err := s.q.TraderShare(ctx, m.TraderID); db.NoRows(err) {
		return c, fault.ErrNotFound
	} else if err != nil {
		return c, err
	}
	if err := checkPayoutMethod(fault.Decoded(ctx), m.Method, m.Currency); err != nil {
		return c, err
	}
	key := db.TraderPayoutMethodSettingParams{TraderID: m.TraderID, Currency: m.Currency, Method: m.Method}
	return db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  m.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.TraderPayoutMethodSetting(ctx, key) },
		Apply: func(q *db.Queries) error {
			return q.TraderPayoutMethodSet(ctx, db.TraderPayoutMethodSetParams{
				TraderID: m.TraderID, Currency: m.Currency, Method: m.Method, Enabled: m.Enabled,
			})
		},
		New: true,
	})
}
