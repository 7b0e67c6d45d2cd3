package payment

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/metadata"
	"gateway.example/internal/webhook"
)

// Locked is a payment whose row a transaction has locked. Its methods change
// the payment and what belongs to it.
type Locked struct {
	Payment
	Tx      pgx.Tx
	row     db.Payment
	service *Service
}

// WithLocked locks a payment, runs fn on it in the transaction, and returns the
// payment as fn left it.
func (s *Service) WithLocked(ctx context.Context, merchantID, id int64, fn func(p *Locked) error) (Payment, error) {
	var locked *Locked
	err := s.inLocked(ctx, merchantID, id, func(tx pgx.Tx, p db.Payment) error {
		locked = &Locked{Payment: s.FromRow(p), Tx: tx, row: p, service: s}
		return fn(locked)
	})
	if locked == nil {
		return Payment{}, err
	}
	return locked.Payment, err
}

func (p *Locked) Move(ctx context.Context, to Status, actor string, reason *string) error {
	return p.change(ctx, change{to: to, actor: actor, reason: reason})
}

// Received applies what a bank's message reports: that an amount has arrived
// for a pending payment. It completes the payment or makes it a case.
func (p *Locked) Received(ctx context.Context, actor string, amount decimal.Decimal, messageID int64) error {
	c := change{to: Completed, actor: actor, said: &word{amount: amount, messageID: &messageID}}
	if err := p.service.arrive(p.row, &c, amount); err != nil {
		return err
	}
	return p.change(ctx, c)
}

func (p *Locked) change(ctx context.Context, c change) error {
	after, err := p.service.move(ctx, p.Tx, p.row, c)
	if err == nil {
		p.update(after)
	}
	return err
}

func (p *Locked) update(row db.Payment) { p.row, p.Payment = row, p.service.FromRow(row) }

// QueueEvent writes a webhook event of the payment that is not about its
// status, with the next event number. It fills in the event's meta.
func (p *Locked) QueueEvent(ctx context.Context, kind string, at time.Time, contents webhook.Contents) error {
	q := db.New(p.Tx)
	after, err := q.PaymentCountEvent(ctx, db.PaymentCountEventParams{MerchantID: p.MerchantID, ID: p.ID})
	if err != nil {
		return fmt.Errorf("count event: %w", err)
	}
	contents.Meta = statusMeta{
		ID:             after.ID,
		Method:         after.Method,
		PreviousStatus: strings.ToUpper(after.Status),
		Sequence:       after.EventSequence,
		ReceivedAmount: fiatOrNull(after.ReceivedAmount),
		Metadata:       metadata.Read(after.Metadata),
	}
	event, err := webhook.Event{
		MerchantID: after.MerchantID, CashboxID: after.CashboxID, Type: kind, Subject: subject, SubjectID: after.ID,
		Sequence: after.EventSequence, URL: after.CallbackURI, At: at,
	}.WithContents(contents)
	if err != nil {
		return err
	}
	if err := db.Run(ctx, q, event.Insert()...); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	p.update(after)
	return nil
}
