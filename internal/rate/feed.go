package rate

import (
	"context"
	"fmt"
	"strconv"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/money"
)

// Feed is a source of a currency's rate: a JSON document over HTTP.
type Feed struct {
	// ID is 0 for a new feed.
	ID       int64 `json:",omitempty"`
	Currency string
	Enabled  bool
	// Priority is 1 or more. Of the fresh rates, the one with the lowest
	// priority is used.
	Priority int32
	URL      string
	// Pointer is the JSON Pointer (RFC 6901) to the rate.
	Pointer     string
	PollSeconds int32
	// TimeoutMS limits one poll, from the connection to the last byte.
	TimeoutMS int32
	// BandPercent is how far a value may be from the last good one.
	BandPercent string
	// DayBandPercent is how far a value may be from the median of the last
	// 24 hours; empty is 10.
	DayBandPercent string
	// FreshSeconds is how long a value stays fresh.
	FreshSeconds int32
	// Seen is the version that a proposal changes; "" is any.
	Seen string `json:",omitempty"`
}

const (
	maxPointer      = 512
	percentDecimals = 4
	defaultDayBand  = "10"
)

var minBand = decimal.New(1, -2)

// source is the feed's name among the sources of rates.
func source(feedID int64) string { return "feed:" + strconv.FormatInt(feedID, 10) }

// SetFeed makes or changes a feed, and lets it be polled at once.
//
// A disabled feed's rate is withdrawn: from then on it is stale, and any other
// rate is preferred to it even as the last known rate. When it is enabled
// again, the feed begins anew: its first value is compared with the rate in
// use. This also helps when the market has moved out of a feed's band: set the
// rate by hand, disable the feed, and enable it.
func (s *Settings) SetFeed(ctx context.Context, who caller.Caller, feed Feed) (Feed, error) {
	if err := who.Need(caller.OperatorRates); err != nil {
		return Feed{}, err
	}
	if feed.DayBandPercent == "" {
		feed.DayBandPercent = defaultDayBand
	}
	band, dayBand, err := s.checkFeed(ctx, feed)
	if err != nil {
		return Feed{}, err
	}
	isNew := feed.ID == 0
	if isNew {
		if feed.ID, err = s.newFeed(ctx, feed); err != nil {
			return Feed{}, err
		}
	}
	now := s.clock.Now()
	change := db.SettingChange{
		At: now, Actor: who.Actor(), Subject: "rate_feed", SubjectKey: strconv.FormatInt(feed.ID, 10),
	}
	params := db.RateFeedSetParams{
		ID: feed.ID, Currency: feed.Currency, Enabled: feed.Enabled, Priority: feed.Priority, URL: feed.URL,
		Pointer: feed.Pointer, PollSeconds: feed.PollSeconds, TimeoutMs: feed.TimeoutMS, BandPercent: band,
		DayBandPercent: dayBand, FreshSeconds: feed.FreshSeconds, Now: now,
	}
	_, err = db.ChangeSetting(ctx, s.pool, change, db.Setting{
		Whole: true,
		New:   isNew,
		Seen:  feed.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.RateFeedSetting(ctx, feed.ID) },
		Apply: func(q *db.Queries) error {
			if !isNew {
				if err := s.mayChangeFeed(ctx, q, params, feed); err != nil {
					return err
				}
			}
			if err := q.RateFeedSet(ctx, params); err != nil {
				return err
			}
			return adjustRate(ctx, q, feed)
		},
	})
	if err != nil {
		return Feed{}, err
	}
	feed.BandPercent, feed.DayBandPercent = money.Plain(band), money.Plain(dayBand)
	return feed, nil
}

// newFeed numbers a new feed, which always takes two operators.
func (s *Settings) newFeed(ctx context.Context, feed Feed) (int64, error) {
	if err := s.FourEyes.Always(); err != nil {
		return 0, foureyes.WithAction(err, foureyes.SetRateFeed, feed)
	}
	id, err := s.q.RateFeedID(ctx)
	return id, fault.Doing("number the feed", err)
}

