package deposit

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"gateway.example/internal/db"
	"gateway.example/internal/metadata"
	"gateway.example/internal/money"
	"gateway.example/internal/webhook"
)

// typeStatusUpdated is the webhook about the end of a deposit.
const typeStatusUpdated = "deposit.status.updated"

type statusData struct {
	ID                int64   `json:"id"`
	CashboxID         int64   `json:"merchantCashboxId"`
	Status            string  `json:"status"`
	Amount            string  `json:"amount"`
	Currency          string  `json:"currency"`
	Network           string  `json:"network"`
	Address           string  `json:"address"`
	ExternalReference *string `json:"externalReference"`
	IdempotencyKey    string  `json:"idempotencyKey"`
	TransactionHash   *string `json:"transactionHash"`
}

// statusMeta is not part of the stable contract.
type statusMeta struct {
	ID             string       `json:"id"`
	PreviousStatus string       `json:"previousStatus"`
	Reason         *string      `json:"reason"`
	Sequence       int32        `json:"sequence"`
	Metadata       metadata.Set `json:"metadata,omitempty"`
}

// tell queues the webhook about the end of a deposit, if its cashbox has an
// address for deposit events.
func tell(ctx context.Context, q *db.Queries, to db.Deposit, reason *string) error {
	url, err := q.CashboxDepositCallback(ctx, to.CashboxID)
	if err != nil {
		return fmt.Errorf("read where events go: %w", err)
	}
	if url == nil {
		return nil
	}
	data := statusData{
		ID: to.ID, CashboxID: to.CashboxID, Status: strings.ToUpper(to.Status), Amount: money.USDT(to.Amount), Currency: usdt,
		Network: to.Network, Address: to.Address, ExternalReference: to.ExternalReference,
		IdempotencyKey: to.IdempotencyKey.String(),
	}
	attached, err := q.DepositTransfersOf(ctx, []int64{to.ID})
	if err != nil {
		return fmt.Errorf("read the transfer of a deposit: %w", err)
	}
	for _, t := range attached {
		data.TransactionHash = &t.TransactionHash
	}
	meta := statusMeta{
		ID: strconv.FormatInt(to.ID, 10), PreviousStatus: strings.ToUpper(depositPending), Reason: reason, Sequence: 1,
		Metadata: metadata.Read(to.Metadata),
	}
	event, err := webhook.Event{
		MerchantID: to.MerchantID, CashboxID: to.CashboxID, Type: typeStatusUpdated, Subject: subject, SubjectID: to.ID,
		Sequence: meta.Sequence, URL: *url, At: to.StatusAt,
	}.WithContents(webhook.Contents{Data: data, Meta: meta})
	if err != nil {
		return err
	}
	return db.Run(ctx, q, event.Insert()...)
}
