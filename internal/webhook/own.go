package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Told is an event with everything that is known about it.
type Told struct {
	Record
	CashboxID int64
	// Number is the event's number in the feed; nil until it has one.
	Number *int64
	// Subject and SubjectID say what the event is about; Sequence numbers
	// the subject's events.
	Subject   string
	SubjectID int64
	Sequence  int32
}

// Get reads an event of a merchant with its attempts.
func (s *Events) Get(ctx context.Context, who caller.Caller, id string) (Told, error) {
	if err := who.Admit(ctx, caller.MerchantEvents); err != nil {
		return Told{}, err
	}
	parsed, err := uuid.Parse(id)
	if err != nil {
		return Told{}, fault.ErrNotFound
	}
	row, err := s.q.WebhookEventGet(ctx, db.WebhookEventGetParams{MerchantID: who.MerchantID, ID: parsed})
	if err != nil {
		return Told{}, db.Missing(err, fault.ErrNotFound, "read event")
	}
	list := []Record{{
		ID: row.ID, MerchantID: row.MerchantID, Type: row.Type, URL: row.URL, Body: row.Body, CreatedAt: row.CreatedAt,
		Status: row.Status,
	}}
	if err := s.addAttempts(ctx, list); err != nil {
		return Told{}, err
	}
	return Told{
		Record: list[0], CashboxID: row.CashboxID, Number: row.Number, Subject: row.Subject, SubjectID: row.SubjectID,
		Sequence: row.Sequence,
	}, nil
}

// latestAmong is how many of a merchant's events are searched for the last one
// of a cashbox.
const latestAmong = 5000

// Latest returns the last event of a merchant's cashbox, so that it can be sent
// again as a test. The contract has no event just for tests, so an endpoint
// need not be prepared for one.
func (s *Events) Latest(ctx context.Context, who caller.Caller, cashboxID int64) (uuid.UUID, error) {
	if err := who.Admit(ctx, caller.MerchantEvents); err != nil {
		return uuid.Nil, err
	}
	id, err := s.q.WebhookEventLatest(ctx, db.WebhookEventLatestParams{
		MerchantID: who.MerchantID, CashboxID: cashboxID, Most: latestAmong,
	})
	return id, db.Missing(err, fault.ErrNotFound, "find the last event")
}

// OldSecrets lists until when each older secret of a merchant's cashbox still
// signs events.
func (s *Events) OldSecrets(ctx context.Context, who caller.Caller, cashboxID int64) ([]time.Time, error) {
	if err := who.Admit(ctx, caller.MerchantEvents); err != nil {
		return nil, err
	}
	box, err := s.q.CashboxOwner(ctx, cashboxID)
	if db.NoRows(err) || err == nil && box.MerchantID != who.MerchantID {
		return nil, fault.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("find cashbox: %w", err)
	}
	ends, err := s.q.WebhookSecretPreviousList(ctx, cashboxID)
	if err != nil {
		return nil, fmt.Errorf("list secrets: %w", err)
	}
	now, signing := s.clock.Now(), make([]time.Time, 0, len(ends))
	for _, end := range ends {
		if end.After(now) {
			signing = append(signing, end)
		}
	}
	return signing, nil
}
