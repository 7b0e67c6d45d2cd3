package rate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
)

// Known is the rate of a currency from one source.
type Known struct {
	Currency string
	// Source is "operator", or "feed:" and the feed's id.
	Source      string
	Priority    int32
	FiatPerUSDT decimal.Decimal
	ObservedAt  time.Time
	// StaleAt is nil for a rate that never becomes stale. The rate of a
	// disabled feed is stale from its beginning.
	StaleAt *time.Time
	// InUse marks the rate that payments use now, even if it is only the
	// last known one.
	InUse bool
	Fresh bool
}

// FeedState is a feed and its recent results.
type FeedState struct {
	Feed
	// PolledAt is nil before the first poll.
	PolledAt *time.Time
	// Error is what was wrong with the last answer, or nil.
	Error *string
	// GoodAt is when the last value was accepted. FailedAt and LastError
	// are the last failure, and Failures how many there were in a row.
	GoodAt, FailedAt *time.Time
	LastError        string
	Failures         int32
}

// List lists every known rate, the one in use first in each currency, and every
// feed.
func (s *Settings) List(ctx context.Context, who caller.Caller) ([]Known, []FeedState, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	rates, err := list(ctx, s.q, s.clock.Now())
	if err != nil {
		return nil, nil, err
	}
	rows, err := s.q.RateFeedList(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("list feeds: %w", err)
	}
	feeds := db.Each(rows, stateOf)
	return rates, feeds, nil
}

func stateOf(row db.RateFeed) FeedState {
	state := FeedState{
		Feed: feedOf(row), PolledAt: row.PolledAt, Error: row.Error, GoodAt: row.GoodAt, FailedAt: row.FailedAt,
		Failures: row.Failures,
	}
	if row.LastError != nil {
		state.LastError = *row.LastError
	}
	return state
}

// list reads all rates, by currency and the one in use first. That may be a
// stale one, if none is fresh.
func list(ctx context.Context, q *db.Queries, now time.Time) ([]Known, error) {
	rows, err := q.RateList(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("list rates: %w", err)
	}
	slices.SortFunc(rows, func(a, b db.RateListRow) int { return cmp.Or(cmp.Compare(a.Currency, b.Currency), order(now)(a, b)) })
	rates := make([]Known, 0, len(rows))
	for i, row := range rows {
		known := Known{
			Currency: row.Currency, Source: row.Source, Priority: row.Priority, FiatPerUSDT: row.FiatPerUSDT,
			ObservedAt: row.ObservedAt, Fresh: fresh(row, now), InUse: i == 0 || rows[i-1].Currency != row.Currency,
		}
		if !row.Endless {
			known.StaleAt = &row.StaleAt
		}
		rates = append(rates, known)
	}
	return rates, nil
}

// find reads a rate that exists.
func (s *Settings) find(ctx context.Context, currency, source string) (Known, error) {
	rates, err := list(ctx, s.q, s.clock.Now())
	if err != nil {
		return Known{}, err
	}
	for _, known := range rates {
		if known.Currency == currency && known.Source == source {
			return known, nil
		}
	}
	return Known{}, ErrNone
}
