package bankmessage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Forwarded is a message as a phone forwards it.
type Forwarded struct {
	// ID is the phone's own of the message: a repeat has the same.
	ID string
	// Kind is sms or push.
	Kind, Sender, Text string
	// ReceivedAt is when the phone got it; nil is now.
	ReceivedAt *time.Time
}

const (
	maxID     = 200
	maxSender = 200
	maxText   = 2000
)

// State is what was done about a message.
type State string

// The states. Noted needs nothing, Waiting needs a person, Shadow would have confirmed a payment.
const (
	Noted     State = "noted"
	Waiting   State = "waiting"
	Shadow    State = "shadow"
	Confirmed State = "confirmed"
	Assigned  State = "assigned"
	Dismissed State = "dismissed"
	Objected  State = "objected"
)

// Receive keeps a message of a device and decides about it, both in one transaction: who gets no answer sends it again, and a
// repeat changes nothing. One with a one-time code is refused, and nothing of it is kept.
func (s *Service) Receive(ctx context.Context, who caller.Caller, m Forwarded) (State, error) {
	if who.Kind != caller.Device {
		return "", fault.ErrTokenKindNotAllowed
	}
	f := fault.Decoded(ctx)
	if f.Required("messageId", m.ID) {
		f.MaxLength("messageId", m.ID, maxID)
	}
	f.Check(slices.Contains([]string{"sms", "push"}, m.Kind), "kind", "must be sms or push")
	if f.Required("sender", m.Sender) {
		f.MaxLength("sender", m.Sender, maxSender)
	}
	if f.Required("text", m.Text) {
		f.MaxLength("text", m.Text, maxText)
	}
	if err := f.Err(); err != nil {
		return "", err
	}
	if HasCode(m.Sender + " " + m.Text) {
		return "", errOneTimeCode
	}
	read := Read(m.Sender, m.Text)
	var state State
	err := db.InTx(ctx, s.pools.Calls, func(tx pgx.Tx, q *db.Queries) error {
		var err error
		state, err = s.keep(ctx, tx, q, who, m, read)
		return err
	})
	return state, err
}

// keep keeps a message and decides about it. The lock of its device has messages of one phone wait for one another.
func (s *Service) keep(
	ctx context.Context, tx pgx.Tx, q *db.Queries, who caller.Caller, m Forwarded, read Reading,
) (State, error) {
	now := s.clock.Now()
	if err := q.BankDeviceHeard(ctx, db.BankDeviceHeardParams{ID: who.ID, HeardAt: now}); err != nil {
		return "", fmt.Errorf("lock device: %w", err)
	}
	repeated, err := q.BankMessageRepeated(ctx, db.BankMessageRepeatedParams{DeviceID: who.ID, MessageID: m.ID})
	if !db.NoRows(err) {
		return State(repeated.State), err
	}
	id, err := q.BankMessageNextID(ctx)
	if err != nil {
		return "", fmt.Errorf("number a message: %w", err)
	}
	sealed, err := s.vault.Seal([]byte(m.Text), textPlace(id))
	if err != nil {
		return "", err
	}
	received := now
	if m.ReceivedAt != nil {
		received = *m.ReceivedAt
	}
	_, err = q.BankMessageInsert(ctx, db.BankMessageInsertParams{
		ID: id, TraderID: who.TraderID, DeviceID: who.ID, MessageID: m.ID, Kind: m.Kind, Sender: strings.TrimSpace(m.Sender),
		Text: sealed, ReceivedAt: received, ArrivedAt: now, Says: string(read.Kind), Pattern: read.Pattern, Bank: read.Bank,
		Currency: read.Currency, Account: read.Account, Amount: read.Amount, Balance: read.Balance,
	})
	if err != nil {
		return "", fmt.Errorf("keep a message: %w", err)
	}
	return s.decide(ctx, tx, q, id)
}
