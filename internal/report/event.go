package report

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
)

// EventFilter selects some of a merchant's events. Statuses are pending,
// delivered and dead. A search finds the uuid of an event, or the uuid or id of
// the payment or payout that it is about.
type EventFilter struct {
	Filter
	// Type selects one type; "" is any.
	Type string
}

type EventItem struct {
	ID uuid.UUID
	// Number is the event's number in the merchant's feed; 0 if it has none
	// yet.
	Number int64
	Type   string
	// Subject is payment or payin. Sequence numbers the subject's events
	// from 1, without gaps.
	Subject   string
	SubjectID int64
	Sequence  int32
	URL       string
	CreatedAt time.Time
	Status    string
	// Attempts is the number of attempts. LastCode is the status of the
	// last answer, or nil.
	Attempts int32
	LastCode *int32
}

var eventStatuses = []string{"pending", "delivered", "dead"}

// eventIndexed says that an index has the events of each status separately.
var eventIndexed = statusIndexed{merchant: eventStatuses}

// Events lists a merchant's own events, the newest first.
func (s *Service) Events(ctx context.Context, who caller.Caller, f EventFilter) (Page[EventItem], error) {
	if err := who.Need(caller.MerchantEvents); err != nil {
		return Page[EventItem]{}, err
	}
	fault.Decoded(ctx).MaxLength("type", f.Type, maxFilter)
	w, err := f.check(ctx, eventStatuses)
	if err != nil {
		return Page[EventItem]{}, err
	}
	f.Filter = scopeOf(who, f.Filter).Filter
	if f.Search != "" {
		return s.eventsNamed(ctx, f)
	}
	t := eventTable{EventFilter: f, created: s.createdWithin(f.Filter)}
	if w, err = s.eventNumbers(ctx, f.MerchantID).bound(w, t.created, f.Filter, relayedWithin); err != nil {
		return Page[EventItem]{}, fmt.Errorf("bound events: %w", err)
	}
	page, err := read(ctx, s, t, scope{Filter: f.Filter}.branchesBy(eventIndexed), w)
	return turned(page, eventItem), fault.Doing("list events", err)
}

// eventsNamed lists the events that a search names. The rest of the filter does
// not apply to them.
func (s *Service) eventsNamed(ctx context.Context, f EventFilter) (Page[EventItem], error) {
	params := db.ReportEventsNamedParams{MerchantID: f.MerchantID, Page: limitMost}
	if id, err := uuid.Parse(f.Search); err == nil {
		params.NamedUUID = pgtype.UUID{Bytes: id, Valid: true}
	} else if id, err := strconv.ParseInt(f.Search, 10, 64); err == nil {
		params.NamedID = &id
	} else {
		return Page[EventItem]{}, nil
	}
	rows, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]db.ReportEventsNamedRow, error) {
		return q.ReportEventsNamed(ctx, params)
	})
	if err != nil {
		return Page[EventItem]{}, fmt.Errorf("find events: %w", err)
	}
	return Page[EventItem]{Items: db.Each(rows, func(row db.ReportEventsNamedRow) EventItem {
		return eventItem(db.ReportEventsListedRow(row))
	})}, nil
}

// relayedWithin is longer than events wait for their numbers. So the order of
// numbers differs from the order of creation by at most this time.
const relayedWithin = 10 * time.Minute

func (s *Service) eventNumbers(ctx context.Context, merchantID int64) numbers {
	return numbers{
		last: func() (int64, error) { return s.q.ReportEventLast(ctx, merchantID) },
		from: func(number int64) (mark, error) {
			row, err := s.q.ReportEventAtOrAfter(ctx, db.ReportEventAtOrAfterParams{MerchantID: merchantID, Number: number})
			return mark{row.Number, row.CreatedAt}, err
		},
	}
}

type eventTable struct {
	EventFilter
	created created
}

func (eventTable) id(row db.ReportEventsListedRow) int64 { return row.Number }

func (t eventTable) list(
	ctx context.Context, q *db.Queries, branch *string, w window,
) ([]db.ReportEventsListedRow, error) {
	return q.ReportEventsListed(ctx, db.ReportEventsListedParams{
		MerchantID: t.MerchantID, Above: w.above, Below: w.below, Status: branch, Scan: scanMost,
		CreatedFrom: t.created.from, CreatedTo: t.created.to, Type: optional.Of(t.Type), Page: int32(w.limit) + 1,
		Backward: w.backward,
	})
}

func (t eventTable) stop(ctx context.Context, q *db.Queries, branch *string, w window) (*mark, error) {
	row, err := q.ReportEventsStop(ctx, db.ReportEventsStopParams{
		MerchantID: t.MerchantID, Above: w.above, Below: w.below, Status: branch, Past: scanMost - 1, Backward: w.backward,
	})
	return stopped(row.Number, row.CreatedAt, err)
}

func eventItem(row db.ReportEventsListedRow) EventItem {
	return EventItem{
		ID: row.ID, Number: row.Number, Type: row.Type, Subject: row.Subject, SubjectID: row.SubjectID,
		Sequence: row.Sequence, URL: row.URL, CreatedAt: row.CreatedAt, Status: row.Status, Attempts: row.Attempts,
		LastCode: row.LastCode,
	}
}
