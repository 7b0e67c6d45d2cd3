package rate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"
	"go.opentelemetry.io/otel/trace"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/tracing"
)

// maxPolls is how many polls run at the same time. A feed has only one, so
// feeds wait for each other only if this many hang.
const maxPolls = 64

// Poller polls feeds. Several pollers may share the feeds: each poll is claimed
// by one.
type Poller struct {
	pool   db.Pool
	q      *db.Queries
	clock  clock.Clock
	client *http.Client
	// addresses decides which addresses may be polled.
	addresses Addresses
	// slots has a token for each running poll.
	slots   chan struct{}
	running sync.WaitGroup
	polls   *prometheus.CounterVec
}

// NewPoller makes a poller. metrics may be nil.
func NewPoller(pool db.Pool, c clock.Clock, addresses Addresses, metrics prometheus.Registerer) *Poller {
	p := &Poller{
		pool:      pool,
		q:         db.New(pool),
		clock:     c,
		client:    newClient(addresses),
		addresses: addresses,
		slots:     make(chan struct{}, maxPolls),
		polls:     newPolls(),
	}
	if metrics != nil {
		metrics.MustRegister(p.polls, &inUse{q: p.q, clock: c})
	}
	return p
}

// Poll claims the due feeds and starts polling each. It does not wait for them,
// so that a feed that hangs does not delay the next round of the others.
func (p *Poller) Poll(ctx context.Context) error {
	free := p.take()
	claimed := []db.RateFeed(nil)
	defer func() { p.give(free - len(claimed)) }()
	now := p.clock.Now()
	var err error
	if claimed, err = p.q.RateFeedClaim(ctx, db.RateFeedClaimParams{Now: now, Page: int32(free)}); err != nil {
		return fmt.Errorf("claim feeds: %w", err)
	}
	for _, feed := range claimed {
		p.running.Go(func() {
			defer p.give(1)
			p.poll(ctx, feed, now)
		})
	}
	return nil
}

// Wait waits until every poll that Poll started has ended.
func (p *Poller) Wait() { p.running.Wait() }

// take takes all free slots.
func (p *Poller) take() int {
	for taken := 0; ; taken++ {
		select {
		case p.slots <- struct{}{}:
		default:
			return taken
		}
	}
}

func (p *Poller) give(slots int) {
	for range slots {
		<-p.slots
	}
}

// poll polls one claimed feed. It holds no database connection while it waits
// for the answer.
func (p *Poller) poll(ctx context.Context, feed db.RateFeed, claimedAt time.Time) {
	ctx, span := tracing.Call(ctx, "poll rate feed")
	defer span.End()
	span.SetAttributes(tracing.Feed.Int64(feed.ID))
	value, fetchErr := p.fetch(ctx, feed)
	if ctx.Err() != nil {
		return // The process stops, which is not the feed's fault: the feed is due again when the claim expires.
	}
	var why *refusal
	standing := false
	err := db.InTx(ctx, p.pool, func(_ pgx.Tx, q *db.Queries) error {
		err := fetchErr
		if err == nil {
			err = judge(ctx, q, feed, value, p.clock.Now())
		}
		if why = nil; err != nil && !errors.As(err, &why) {
			return err
		}
		standing, err = p.store(ctx, q, feed, claimedAt, value, why)
		return err
	})
	p.count(ctx, feed, standing, why, err)
}

// judge refuses a value that is too far from the feed's last good one or, if it
// has none, from the rate in use. The error is a *refusal, or one of the
// database.
//
//rule:which values of a feed of rates are refused
func judge(ctx context.Context, q *db.Queries, feed db.RateFeed, value decimal.Decimal, now time.Time) error {
	good, err := q.RateLastGood(ctx, db.RateLastGoodParams{Currency: feed.Currency, Source: source(feed.ID)})
	first := db.NoRows(err)
	if first {
		var base Base
		base, err = Current(ctx, q, feed.Currency, now)
		good = base.FiatPerUSDT
	}
	if errors.Is(err, ErrNone) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the last good rate: %w", err)
	}
	if outside(value, good, feed.BandPercent) {
		return refuse(resultOutOfBand, "%s is more than %s%% away from %s", value, feed.BandPercent, good)
	}
	if first {
		if err := judgeFirst(ctx, q, feed, value, now); err != nil {
			return err
		}
	}
	return judgeDay(ctx, q, feed, value, now)
}

