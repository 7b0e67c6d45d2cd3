package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// Replay asks for events to be sent again: one, or the dead ones of an endpoint.
type Replay struct {
	// EventID names one event, whatever its status.
	EventID *string
	// URL names an endpoint, exactly as its events have it, and From and Until which of its dead events by when they
	// were created: from then on, and before then. Nil leaves that end open.
	URL         *string
	From, Until *time.Time
	// MerchantID is whose events they are. Operators name it; merchants have only their own.
	MerchantID *int64
}

// replayBatch is how many events one transaction takes.
const replayBatch = 1000

// Replay makes events pending and queues their delivery, on a schedule that begins anew; a delivery still queued for
// one of them does nothing any more. It answers how many there were. A range is taken a batch a transaction: a call cut
// short has sent some again, and the same call sends the rest.
func (s *Events) Replay(ctx context.Context, who Asker, r Replay) (int64, error) {
	if !who.Operator {
		if err := who.needMerchant(); err != nil {
			return 0, err
		}
		r.MerchantID = &who.MerchantID
	}
	id, err := r.validate(ctx)
	if err != nil {
		return 0, err
	}
	if r.EventID != nil {
		return s.replayOne(ctx, *r.MerchantID, id)
	}
	return s.replayDead(ctx, r)
}

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

func (s *Events) replayOne(ctx context.Context, merchantID int64, id uuid.UUID) (int64, error) {
	err := db.InTx(ctx, s.pool, func(tx pgx.Tx, q *db.Queries) error {
		row, err := q.WebhookEventReplay(ctx, db.WebhookEventReplayParams{MerchantID: merchantID, ID: id})
		if db.NoRows(err) {
			return fault.ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("replay event: %w", err)
		}
		return queueAgain(ctx, tx, endpointKey{merchantID, hostOf(row.URL)}, []uuid.UUID{id}, []int32{row.Round})
	})
	if err != nil {
		return 0, err
	}
	return 1, nil
}

func (s *Events) replayDead(ctx context.Context, r Replay) (int64, error) {
	var total, after int64
	for {
		// Going on after the last number ends even if the endpoint kills events as fast as they are sent again.
		count, last, err := s.replayNext(ctx, r, after)
		if err != nil || count == 0 {
			return total, err
		}
		total, after = total+count, last
	}
}

// replayNext takes one batch of those after a number. It answers how many there were and the last one's number.
func (s *Events) replayNext(ctx context.Context, r Replay, after int64) (count, last int64, err error) {
	err = db.InTx(ctx, s.pool, func(tx pgx.Tx, q *db.Queries) error {
		rows, err := q.WebhookEventReplayDead(ctx, db.WebhookEventReplayDeadParams{
			MerchantID: *r.MerchantID, URL: *r.URL, From: r.From, Until: r.Until, AfterNumber: after, Batch: replayBatch,
		})
		if err != nil {
			return fmt.Errorf("replay dead events: %w", err)
		}
		count, last = int64(len(rows)), after
		if count == 0 {
			return nil
		}
		var events []uuid.UUID
		var rounds []int32
		for _, row := range rows {
			last = max(last, row.Number)
			events, rounds = append(events, row.ID), append(rounds, row.Round)
		}
		return queueAgain(ctx, tx, endpointKey{*r.MerchantID, hostOf(*r.URL)}, events, rounds)
	})
	return count, last, err
}

// queueAgain queues deliveries of an endpoint's events, each in its round.
func queueAgain(ctx context.Context, tx pgx.Tx, e endpointKey, events []uuid.UUID, rounds []int32) error {
	err := db.Pipeline(ctx, tx,
		db.Do((*db.Queries).WebhookDeliveryAgain, db.WebhookDeliveryAgainParams{
			MerchantID: e.merchantID, Host: e.host, EventIds: events, Rounds: rounds,
		}),
		db.Do((*db.Queries).WebhookEndpointTell, db.WebhookEndpointTellParams{MerchantIds: []int64{e.merchantID}, Hosts: []string{e.host}}),
	)
	if err != nil {
		return fmt.Errorf("queue deliveries: %w", err)
	}
	return nil
}
