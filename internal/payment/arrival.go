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

// ArrivalState is what became of money that came.
type ArrivalState string

// The states: it belongs to no payment, it counts towards one, or it goes back to its payer.
const (
	ArrivalFree     ArrivalState = "free"
	ArrivalKept     ArrivalState = "kept"
	ArrivalReturned ArrivalState = "returned"
)

// Arrival is money that came otherwise than it was asked for.
type Arrival struct {
	ID          int64
	RequisiteID int64
	Currency    string
	Amount      decimal.Decimal
	// CameAt is when, and CreatedAt when somebody said so.
	CameAt, CreatedAt time.Time
	// Payer is who sent it and Note what the trader says of it; both may be "".
	Payer, Note string
	// MessageID is the message of a bank that tells of it, or nil.
	MessageID *int64
	Actor     string
	State     ArrivalState
	// PaymentID is the payment it counts towards, or was for; nil is none.
	PaymentID *int64
	// PayinUUID is the payout that returns it, or nil.
	PayinUUID *uuid.UUID
}

func arrivalFrom(row db.Arrival) Arrival {
	a := Arrival{
		ID: row.ID, RequisiteID: row.RequisiteID, Currency: row.Currency, Amount: row.Amount, CameAt: row.CameAt,
		CreatedAt: row.CreatedAt, Payer: row.Payer, Note: row.Note, MessageID: row.MessageID, Actor: row.Actor,
		State: ArrivalState(row.State), PaymentID: row.PaymentID,
	}
	if row.PayinUUID.Valid {
		a.PayinUUID = new(uuid.UUID(row.PayinUUID.Bytes))
	}
	return a
}

// Came is what is said of money that came. Amount is nil for what a payment waits for.
type Came struct {
	Amount *string
	// Payer is who sent it, and Note what else there is to say; both may be nil.
	Payer, Note *string
	// At is when it came; nil is now.
	At *time.Time
	// MessageID is the message of a bank that tells of it, or nil.
	MessageID *int64
}

// Arrivals are what came for a payment in another amount or in parts, the first first, for all who may
// see the payment: its trader, its merchant and operators see the same. Who is a trader or operator is
// told as far as the caller may know.
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

// Expected is what a payment still waits for: what was asked, less what came of it so far.
func (p Payment) Expected() decimal.Decimal { return rest(p.Status, p.Amount, p.ReceivedAmount) }

// WaitsForRest reports whether a part has come of a payment that is pending.
func (p Payment) WaitsForRest() bool { return p.Status == Pending && p.ReceivedAmount.Valid }

// expected is Expected of a row.
func expected(p db.Payment) decimal.Decimal {
	return rest(Status(p.Status), p.Amount, p.ReceivedAmount)
}

func rest(status Status, asked decimal.Decimal, came decimal.NullDecimal) decimal.Decimal {
	if status == Pending && came.Valid {
		return asked.Sub(came.Decimal)
	}
	return asked
}

// Missing is what has not come yet of what was asked; below 0, what came more.
func (p Payment) Missing() decimal.Decimal {
	if p.ReceivedAmount.Valid && (p.Status == Pending || p.Status == Appeal) {
		return p.Amount.Sub(p.ReceivedAmount.Decimal)
	}
	return p.Amount
}

// Case reports whether another amount came than was asked for, and somebody has to decide what becomes of it.
func (p Payment) Case() bool { return p.Status == Appeal && p.ReceivedAmount.Valid }

func isCase(p db.Payment) bool { return Status(p.Status) == Appeal && p.ReceivedAmount.Valid }

// counted is what came of a payment so far, and counts towards it still.
func counted(p db.Payment) decimal.Decimal {
	if status := Status(p.Status); p.ReceivedAmount.Valid && (status == Pending || status == Appeal) {
		return p.ReceivedAmount.Decimal
	}
	return decimal.Zero
}
