package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Contents are the contents of an event. Meta is not part of the stable
// contract.
type Contents struct {
	// ID and OrderID are set if the documented event has them outside its
	// data.
	ID      string `json:"id,omitempty"`
	OrderID string `json:"order_id,omitempty"`
	Data    any    `json:"data"`
	Meta    any    `json:"meta"`
}

// body is the documented form of every event.
type body struct {
	Type      string `json:"type"`
	EventID   string `json:"eventId"`
	CreatedAt string `json:"createdAt"`
	Contents
}

// TimeFormat is how events write times.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// WithContents returns the event with a new id and with the body for these
// contents.
func (e Event) WithContents(c Contents) (Event, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return e, fmt.Errorf("make event id: %w", err)
	}
	e.ID = id
	created := e.At.UTC().Truncate(time.Millisecond).Format(TimeFormat)
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body{Type: e.Type, EventID: id.String(), CreatedAt: created, Contents: c}); err != nil {
		return e, fmt.Errorf("encode event: %w", err)
	}
	e.Body = bytes.TrimRight(encoded.Bytes(), "\n")
	return e, nil
}
