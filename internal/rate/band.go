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
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
)

// Band is the range within which one operator alone may set a currency's rate.
type Band struct {
	Currency string
	// Percent is the narrowest band of the currency's feeds. If changes
	// take two operators it is at most the configured limit, because one
	// operator alone can change feeds.
	Percent decimal.Decimal
	// Now is the rate in use, and Anchor is the rate that was in use before
	// the changes by hand of the last 24 hours. A new rate must be near
	// both, so that many small steps cannot lead far. Zero means that there
	// is none.
	Now, Anchor decimal.Decimal
}

// Distance is how far a rate is from Now and Anchor, in percent; the larger
// distance counts. Without known rates it is 0.
func (b Band) Distance(fiat decimal.Decimal) decimal.Decimal {
	return decimal.Max(away(fiat, b.Now), away(fiat, b.Anchor))
}

// distanceDecimals are enough to compare with a band, which has four decimals.
const distanceDecimals = 12

func away(fiat, from decimal.Decimal) decimal.Decimal {
	if !from.IsPositive() {
		return decimal.Zero
	}
	return fiat.Sub(from).Abs().Mul(hundred).DivRound(from, distanceDecimals)
}

// bandOf reads a currency's band.
func bandOf(ctx context.Context, q *db.Queries, currency string, rules foureyes.Rules, now time.Time) (Band, error) {
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

// anchor stores the rate in use before one operator alone sets another. After a
// rate that two operators agreed on, or that one may set freely, it begins
// anew: older anchors no longer count.
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

// Bands tells operators the range within which one of them alone may set each
// currency's rate.
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

// Observation is a feed's value in a minute.
type Observation struct {
	FeedID      int64
	Currency    string
	Minute      time.Time
	FiatPerUSDT decimal.Decimal
}

// Day lists the feeds' values of the last 24 hours, by currency, feed and
// minute.
func (s *Settings) Day(ctx context.Context, who caller.Caller) ([]Observation, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	rows, err := s.q.RateObservationDay(ctx, s.clock.Now().Add(-day))
	return db.Each(rows, func(row db.RateObservationDayRow) Observation {
		return Observation(row)
	}), fault.Doing("list what feeds brought", err)
}
