package withdrawal

import (
	"context"
	"strconv"
	"strings"

	"gateway.example/internal/db"
	"gateway.example/internal/money"
	"gateway.example/internal/webhook"
)

// typeStatusUpdated is the webhook about every change of a withdrawal's status.
const typeStatusUpdated = "withdrawal.status.updated"

type statusData struct {
	ID              int64   `json:"id"`
	OrderID         string  `json:"orderId"`
	Status          string  `json:"status"`
	Amount          string  `json:"amount"`
	Fee             string  `json:"fee"`
	Currency        string  `json:"currency"`
	Network         string  `json:"network"`
	Address         string  `json:"address"`
	TransactionHash *string `json:"transactionHash"`
}

// statusMeta is not part of the stable contract.
type statusMeta struct {
	ID             string  `json:"id"`
	PreviousStatus string  `json:"previousStatus"`
	Reason         *string `json:"reason"`
	Sequence       int32   `json:"sequence"`
}

// tell queues the merchant's webhook about a change of status. Traders get
// none.
func tell(ctx context.Context, q *db.Queries, from, to db.Withdrawal) error {
	if to.CashboxID == nil {
		return nil
	}
	data := statusData{
		ID: to.ID, OrderID: to.OrderID, Status: strings.ToUpper(to.Status), Amount: money.USDT(to.Amount),
		Fee: money.USDT(to.Fee), Currency: "USDT", Network: to.Network, Address: to.Address,
		TransactionHash: to.TransactionHash,
	}
	meta := statusMeta{
		ID: strconv.FormatInt(to.ID, 10), PreviousStatus: strings.ToUpper(from.Status), Reason: to.StatusReason,
		Sequence: to.EventSequence,
	}
	event, err := webhook.Event{
		MerchantID: to.OwnerID, CashboxID: *to.CashboxID, Type: typeStatusUpdated, Subject: subject, SubjectID: to.ID,
		Sequence: to.EventSequence, URL: to.CallbackURI, At: to.StatusAt,
	}.WithContents(webhook.Contents{Data: data, Meta: meta})
	if err != nil {
		return err
	}
	return db.Run(ctx, q, event.Insert()...)
}