// mayChangeFeed requires a second operator for what could change the rate:
// another address, wider bands, a longer validity, a higher priority, or
// enabling the feed. One operator alone may disable a feed or narrow its bands.
func (s *Settings) mayChangeFeed(ctx context.Context, q *db.Queries, to db.RateFeedSetParams, feed Feed) error {
	was, err := q.RateFeedGet(ctx, feed.ID)
	if err != nil {
		return fmt.Errorf("read feed: %w", err)
	}
	elsewhere := to.URL != was.URL || to.Pointer != was.Pointer
	further := to.BandPercent.GreaterThan(was.BandPercent) || to.DayBandPercent.GreaterThan(was.DayBandPercent)
	sooner := !was.Enabled || to.Priority < was.Priority || to.FreshSeconds > was.FreshSeconds
	if !to.Enabled || !elsewhere && !further && !sooner {
		return nil
	}
	setting, err := q.RateFeedSetting(ctx, feed.ID)
	if err != nil {
		return fmt.Errorf("read feed: %w", err)
	}
	// Whoever approves this approves it for the feed as it is now.
	feed.Seen = db.VersionOf(setting)
	return foureyes.WithAction(s.FourEyes.Always(), foureyes.SetRateFeed, feed)
}

// adjustRate applies the feed's new settings to the rate that it has already
// provided.
func adjustRate(ctx context.Context, q *db.Queries, feed Feed) error {
	if !feed.Enabled {
		if err := q.RateObservationForget(ctx, feed.ID); err != nil {
			return err
		}
		return q.RateWithdraw(ctx, db.RateWithdrawParams{Currency: feed.Currency, Source: source(feed.ID)})
	}
	return q.RatePrioritize(ctx, db.RatePrioritizeParams{
		Currency: feed.Currency, Source: source(feed.ID), Priority: feed.Priority, FreshSeconds: feed.FreshSeconds,
	})
}

// checkFeed validates every field, and returns both bands.
func (s *Settings) checkFeed(ctx context.Context, feed Feed) (band, dayBand decimal.Decimal, err error) {
	f := fault.Decoded(ctx)
	if err := s.checkFeedCurrency(ctx, f, feed); err != nil {
		return band, dayBand, err
	}
	if f.Required("feed.url", feed.URL) {
		f.Flaw("feed.url", s.addresses.Check(feed.URL))
	}
	if !f.Wrong("feed.pointer") {
		_, ok := tokens(feed.Pointer)
		f.Check(ok && len(feed.Pointer) <= maxPointer, "feed.pointer",
			"must be a JSON Pointer (RFC 6901) of at most %d characters", maxPointer)
	}
	band = checkDecimal(f, "feed.bandPercent", feed.BandPercent, percentDecimals, minBand, hundred)
	dayBand = checkDecimal(f, "feed.dayBandPercent", feed.DayBandPercent, percentDecimals, minBand, hundred)
	for _, number := range []struct {
		field                  string
		value, lowest, highest int32
	}{
		{"feed.priority", feed.Priority, 1, 1000},
		{"feed.pollSeconds", feed.PollSeconds, 1, 86_400},
		{"feed.timeoutMs", feed.TimeoutMS, 100, 60_000},
		{"feed.freshSeconds", feed.FreshSeconds, 1, 604_800},
	} {
		f.Check(number.value >= number.lowest && number.value <= number.highest, number.field,
			"must be between %d and %d", number.lowest, number.highest)
	}
	return band, dayBand, f.Err()
}

// checkFeedCurrency checks that a new feed's currency is known, and that an
// existing feed keeps its currency, because its rates in the old currency would
// remain.
func (s *Settings) checkFeedCurrency(ctx context.Context, f fault.Fields, feed Feed) error {
	if feed.ID == 0 {
		checkCurrency(f, "feed.currency", feed.Currency)
		return nil
	}
	currency, err := s.q.RateFeedCurrency(ctx, feed.ID)
	if err != nil {
		return db.Missing(err, fault.ErrNotFound, "find feed")
	}
	f.Check(feed.Currency == currency, "feed.currency", "must stay %s: another currency takes another feed", currency)
	return nil
}

// feedOf is a feed as it is set, without what came of asking it.
func feedOf(row db.RateFeed) Feed {
	return Feed{
		ID:             row.ID,
		Currency:       row.Currency,
		Enabled:        row.Enabled,
		Priority:       row.Priority,
		URL:            row.URL,
		Pointer:        row.Pointer,
		PollSeconds:    row.PollSeconds,
		TimeoutMS:      row.TimeoutMs,
		BandPercent:    money.Plain(row.BandPercent),
		DayBandPercent: money.Plain(row.DayBandPercent),
		FreshSeconds:   row.FreshSeconds,
	}
}
