package directory

import (
	"context"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/setting"
)

// PlatformLimit has the limits of the amount of every payment in a currency.
type PlatformLimit struct {
	Currency  string          `json:"currency"`
	MinAmount decimal.Decimal `json:"min_amount"`
	MaxAmount decimal.Decimal `json:"max_amount"`
	Versioned
}

type NewPlatformLimit struct {
	Currency, MinAmount, MaxAmount string
	Reason                         string
	Seen                           string
}

// Check says what is wrong with the limits, also before a reason is given.
func (n NewPlatformLimit) Check(ctx context.Context) error {
	f := fault.Decoded(ctx)
	n.params(f)
	return f.Err()
}

func (n NewPlatformLimit) params(f fault.Fields) db.PlatformLimitSetParams {
	f.Check(n.Currency != "", "currency", "is required")
	low, high := optionalAmount(f, "minAmount", n.MinAmount), optionalAmount(f, "maxAmount", n.MaxAmount)
	f.Check(n.MinAmount != "", "minAmount", "is required")
	f.Check(n.MaxAmount != "", "maxAmount", "is required")
	checkOrder(f, low, high)
	checkCurrency(f, n.Currency)
	return db.PlatformLimitSetParams{Currency: n.Currency, MinAmount: low.Decimal, MaxAmount: high.Decimal}
}

// SetPlatformLimit sets a currency's limits. They can stop payments of every
// merchant, so a reason is required.
func (s *Settings) SetPlatformLimit(
	ctx context.Context, who caller.Caller, n NewPlatformLimit,
) (done Changed[PlatformLimit], err error) {
	c, err := s.change(who, setting.Limit.Needs, setting.Limit.Name, n.Currency)
	if err != nil {
		return done, err
	}
	f := fault.Decoded(ctx)
	params := n.params(f)
	c.Reason = optional.Of(f.RequiredText("reason", n.Reason, maxReason))
	if err := f.Err(); err != nil {
		return done, err
	}
	return became[PlatformLimit](db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  n.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.PlatformLimitSetting(ctx, n.Currency) },
		Apply: func(q *db.Queries) error { return q.PlatformLimitSet(ctx, params) },
		New:   true,
	}))
}

// PlatformLimits lists the limits of the currencies that have any.
func (s *Settings) PlatformLimits(ctx context.Context, who caller.Caller) ([]PlatformLimit, error) {
	return few[PlatformLimit](ctx, who, func() ([][]byte, error) { return s.q.PlatformLimitSettings(ctx) })
}
