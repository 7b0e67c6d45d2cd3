package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Replay asks for events to be sent again: one event, or the dead events of an
// endpoint.
type Replay struct {
	// EventID is one event, with any status.
	EventID *string
	// URL is an endpoint, exactly as its events have it. From and Until
	// limit its dead events by their creation: at or after From, and before
	// Until. Nil is no limit.
	URL         *string
	From, Until *time.Time
	// MerchantID is the merchant of the events. Operators set it; merchants
	// have only their own.
	MerchantID *int64
}

const (
	// replayBatch is how many events one transaction takes.
	replayBatch = 1000
	// replayAhead is how many deliveries may wait for an endpoint before
	// the next batch is added, so that a range goes as fast as its
	// endpoint.
	replayAhead = 1000
	// leftMost is the number at which counting the events that are still to
	// be sent stops.
	leftMost = 10_000
)

// Progress is the state of a replay.
type Progress struct {
	// ID identifies a replayed range; a single event has none.
	ID *int64
	// Replayed is how many events became pending so far.
	Replayed int64
	// Left is how many events are still to become pending; it is -1 if they
	// are more than leftMost.
	Left int64
	// Done says that no more events will become pending, and Stopped that
	// this is because somebody stopped the range.
	Done, Stopped bool
}

// Replay makes events pending again and queues their deliveries with a new
// schedule; their older deliveries are dropped. For a range the call takes the
// first batch, and FeedReplays takes the others as the endpoint accepts them.
// Events that become dead meanwhile are not included.
func (s *Events) Replay(ctx context.Context, who caller.Caller, r Replay) (Progress, error) {
	if err := who.Need(caller.OperatorCases, caller.MerchantResend); err != nil {
		return Progress{}, err
	}
	if who.Kind != caller.Operator {
		r.MerchantID = &who.MerchantID
	}
	event, err := r.validate(ctx)
	if err != nil {
		return Progress{}, err
	}
	if r.EventID != nil {
		return Progress{Replayed: 1, Done: true}, s.replayOne(ctx, *r.MerchantID, event)
	}
	var id int64
	// The range becomes visible to others only with its first batch, so
	// that the answer counts that batch.
	err = db.InTx(ctx, s.pool, func(tx pgx.Tx, q *db.Queries) error {
		if id, err = q.WebhookReplayStart(ctx, db.WebhookReplayStartParams{
			MerchantID: *r.MerchantID, URL: *r.URL, FromAt: r.From, UntilAt: r.Until, StartedAt: s.clock.Now(),
		}); err != nil {
			return fmt.Errorf("begin a replay: %w", err)
		}
		_, err := replayBatchOf(ctx, tx, q, id)
		return err
	})
	if err != nil {
		return Progress{}, err
	}
	return s.ReplayProgress(ctx, who, id)
}

func (s *Events) ReplayProgress(ctx context.Context, who caller.Caller, id int64) (Progress, error) {
	whose, err := whose(who, caller.OperatorRead, caller.MerchantEvents)
	if err != nil {
		return Progress{}, err
	}
	row, err := s.q.WebhookReplayGet(ctx, db.WebhookReplayGetParams{ID: id, MerchantID: whose})
	if err != nil {
		return Progress{}, db.Missing(err, fault.ErrNotFound, "read a replay")
	}
	p := Progress{ID: &id, Replayed: row.Replayed, Done: row.State != "running", Stopped: row.State == "stopped"}
	if p.Done {
		return p, nil
	}
	p.Left, err = s.q.WebhookReplayLeft(ctx, db.WebhookReplayLeftParams{
		MerchantID: row.MerchantID, AfterNumber: row.AfterNumber, LastNumber: row.LastNumber, URL: row.URL,
		From: row.FromAt, Until: row.UntilAt, Most: leftMost + 1,
	})
	if err != nil {
		return Progress{}, fmt.Errorf("count what is left of a replay: %w", err)
	}
	if p.Left > leftMost {
		p.Left = -1
	}
	return p, nil
}

type Range struct {
	ID int64
	// Merchant is the name of the merchant whose events they are, and URL
	// is where they are sent.
	Merchant, URL string
	// Replayed is how many events became pending so far.
	Replayed int64
}

// rangesMost is how many ranges are listed.
const rangesMost = 20

// Replays lists the ranges that are being sent again, the newest first, at most
// 20: a merchant's own, or everybody's.
func (s *Events) Replays(ctx context.Context, who caller.Caller) ([]Range, error) {
	whose, err := whose(who, caller.OperatorRead, caller.MerchantEvents)
	if err != nil {
		return nil, err
	}
	rows, err := s.q.WebhookReplaysOf(ctx, db.WebhookReplaysOfParams{Whose: whose, Most: rangesMost})
	return db.Each(rows, func(row db.WebhookReplaysOfRow) Range {
		return Range{ID: row.ID, Merchant: row.Merchant, URL: row.URL, Replayed: row.Replayed}
	}), fault.Doing("list replays", err)
}

// StopReplay stops a range. What is already pending is delivered.
func (s *Events) StopReplay(ctx context.Context, who caller.Caller, id int64) (Progress, error) {
	whose, err := whose(who, caller.OperatorCases, caller.MerchantResend)
	if err != nil {
		return Progress{}, err
	}
	if err := s.q.WebhookReplayStop(ctx, db.WebhookReplayStopParams{ID: id, MerchantID: whose}); err != nil {
		return Progress{}, fmt.Errorf("stop a replay: %w", err)
	}
	return s.ReplayProgress(ctx, who, id)
}

