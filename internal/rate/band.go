package rate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/foureyes"
)

// Band is how far one operator alone may set a currency's rate, and from what.
type Band struct {
	Currency string
	// Percent is the narrowest band of the currency's feeds, and where a change takes two operators at most what is
	// configured: one operator alone sets feeds.
	Percent decimal.Decimal
	// Now is the rate in use, and Anchor the one in use before the changes by hand of the last 24 hours. A
	// rate must be near both, so that nobody walks away in small steps. Zero is none.
	Now, Anchor decimal.Decimal
}

// Distance is how far a rate is from what was known, in percent: the greater of two distances. Where
// nothing was known it is 0.
func (b Band) Distance(fiat decimal.Decimal) decimal.Decimal {
	return decimal.Max(away(fiat, b.Now), away(fiat, b.Anchor))
}

// distanceDecimals are enough to compare with a band, which has four.
const distanceDecimals = 12

func away(fiat, from decimal.Decimal) decimal.Decimal {
	if !from.IsPositive() {
		return decimal.Zero
	}
	return fiat.Sub(from).Abs().Mul(hundred).DivRound(from, distanceDecimals)
}

// bandOf reads a currency's band.
func bandOf(
	ctx context.Context, q *db.Queries, currency string, rules foureyes.Rules, now time.Time,
) (Band, error) {
	b := Band{Currency: currency, Percent: rules.RatePercent}
	base, err := Current(ctx, q, currency, now)
	if err != nil && !errors.Is(err, ErrNone) {
		return b, err
	}
	b.Now = base.FiatPerUSDT
	b.Anchor, err = q.RateAnchorFirst(ctx, db.RateAnchorFirstParams{Currency: currency, Since: now.Add(-day)})
	if db.IgnoreNoRows(err) != nil {
		return b, fmt.Errorf("read the anchor: %w", err)
	}
	band, err := q.RateBand(ctx, currency)
	if db.IgnoreNoRows(err) != nil {
		return b, fmt.Errorf("read the band: %w", err)
	}
	if err == nil && (!rules.On || band.LessThan(b.Percent)) {
		b.Percent = band
	}
	return b, nil
}

// anchor keeps what is in use before one operator alone sets a rate. A rate that two agreed on, or that one may set as
// they like, is where the next steps are counted from: what was before it does not count any more.
func (b Band) anchor(ctx context.Context, q *db.Queries, now time.Time, alone bool) error {
	before := now.Add(-day)
	if !alone {
		before = now
	}
	err := q.RateAnchorPrune(ctx, db.RateAnchorPruneParams{Currency: b.Currency, Before: before})
	if err != nil || !alone || !b.Now.IsPositive() {
		return err
	}
	return q.RateAnchorAdd(ctx, db.RateAnchorAddParams{Currency: b.Currency, At: now, FiatPerUSDT: b.Now})
}

// Bands tells operators how far from what one of them alone may set each currency's rate.
func (s *Settings) Bands(ctx context.Context, who caller.Caller) ([]Band, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	list := make([]Band, 0, len(catalogue.Currencies))
	for _, currency := range catalogue.Currencies {
		b, err := bandOf(ctx, s.q, currency, s.FourEyes, s.clock.Now())
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// Observation is what a feed brought in a minute.
type Observation struct {
	FeedID      int64
	Currency    string
	Minute      time.Time
	FiatPerUSDT decimal.Decimal
}

// Day lists what the feeds brought in the last 24 hours, by currency, feed and minute.
func (s *Settings) Day(ctx context.Context, who caller.Caller) ([]Observation, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	rows, err := s.q.RateObservationDay(ctx, s.clock.Now().Add(-day))
	if err != nil {
		return nil, fmt.Errorf("list what feeds brought: %w", err)
	}
	list := make([]Observation, 0, len(rows))
	for _, row := range rows {
		list = append(list, Observation(row))
	}
	return list, nil
}
