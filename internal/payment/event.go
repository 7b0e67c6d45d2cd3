package payment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"gateway/internal/card"
	"gateway/internal/db"
	"gateway/internal/money"
	"gateway/internal/webhook"
)

// The documented webhook of a status change: interface, "Events".
const typeStatusUpdated = "payment.status.updated"

type eventBody struct {
	Type      string     `json:"type"`
	EventID   string     `json:"eventId"`
	CreatedAt string     `json:"createdAt"`
	Data      statusData `json:"data"`
	Meta      statusMeta `json:"meta"`
}

type statusData struct {
	UUID     string `json:"uuid"`
	OrderID  string `json:"orderId"`
	Status   string `json:"status"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`

	PayerRequisites *payerRequisites `json:"payerRequisites,omitempty"`
}

// statusMeta is not part of the stable contract.
type statusMeta struct {
	ID             int64   `json:"id"`
	Method         string  `json:"method"`
	PreviousStatus string  `json:"previousStatus"`
	Reason         *string `json:"reason"`
	Sequence       int32   `json:"sequence"`
}

const timeFormat = "2006-01-02T15:04:05.000Z"

// statusEvent is the merchant's webhook for a change.
func statusEvent(from, to db.Payment, shown *card.Shown) (webhook.Event, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return webhook.Event{}, fmt.Errorf("make event id: %w", err)
	}
	body, err := statusBody(id, from, to, shown)
	return webhook.Event{
		ID: id, MerchantID: to.MerchantID, CashboxID: to.CashboxID, Type: typeStatusUpdated, Subject: subject,
		SubjectID: to.ID, Sequence: to.EventSequence, URL: to.CallbackURI, Body: body, At: to.StatusAt,
	}, err
}

func statusBody(id uuid.UUID, from, to db.Payment, shown *card.Shown) ([]byte, error) {
	event := eventBody{
		Type: typeStatusUpdated, EventID: id.String(), CreatedAt: to.StatusAt.UTC().Truncate(time.Millisecond).Format(timeFormat),
		Data: statusData{
			UUID: to.UUID.String(), OrderID: to.OrderID, Status: strings.ToUpper(to.Status),
			Amount: money.Fiat(to.Amount), Currency: to.Currency, PayerRequisites: payerRequisitesOf(shown),
		},
		Meta: statusMeta{
			ID: to.ID, Method: to.Method, PreviousStatus: strings.ToUpper(from.Status),
			Reason: to.StatusReason, Sequence: to.EventSequence,
		},
	}
	return encodeEvent(event)
}

func encodeEvent(event any) ([]byte, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(event); err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	return bytes.TrimRight(body.Bytes(), "\n"), nil
}
