package payment

import (
	"strings"

	"gateway.example/internal/card"
	"gateway.example/internal/db"
	"gateway.example/internal/metadata"
	"gateway.example/internal/money"
	"gateway.example/internal/webhook"
)

// The documented webhook of a status change: interface, "Events".
const typeStatusUpdated = "payment.status.updated"

// typePayerClaimed is the event that the payer says they have paid, for
// merchants who want it.
const typePayerClaimed = "payment.payer.claimed"

type statusData struct {
	UUID     string `json:"uuid"`
	OrderID  string `json:"orderId"`
	Status   string `json:"status"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`

	PayerRequisites *payerRequisites `json:"payerRequisites,omitempty"`
}

func dataOf(p db.Payment) statusData {
	return statusData{
		UUID: p.UUID.String(), OrderID: p.OrderID, Status: strings.ToUpper(p.Status),
		Amount: money.Fiat(p.Amount), Currency: p.Currency,
	}
}

// statusMeta is not part of the stable contract.
type statusMeta struct {
	ID             int64   `json:"id"`
	Method         string  `json:"method"`
	PreviousStatus string  `json:"previousStatus"`
	Reason         *string `json:"reason"`
	Sequence       int32   `json:"sequence"`
	// ReceivedAmount is the amount that arrived, if it was reported.
	ReceivedAmount *string `json:"receivedAmount"`
	// Late says that the payment was completed after it had expired.
	Late bool `json:"late,omitempty"`
	// Case is the state of a case, if another amount arrived: open, taken,
	// waiting, returned or ended.
	Case     string       `json:"case,omitempty"`
	Metadata metadata.Set `json:"metadata,omitempty"`
}

// statusEvent is the merchant's webhook about a change of status.
func statusEvent(from, to db.Payment, c change, shown *card.Shown) (webhook.Event, error) {
	data := dataOf(to)
	data.PayerRequisites = payerRequisitesOf(shown)
	meta := statusMeta{
		ID: to.ID, Method: to.Method, PreviousStatus: strings.ToUpper(from.Status),
		Reason: to.StatusReason, Sequence: to.EventSequence, ReceivedAmount: fiatOrNull(to.ReceivedAmount), Late: c.late, Case: c.decided,
		Metadata: metadata.Read(to.Metadata),
	}
	return webhook.Event{
		MerchantID: to.MerchantID, CashboxID: to.CashboxID, Type: typeStatusUpdated, Subject: subject,
		SubjectID: to.ID, Sequence: to.EventSequence, URL: to.CallbackURI, At: to.StatusAt,
	}.WithContents(webhook.Contents{Data: data, Meta: meta})
}
