// Package webhook stores the events for merchants and delivers them: at least
// once, signed, each on its own schedule. An event is written, also to the
// outbox, in the transaction of the change that it is about. After the commit a
// relay numbers it and queues its delivery.
package webhook

import (
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/db"
)

// Event is an event as it will be sent to the merchant.
type Event struct {
	ID         uuid.UUID
	MerchantID int64
	CashboxID  int64
	Type       string
	// Subject and SubjectID say what the event is about; Sequence numbers
	// the subject's events from 1.
	Subject   string
	SubjectID int64
	Sequence  int32
	URL       string
	Body      []byte
	At        time.Time
}

// Insert writes the event and everything needed for its delivery.
func (e Event) Insert() []db.Query {
	written.stir()
	return []db.Query{
		db.Do((*db.Queries).WebhookEventInsert, db.WebhookEventInsertParams{
			MerchantID: e.MerchantID, ID: e.ID, CashboxID: e.CashboxID, Type: e.Type, Subject: e.Subject,
			SubjectID: e.SubjectID, Sequence: e.Sequence, URL: e.URL, Body: e.Body, CreatedAt: e.At,
		}),
		db.Do((*db.Queries).WebhookOutboxInsert, db.WebhookOutboxInsertParams{MerchantID: e.MerchantID, EventID: e.ID}),
	}
}

// hostOf is the host and port of an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// attempts is how often an event is tried in a round.
//
//rule:how often a webhook is tried before it is given up
const attempts = len(delays) + 1

// delays are between one attempt and the next, each ± 10%.
//
//rule:after which delays a webhook is tried again
var delays = [...]time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}
