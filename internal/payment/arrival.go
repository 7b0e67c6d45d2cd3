package payment

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
)

// ArrivalState says what happened to a transfer that has arrived.
type ArrivalState string

// A transfer is free while it counts towards no payment, kept while it counts
// towards one, and returned once a payout sends it back to its payer.
const (
	ArrivalFree     ArrivalState = "free"
	ArrivalKept     ArrivalState = "kept"
	ArrivalReturned ArrivalState = "returned"
)

// Arrival is a transfer whose amount differs from what a payment asked for,
// which is a part of that, or which belongs to no payment.
type Arrival struct {
	ID          int64
	RequisiteID int64
	Currency    string
	Amount      decimal.Decimal
	// CameAt is when the transfer arrived, and CreatedAt when it was
	// reported.
	CameAt, CreatedAt time.Time
	// Payer is who sent it, and Note what the trader remarks about it; both
	// may be "".
	Payer, Note string
	// MessageID is the bank's message that reports it, or nil.
	MessageID *int64
	Actor     string
	State     ArrivalState
	// PaymentID is the payment that it counts towards, or counted towards
	// before it was returned; nil is none.
	PaymentID *int64
	// PayoutUUID is the payout that returns it, or nil.
	PayoutUUID *uuid.UUID
}

func arrivalFrom(row db.Arrival) Arrival {
	a := Arrival{
		ID: row.ID, RequisiteID: row.RequisiteID, Currency: row.Currency, Amount: row.Amount, CameAt: row.CameAt,
		CreatedAt: row.CreatedAt, Payer: row.Payer, Note: row.Note, MessageID: row.MessageID, Actor: row.Actor,
		State: ArrivalState(row.State), PaymentID: row.PaymentID,
	}
	if row.PayoutUUID.Valid {
		a.PayoutUUID = new(uuid.UUID(row.PayoutUUID.Bytes))
	}
	return a
}

// Came is a report that a transfer has arrived. A nil Amount means the amount
// that the payment waits for.
type Came struct {
	Amount *string
	// Expected is what the payment waited for, as whoever says this has
	// seen it; nil is what it waits for by then.
	Expected *decimal.Decimal
	// Payer is who sent it, and Note is a remark; both may be nil.
	Payer, Note *string
	// At is when it came; nil is now.
	At *time.Time
	// MessageID is the bank's message that reports it, or nil.
	MessageID *int64
}

// Arrivals lists the transfers that arrived for a payment in another amount or
// in parts, the oldest first. Its trader, its merchant and operators see the
// same list. The name of whoever reported a transfer is shown only to callers
// who may know that person.
func (s *Service) Arrivals(ctx context.Context, who caller.Caller, id string) ([]Arrival, error) {
	p, err := s.findFor(ctx, who, id)
	if err != nil {
		return nil, err
	}
	rows, err := s.q.ArrivalsOfPayment(ctx, p.ID)
	if err != nil {
		return nil, fmt.Errorf("read what came: %w", err)
	}
	list := db.Each(rows, arrivalFrom)
	for i := range list {
		list[i].Actor = who.Knows(list[i].Actor)
	}
	return list, nil
}

// Expected is the amount that a payment still waits for: the amount asked for,
// less what has arrived so far.
func (p Payment) Expected() decimal.Decimal { return rest(p.Status, p.Amount, p.ReceivedAmount) }

// WaitsForRest reports whether a pending payment has received only a part of
// its amount.
func (p Payment) WaitsForRest() bool { return p.Status == Pending && p.ReceivedAmount.Valid }

// ClaimStands is when the payer said that they sent what is asked of them, or
// nil. What they said before a part of it came is not said of the rest.
func (p Payment) ClaimStands() *time.Time {
	if p.ClaimedAt != nil && p.WaitsForRest() && p.ClaimedAt.Before(p.StatusAt) {
		return nil
	}
	return p.ClaimedAt
}

// expected is Payment.Expected for a database row.
func expected(p db.Payment) decimal.Decimal {
	return rest(Status(p.Status), p.Amount, p.ReceivedAmount)
}

func rest(status Status, asked decimal.Decimal, came decimal.NullDecimal) decimal.Decimal {
	if status == Pending && came.Valid {
		return asked.Sub(came.Decimal)
	}
	return asked
}

// Missing is the amount that has not arrived yet. It is negative if more
// arrived than was asked for.
func (p Payment) Missing() decimal.Decimal {
	if p.ReceivedAmount.Valid && (p.Status == Pending || p.Status == Appeal) {
		return p.Amount.Sub(p.ReceivedAmount.Decimal)
	}
	return p.Amount
}

// Case reports whether another amount arrived than was asked for, so that
// somebody has to decide about the payment.
func (p Payment) Case() bool { return p.Status == Appeal && p.ReceivedAmount.Valid }

func isCase(p db.Payment) bool { return Status(p.Status) == Appeal && p.ReceivedAmount.Valid }

// counted is the amount that has arrived so far and still counts towards the
// payment.
func counted(p db.Payment) decimal.Decimal {
	if status := Status(p.Status); p.ReceivedAmount.Valid && (status == Pending || status == Appeal) {
		return p.ReceivedAmount.Decimal
	}
	return decimal.Zero
}
