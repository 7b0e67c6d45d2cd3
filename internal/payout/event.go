package payout

import (
	"strings"

	"gateway.example/internal/db"
	"gateway.example/internal/metadata"
	"gateway.example/internal/money"
	"gateway.example/internal/webhook"
)

// The webhook about a payout's final status.
const typeStatusUpdated = "payin.status.updated"

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
	// ReturnOf is the payment whose money the payout returns to its payer.
	ReturnOf *int64       `json:"returnOf,omitempty"`
	Metadata metadata.Set `json:"metadata,omitempty"`
}

// statusEvent is the merchant's webhook about a change of status.
func statusEvent(from, to db.Payout) (webhook.Event, error) {
	data := statusData{
		ID: to.UUID.String(), OrderID: to.OrderID, Status: strings.ToUpper(to.Status), Amount: money.Fiat(to.Amount),
		Currency: to.Currency, Method: to.Method, FrozenUSDT: money.USDT(FromRow(to).FrozenUSDT),
	}
	meta := statusMeta{
		ID: to.UUID.String(), Method: to.Method, PreviousStatus: strings.ToUpper(from.Status),
		Reason: to.StatusReason, Sequence: to.EventSequence, ReturnOf: to.ReturnOf,
		Metadata: metadata.Read(to.Metadata),
	}
	return webhook.Event{
		MerchantID: to.MerchantID, CashboxID: to.CashboxID, Type: typeStatusUpdated, Subject: subject,
		SubjectID: to.ID, Sequence: to.EventSequence, URL: to.CallbackURI, At: to.StatusAt,
	}.WithContents(webhook.Contents{Data: data, Meta: meta})
}
