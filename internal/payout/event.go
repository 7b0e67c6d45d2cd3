package payout

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"gateway/internal/db"
	"gateway/internal/money"
	"gateway/internal/webhook"
)

// The webhook of a payout's terminal status.
const typeStatusUpdated = "payin.status.updated"

type eventBody struct {
	Type      string     `json:"type"`
	EventID   string     `json:"eventId"`
	CreatedAt string     `json:"createdAt"`
	Data      statusData `json:"data"`
	Meta      statusMeta `json:"meta"`
}

type statusData struct {
	ID         string `json:"id"`
	OrderID    string `json:"orderId"`
	Status     string `json:"status"`
	Amount     string `json:"amount"`
	Currency   string `json:"currency"`
	Method     string `json:"method"`
	FrozenUSDT string `json:"frozenUsdt"`
}

// statusMeta is not part of the stable contract.
type statusMeta struct {
	ID             string  `json:"id"`
	Method         string  `json:"method"`
	PreviousStatus string  `json:"previousStatus"`
	Reason         *string `json:"reason"`
	Sequence       int32   `json:"sequence"`
}

const timeFormat = "2006-01-02T15:04:05.000Z"

// statusEvent is the merchant's webhook for a change.
func statusEvent(from, to db.Payin) (webhook.Event, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return webhook.Event{}, fmt.Errorf("make event id: %w", err)
	}
	body, err := statusBody(id, from, to)
	return webhook.Event{
		ID: id, MerchantID: to.MerchantID, CashboxID: to.CashboxID, Type: typeStatusUpdated, Subject: subject,
		SubjectID: to.ID, Sequence: to.EventSequence, URL: to.CallbackURI, Body: body, At: to.StatusAt,
	}, err
}

func statusBody(id uuid.UUID, from, to db.Payin) ([]byte, error) {
	event := eventBody{
		Type: typeStatusUpdated, EventID: id.String(), CreatedAt: to.StatusAt.UTC().Truncate(time.Millisecond).Format(timeFormat),
		Data: statusData{
			ID: to.UUID.String(), OrderID: to.OrderID, Status: strings.ToUpper(to.Status), Amount: money.Fiat(to.Amount),
			Currency: to.Currency, Method: to.Method, FrozenUSDT: money.USDT(to.FrozenUSDT),
		},
		Meta: statusMeta{
			ID: to.UUID.String(), Method: to.Method, PreviousStatus: strings.ToUpper(from.Status),
			Reason: to.StatusReason, Sequence: to.EventSequence,
		},
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(event); err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	return bytes.TrimRight(body.Bytes(), "\n"), nil
}