// whose returns the merchant whose replays a caller may see: a merchant its
// own, and operators all, which is nil.
func whose(who caller.Caller, needed ...caller.Capability) (*int64, error) {
	if err := who.Need(needed...); err != nil {
		return nil, err
	}
	if who.Kind == caller.Operator {
		return nil, nil //nolint:nilnil // everybody's
	}
	return &who.MerchantID, nil
}

// FeedReplays continues the replayed ranges, each by as many batches as its
// endpoint accepts. A range that fails does not delay the others.
func (s *Events) FeedReplays(ctx context.Context) error {
	running, err := s.q.WebhookReplaysRunning(ctx)
	if err != nil {
		return fmt.Errorf("list replays: %w", err)
	}
	var failed []error
	for _, id := range running {
		for more := true; more && ctx.Err() == nil; {
			if more, err = s.replayNext(ctx, id); err != nil {
				failed = append(failed, fmt.Errorf("replay %d: %w", id, err))
				break
			}
		}
	}
	return errors.Join(failed...)
}

// validate checks that one event or a range is named, and not both. For a range
// the id is zero. Whose events the caller may replay is settled before.
func (r Replay) validate(ctx context.Context) (id uuid.UUID, err error) {
	f := fault.Decoded(ctx)
	f.Check(r.MerchantID != nil, "merchantId", "is required")
	if r.EventID == nil {
		f.Check(r.URL != nil && *r.URL != "", "url", "is required without eventId")
		f.Check(r.From == nil || r.Until == nil || r.From.Before(*r.Until), "until", "must be after from")
		return id, f.Err()
	}
	id, err = uuid.Parse(*r.EventID)
	f.Check(err == nil, "eventId", "must be a UUID")
	for field, set := range map[string]bool{"url": r.URL != nil, "from": r.From != nil, "until": r.Until != nil} {
		f.Check(!set, field, "must not be given with eventId")
	}
	return id, f.Err()
}

// replayOne makes an event pending again and queues it, whatever its status is,
// in one transaction. An event of another merchant is not found.
func (s *Events) replayOne(ctx context.Context, merchantID int64, id uuid.UUID) error {
	return db.InTx(ctx, s.pool, func(tx pgx.Tx, q *db.Queries) error {
		row, err := q.WebhookEventReplay(ctx, db.WebhookEventReplayParams{MerchantID: merchantID, ID: id})
		if err != nil {
			return db.Missing(err, fault.ErrNotFound, "replay event")
		}
		if row.URL == "" {
			return fault.Fields{"eventId": {"has no address: it is in the feed alone"}}.Err()
		}
		return queueAgain(ctx, tx, endpointKey{merchantID, hostOf(row.URL)}, []uuid.UUID{id}, []int32{row.Round})
	})
}

// replayNext takes a range's next batch, and reports whether more can be taken
// now. Nothing can be taken while enough deliveries wait for the endpoint, or
// while another process works on the range.
func (s *Events) replayNext(ctx context.Context, id int64) (more bool, err error) {
	err = db.InTx(ctx, s.pool, func(tx pgx.Tx, q *db.Queries) error {
		more, err = replayBatchOf(ctx, tx, q, id)
		return err
	})
	return more, err
}

// replayBatchOf makes a range's next dead events pending, in the caller's
// transaction, and reports whether more can be taken now. How far it came is
// stored with them, so that a crash neither skips an event nor takes one twice.
// It does nothing for a range that has ended or that another process works on,
// nor while enough deliveries are queued.
func replayBatchOf(ctx context.Context, tx pgx.Tx, q *db.Queries, id int64) (more bool, err error) {
	r, err := q.WebhookReplayLock(ctx, id)
	if err != nil {
		return false, db.IgnoreNoRows(err)
	}
	key := endpointKey{r.MerchantID, hostOf(r.URL)}
	queued, err := q.WebhookEndpointQueued(
		ctx,
		db.WebhookEndpointQueuedParams{MerchantID: key.merchantID, Host: key.host, Most: replayAhead},
	)
	if err != nil || queued >= replayAhead {
		return false, err
	}
	rows, err := q.WebhookEventReplayDead(ctx, db.WebhookEventReplayDeadParams{
		MerchantID:  r.MerchantID,
		URL:         r.URL,
		From:        r.FromAt,
		Until:       r.UntilAt,
		AfterNumber: r.AfterNumber,
		LastNumber:  r.LastNumber,
		Batch:       replayBatch,
	})
	if err != nil {
		return false, fmt.Errorf("replay dead events: %w", err)
	}
	last, done := r.AfterNumber, len(rows) < replayBatch
	var events []uuid.UUID
	var rounds []int32
	for _, row := range rows {
		last = max(last, row.Number)
		events, rounds = append(events, row.ID), append(rounds, row.Round)
	}
	err = q.WebhookReplayAdvance(
		ctx,
		db.WebhookReplayAdvanceParams{ID: id, AfterNumber: last, Count: int64(len(rows)), Done: done},
	)
	if err != nil || len(rows) == 0 {
		return !done, err
	}
	return !done, queueAgain(ctx, tx, key, events, rounds)
}

// queueAgain queues deliveries of an endpoint's events, each with the number of
// its round.
func queueAgain(ctx context.Context, tx pgx.Tx, e endpointKey, events []uuid.UUID, rounds []int32) error {
	queued.stir()
	err := db.Pipeline(
		ctx,
		tx,
		db.Do((*db.Queries).WebhookDeliveryAgain, db.WebhookDeliveryAgainParams{
			MerchantID: e.merchantID, Host: e.host, EventIds: events, Rounds: rounds,
		}),
		db.Do(
			(*db.Queries).WebhookEndpointTell,
			db.WebhookEndpointTellParams{MerchantIds: []int64{e.merchantID}, Hosts: []string{e.host}},
		),
	)
	return fault.Doing("queue deliveries", err)
}
