package withdrawal

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/money"
	"gateway.example/internal/setting"
)

// Terms are what holds for withdrawals by a network, in USDT.
type Terms struct {
	Network     string          `json:"network"`
	Enabled     bool            `json:"enabled"`
	Fee         decimal.Decimal `json:"fee"`
	MinAmount   decimal.Decimal `json:"min_amount"`
	DailyAmount decimal.Decimal `json:"daily_amount"`
	// Version identifies the state that was read.
	Version string `json:"-"`
}

// NewTerms are the terms that a network is to have, as they were sent.
type NewTerms struct {
	Network                     string
	Enabled                     bool
	Fee, MinAmount, DailyAmount string
	// Seen is the version that is to be changed; "" is any.
	Seen string `json:",omitempty"`
}

// Terms lists the networks that withdrawals go by. Operators also see those
// that are switched off.
func (s *Service) Terms(ctx context.Context, who caller.Caller) ([]Terms, error) {
	if err := who.Admit(ctx, caller.OperatorRead, caller.MerchantMoney, caller.TraderMoney); err != nil {
		return nil, err
	}
	rows, err := s.q.WithdrawalTermsSettings(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the terms of networks: %w", err)
	}
	var list []Terms
	for _, row := range rows {
		var t Terms
		if t.Version, err = db.DecodeSetting(row, &t); err != nil {
			return nil, err
		}
		if t.Enabled || who.Kind == caller.Operator {
			list = append(list, t)
		}
	}
	return list, nil
}

// SetTerms sets what holds for a network. It takes a second operator: the
// limits are what a stolen account can take.
func (s *Service) SetTerms(ctx context.Context, who caller.Caller, n NewTerms) (db.SettingChange, error) {
	subject := setting.WithdrawalTerms
	c := db.SettingChange{At: s.clock.Now(), Actor: who.Actor(), Subject: subject.Name, SubjectKey: n.Network}
	if err := who.Need(subject.Needs); err != nil {
		return c, err
	}
	f := fault.Decoded(ctx)
	checkNetwork(f, n.Network)
	params := db.WithdrawalTermsSetParams{
		Network: n.Network, Enabled: n.Enabled, Fee: fault.Read(f, "fee", n.Fee, fiat),
		MinAmount:   fault.Read(f, "minAmount", n.MinAmount, fiat),
		DailyAmount: fault.Read(f, "dailyAmount", n.DailyAmount, fiat),
	}
	f.Check(!params.Fee.GreaterThan(decimal.NewFromInt(maxFee)), "fee", "must be at most %d", maxFee)
	f.Check(f.Wrong("minAmount") || params.MinAmount.IsPositive(), "minAmount", "must be more than 0")
	f.Check(f.Wrong("dailyAmount") || !params.DailyAmount.LessThan(params.MinAmount), "dailyAmount",
		"must not be less than minAmount")
	if err := f.Err(); err != nil {
		return c, err
	}
	c, err := db.ChangeSetting(ctx, s.pool, c, db.Setting{
		New: true, Whole: true, Seen: n.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.WithdrawalTermsSetting(ctx, n.Network) },
		Apply: func(q *db.Queries) error { return q.WithdrawalTermsSet(ctx, params) },
		May: func(_ *db.Queries, c db.SettingChange) error {
			// An approval changes this state only.
			n.Seen = db.VersionOf(c.Before)
			return foureyes.WithAction(s.FourEyes.Always(), subject.Action, n)
		},
	})
	return c, err
}

// maxFee is the greatest fee.
const maxFee = 1000

func fiat(text string) (decimal.Decimal, error) { return money.Parse(text, money.FiatDecimals) }