// judgeFirst refuses a feed's first value if it is too far from the rate that
// was in use before the changes by hand of the last 24 hours. Otherwise
// somebody could move the rate by hand in small steps, and the feed would
// continue from there.
func judgeFirst(ctx context.Context, q *db.Queries, feed db.RateFeed, value decimal.Decimal, now time.Time) error {
	anchor, err := q.RateAnchorFirst(ctx, db.RateAnchorFirstParams{Currency: feed.Currency, Since: now.Add(-day)})
	if db.NoRows(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the anchor: %w", err)
	}
	if outside(value, anchor, feed.BandPercent) {
		return refuse(resultOutOfBand, "%s is more than %s%% away from %s, the rate of 24 hours ago", value,
			feed.BandPercent, anchor)
	}
	return nil
}

const (
	// day is how far back a feed's values are compared; settled is how much
	// of it must be known before its median counts.
	day     = 24 * time.Hour
	settled = 12 * time.Hour
)

// judgeDay refuses a value that is too far from the day's median. Only that
// reveals how far a feed has moved in steps that are each within the band.
func judgeDay(ctx context.Context, q *db.Queries, feed db.RateFeed, value decimal.Decimal, now time.Time) error {
	middle, err := q.RateObservationMiddle(ctx, db.RateObservationMiddleParams{
		FeedID: feed.ID, Since: now.Add(-day), Settled: now.Add(-settled),
	})
	if db.NoRows(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the day's median: %w", err)
	}
	if outside(value, middle, feed.DayBandPercent) {
		return refuse(
			resultOutOfDayBand,
			"%s is more than %s%% away from %s, the median of the last 24 hours",
			value,
			feed.DayBandPercent,
			middle,
		)
	}
	return nil
}

func outside(value, reference, percent decimal.Decimal) bool {
	return value.Sub(reference).Abs().Mul(hundred).GreaterThan(reference.Mul(percent))
}

// observe stores an accepted value for the day's median.
func observe(ctx context.Context, q *db.Queries, feed db.RateFeed, value decimal.Decimal, now time.Time) error {
	err := q.RateObservationAdd(ctx, db.RateObservationAddParams{FeedID: feed.ID, Now: now, FiatPerUSDT: value})
	if err != nil {
		return fmt.Errorf("keep the value: %w", err)
	}
	return q.RateObservationPrune(ctx, db.RateObservationPruneParams{FeedID: feed.ID, Before: now.Add(-day)})
}

// store ends the claim, and stores the rate if there is one. It reports whether
// the claim was still valid: if the feed was changed or claimed again
// meanwhile, the answer is dropped.
func (p *Poller) store(
	ctx context.Context, q *db.Queries, feed db.RateFeed, claimedAt time.Time, value decimal.Decimal, why *refusal,
) (bool, error) {
	now := p.clock.Now()
	polled := db.RateFeedPolledParams{
		ID: feed.ID, Claim: feed.NextPollAt, PolledAt: &now,
		NextPollAt: claimedAt.Add(time.Duration(feed.PollSeconds) * time.Second),
	}
	if why != nil {
		polled.Error = &why.text
	}
	rows, err := q.RateFeedPolled(ctx, polled)
	if err != nil || rows == 0 || why != nil {
		return rows > 0, err
	}
	if err := observe(ctx, q, feed, value, now); err != nil {
		return true, err
	}
	staleAt := now.Add(time.Duration(feed.FreshSeconds) * time.Second)
	return true, q.RateSet(ctx, db.RateSetParams{
		Currency: feed.Currency, FiatPerUSDT: value, Source: source(feed.ID), Priority: feed.Priority, ObservedAt: now,
		StaleAt: &staleAt,
	})
}

// count counts a poll, and logs a failure that differs from the one before.
func (p *Poller) count(ctx context.Context, feed db.RateFeed, standing bool, why *refusal, err error) {
	result := resultGood
	switch {
	case err != nil:
		result = resultFailed
		slog.ErrorContext(ctx, "rate not stored", "feed", feed.ID, "currency", feed.Currency, "error", err)
	case !standing:
		result = resultSuperseded
	case why != nil:
		result = why.result
		if feed.Error == nil || *feed.Error != why.text {
			slog.WarnContext(ctx, "no rate from feed", "feed", feed.ID, "currency", feed.Currency, "error", why.text)
		}
	}
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(tracing.Outcome.String(result))
	tracing.Failed(span, result != resultGood && result != resultSuperseded)
	p.polls.WithLabelValues(result).Inc()
}
