package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// body is the documented shape of every event: interface, "Events". Meta is not part of the stable contract.
type body struct {
	Type      string `json:"type"`
	EventID   string `json:"eventId"`
	CreatedAt string `json:"createdAt"`
	Data      any    `json:"data"`
	Meta      any    `json:"meta"`
}

// Telling is the event with a new id and the body that tells data and meta.
func (e Event) Telling(data, meta any) (Event, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return e, fmt.Errorf("make event id: %w", err)
	}
	e.ID = id
	created := e.At.UTC().Truncate(time.Millisecond).Format("2006-01-02T15:04:05.000Z")
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body{Type: e.Type, EventID: id.String(), CreatedAt: created, Data: data, Meta: meta}); err != nil {
		return e, fmt.Errorf("encode event: %w", err)
	}
	e.Body = bytes.TrimRight(encoded.Bytes(), "\n")
	return e, nil
}
