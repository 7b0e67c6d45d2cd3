// Package webhook keeps the events merchants are told of and delivers them: at least once, signed, each on its own
// schedule. An event is written in the transaction of the change it tells of, and into the outbox with it; once that is
// committed, a relay numbers it and queues its delivery.
package webhook

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"gateway/internal/db"
)

// Event is one thing a merchant is told, as it will be sent.
type Event struct {
	ID         uuid.UUID
	MerchantID int64
	CashboxID  int64
	Type       string
	// Subject and SubjectID say what the event is about; Sequence numbers the subject's events from 1.
	Subject   string
	SubjectID int64
	Sequence  int32
	URL       string
	Body      []byte
	At        time.Time
}

// Insert writes the event, and with it all that is needed for its delivery.
func (e Event) Insert() db.Query {
	return db.Do((*db.Queries).WebhookEventInsert, db.WebhookEventInsertParams{
		MerchantID: e.MerchantID, ID: e.ID, CashboxID: e.CashboxID, Type: e.Type, Subject: e.Subject,
		SubjectID: e.SubjectID, Sequence: e.Sequence, URL: e.URL, Body: e.Body, CreatedAt: e.At,
	})
}

// queueAgain queues deliveries of events that are sent again: it happens exactly if the transaction commits.
func queueAgain(ctx context.Context, jobs *river.Client[pgx.Tx], tx pgx.Tx, list []delivery) error {
	params := make([]river.InsertManyParams, 0, len(list))
	for _, d := range list {
		params = append(params, river.InsertManyParams{Args: d})
	}
	if _, err := jobs.InsertManyFastTx(ctx, tx, params); err != nil {
		return fmt.Errorf("queue deliveries: %w", err)
	}
	return nil
}

// delivery is the job that delivers an event.
type delivery struct {
	MerchantID int64     `json:"merchant_id"`
	EventID    uuid.UUID `json:"event_id"`
	// Host is where the event goes, so that a delivery to a crowded host is put off before anything is read.
	Host string `json:"host"`
	// Round is the event's when the delivery was queued; once it is another's, this one does nothing.
	Round int32 `json:"round"`

	// retryAfter is the last attempt's, on its way to NextRetry.
	retryAfter time.Duration
}

// Kind implements river.JobArgs.
func (delivery) Kind() string { return "webhook" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (delivery) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: Queue, MaxAttempts: attempts + spareAttempts}
}

// hostOf is the host and port of an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// Queue is the job queue deliveries wait in.
const Queue = "webhook"

// QueueConfig is how the queue is worked. A worker that waits for an answer holds no connection, so there are many: a
// hundred endpoints that hang at once leave some free. A job may miss its notification, as they are debounced, and
// jobs that were turned away have none: so the queue is asked often.
func QueueConfig() river.QueueConfig {
	return river.QueueConfig{MaxWorkers: 1000, FetchCooldown: 20 * time.Millisecond, FetchPollInterval: 200 * time.Millisecond}
}

const (
	attempts = len(delays) + 1
	// spareAttempts are for those the queue counts and we do not: where a process died after the last, or the database
	// was away, the event must still be found dead and not be left pending with no job.
	spareAttempts = 10
)

// delays between one attempt and the next, each ± 10%.
var delays = [...]time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}
