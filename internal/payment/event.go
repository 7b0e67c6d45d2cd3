package payment

import (
	"strings"

	"gateway.example/internal/card"
	"gateway.example/internal/db"
	"gateway.example/internal/money"
	"gateway.example/internal/webhook"
)

// The documented webhook of a status change: interface, "Events".
const typeStatusUpdated = "payment.status.updated"

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

// statusEvent is the merchant's webhook for a change.
func statusEvent(from, to db.Payment, shown *card.Shown) (webhook.Event, error) {
	data := statusData{
		UUID: to.UUID.String(), OrderID: to.OrderID, Status: strings.ToUpper(to.Status),
		Amount: money.Fiat(to.Amount), Currency: to.Currency, PayerRequisites: payerRequisitesOf(shown),
	}
	meta := statusMeta{
		ID: to.ID, Method: to.Method, PreviousStatus: strings.ToUpper(from.Status),
		Reason: to.StatusReason, Sequence: to.EventSequence,
	}
	return webhook.Event{
		MerchantID: to.MerchantID, CashboxID: to.CashboxID, Type: typeStatusUpdated, Subject: subject,
		SubjectID: to.ID, Sequence: to.EventSequence, URL: to.CallbackURI, At: to.StatusAt,
	}.Telling(webhook.Contents{Data: data, Meta: meta})
}
