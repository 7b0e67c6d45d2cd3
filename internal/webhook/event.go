package webhook

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/vault"
)

// Events lists and replays events and rotates signing secrets, for merchants
// and operators.
type Events struct {
	pool  db.Pool
	reads db.Pool
	q     *db.Queries
	vault *vault.Vault
	clock clock.Clock
}

func NewEvents(pools db.Pools, v *vault.Vault, c clock.Clock) *Events {
	return &Events{pool: pools.Calls, reads: pools.Reads, q: db.New(pools.Reads), vault: v, clock: c}
}

// Record is an event with the state of its delivery.
type Record struct {
	ID         uuid.UUID
	MerchantID int64
	Type       string
	URL        string
	Body       []byte
	CreatedAt  time.Time
	// Status is pending, delivered or dead.
	Status string
	// Attempts are in the order in which they were made.
	Attempts []Attempt
}

// Attempt is one attempt at delivery. Without an answer, StatusCode and Answer
// are nil and Error says why.
type Attempt struct {
	At         time.Time
	DurationMs int32
	StatusCode *int32
	// Answer is the beginning of the answer's body, as raw bytes.
	Answer []byte
	Error  *string
}

// Paging says how long a page is, and where the one before ended.
type Paging = db.Page

// FeedPage asks for a page of a merchant's feed, after the cursor in ascending
// order.
type FeedPage struct {
	Paging
	// Status filters by status; nil is all.
	Status *string
}

// List lists a merchant's events with their attempts, for a user of its portal.
func (s *Events) List(ctx context.Context, who caller.Caller, page FeedPage) ([]Record, *string, error) {
	if err := who.Need(caller.MerchantEvents); err != nil {
		return nil, nil, err
	}
	list, cursor, err := s.feed(ctx, who.MerchantID, page)
	if err != nil {
		return nil, nil, err
	}
	return list, cursor, s.addAttempts(ctx, list)
}

// Feed lists a merchant's events without their attempts, for its key.
func (s *Events) Feed(ctx context.Context, who caller.Caller, page FeedPage) ([]Record, *string, error) {
	if err := who.NeedMerchant(caller.ScopePayments); err != nil {
		return nil, nil, err
	}
	return s.feed(ctx, who.MerchantID, page)
}

// feed lists a merchant's events, the oldest first, in the order of the numbers
// that the relay gave them. No event ever appears before a cursor that was
// handed out. Events without a number are not listed yet. The cursor is that of
// the last event, even if no event follows it yet; it is nil if there was no
// event at all. Status filters by the present status: an event that gets that
// status after the cursor has passed it is not listed again.
func (s *Events) feed(ctx context.Context, merchantID int64, page FeedPage) ([]Record, *string, error) {
	limit, after, err := page.validate(ctx)
	if err != nil {
		return nil, nil, err
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.WebhookEventFeedRow, error) {
		return q.WebhookEventFeed(ctx, db.WebhookEventFeedParams{
			MerchantID: merchantID, Status: page.Status, AfterNumber: after, Page: limit,
		})
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list events: %w", err)
	}
	if len(rows) == 0 && after > 0 {
		if err := s.refuseBeyond(ctx, after); err != nil {
			return nil, nil, err
		}
	}
	list, cursor := make([]Record, 0, len(rows)), page.Cursor
	for _, row := range rows {
		list = append(list, Record{
			ID:         row.ID,
			MerchantID: row.MerchantID,
			Type:       row.Type,
			URL:        row.URL,
			Body:       row.Body,
			CreatedAt:  row.CreatedAt,
			Status:     row.Status,
		})
		next := strconv.FormatInt(row.Number, 10)
		cursor = &next
	}
	return list, cursor, nil
}

// refuseBeyond refuses a cursor beyond the last event. Such a cursor is from
// before a backup was restored: the next events would get lower numbers and
// would never be listed.
func (s *Events) refuseBeyond(ctx context.Context, after int64) error {
	last, err := s.q.WebhookRelayLast(ctx)
	if err != nil {
		return fmt.Errorf("read the last event's number: %w", err)
	}
	if after <= last {
		return nil
	}
	return fault.Fields{
		"cursor": {"is beyond the last event: begin without a cursor, and recognise events by eventId"},
	}.Err()
}

// DeadPage asks for a page of dead events, the newest first.
type DeadPage struct {
	Paging
	// MerchantID filters by merchant; nil is all.
	MerchantID *int64
}

// ListDead lists the dead events, the newest first, to operators. The cursor is
// nil on the last page.
func (s *Events) ListDead(ctx context.Context, who caller.Caller, page DeadPage) ([]Record, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	rows, cursor, err := db.ListPage(ctx, s.reads, fault.Decoded(ctx), page.Paging, "list dead events",
		func(q *db.Queries, before int64, rows int32) ([]db.WebhookEventDeadRow, error) {
			return q.WebhookEventDead(ctx, db.WebhookEventDeadParams{MerchantID: page.MerchantID, BeforeNumber: before, Page: rows})
		}, func(row db.WebhookEventDeadRow) int64 { return row.Number })
	if err != nil {
		return nil, nil, err
	}
	list := db.Each(rows, func(row db.WebhookEventDeadRow) Record {
		return Record{
			ID: row.ID, MerchantID: row.MerchantID, Type: row.Type, URL: row.URL, Body: row.Body, CreatedAt: row.CreatedAt, Status: row.Status,
		}
	})
	return list, cursor, s.addAttempts(ctx, list)
}

// addAttempts adds their attempts to the events of a page.
func (s *Events) addAttempts(ctx context.Context, list []Record) error {
	if len(list) == 0 {
		return nil
	}
	at := make(map[uuid.UUID]int, len(list))
	var params db.WebhookAttemptListParams
	for i, record := range list {
		at[record.ID] = i
		params.MerchantIds = append(params.MerchantIds, record.MerchantID)
		params.EventIds = append(params.EventIds, record.ID)
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.WebhookAttempt, error) {
		return q.WebhookAttemptList(ctx, params)
	})
	if err != nil {
		return fmt.Errorf("list attempts: %w", err)
	}
	for _, row := range rows {
		record := &list[at[row.EventID]]
		record.Attempts = append(record.Attempts, Attempt{
			At: row.At, DurationMs: row.DurationMs, StatusCode: row.StatusCode, Answer: row.Answer, Error: row.Error,
		})
	}
	return nil
}

// validate checks what is asked of the feed. after is the number of the last
// event that the caller has, and 0 at the beginning.
func (p FeedPage) validate(ctx context.Context) (limit int32, after int64, err error) {
	f := fault.Decoded(ctx)
	limit = p.Size(f)
	if p.Status != nil {
		known := *p.Status == statusPending || *p.Status == statusDelivered || *p.Status == statusDead
		f.Check(known, "status", "must be pending, delivered or dead")
	}
	if p.Cursor != nil {
		// A cursor of an older version, which counted transactions, is
		// too long for a number and is refused, because it is not known
		// which events follow it.
		after, err = strconv.ParseInt(*p.Cursor, 10, 64)
		f.Check(err == nil && after > 0, "cursor", "is not a cursor of ours")
	}
	return limit, after, f.Err()
}
