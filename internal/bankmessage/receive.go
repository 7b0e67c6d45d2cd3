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
	// ID is the phone's own id of the message. A repeated message has the
	// same id.
	ID string
	// Kind is sms or push.
	Kind, Sender, Text string
	// ReceivedAt is when the phone got it. Without it nobody knows which
	// payment it can be about, so the message waits for a person.
	ReceivedAt *time.Time
}

// The ways in which a phone gets messages.
const (
	sms  = "sms"
	push = "push"
)

const (
	maxID     = 200
	maxSender = 200
	maxText   = 2000
)

// State is what was done about a message.
type State string

// A Noted message needs nothing more, a Waiting one needs a person, and a
// Shadow one would have confirmed a payment.
const (
	Noted     State = "noted"
	Waiting   State = "waiting"
	Shadow    State = "shadow"
	Confirmed State = "confirmed"
	Assigned  State = "assigned"
	Dismissed State = "dismissed"
	Objected  State = "objected"
)

// Receive stores a device's message and decides about it, in one transaction. A
// device that gets no answer sends the message again; a repeat changes nothing.
// A message with a one-time code is refused, and nothing of it is stored.
func (s *Service) Receive(ctx context.Context, who caller.Caller, m Forwarded) (State, error) {
	if who.Kind != caller.Device {
		return "", fault.ErrTokenKindNotAllowed
	}
	f := fault.Decoded(ctx)
	if f.Required("messageId", m.ID) {
		f.MaxLength("messageId", m.ID, maxID)
	}
	f.Check(slices.Contains([]string{sms, push}, m.Kind), "kind", "must be sms or push")
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
	read := Read(m)
	if read.Kind != Incoming && !read.Balance.Valid { // most are like this: advertisements, and messages that no pattern knows
		return s.file(ctx, who, m, read)
	}
	var state State
	err := db.InTx(ctx, s.pools.Calls, func(tx pgx.Tx, q *db.Queries) error {
		var err error
		state, err = s.keep(ctx, tx, q, who, m, read)
		return err
	})
	return state, err
}

// file stores a message about which nothing is to be done, without holding a
// lock.
func (s *Service) file(ctx context.Context, who caller.Caller, m Forwarded, read Reading) (State, error) {
	now := s.clock.Now()
	id, state, err := s.heard(ctx, s.pools.Calls, who, m, now)
	if err != nil || state != "" {
		return state, err
	}
	p := s.params(who, m, read, id, now)
	err = s.q.BankMessageNote(ctx, db.BankMessageNoteParams{
		ID: p.ID, TraderID: p.TraderID, DeviceID: p.DeviceID, MessageID: p.MessageID, Kind: p.Kind, Sender: p.Sender, Text: p.Text,
		ReceivedAt: p.ReceivedAt, ArrivedAt: p.ArrivedAt, Says: p.Says, Pattern: p.Pattern, Bank: p.Bank, Currency: p.Currency,
		Account: p.Account, Amount: p.Amount, DecidedBy: Actor,
	})
	if err != nil {
		return "", fmt.Errorf("note a message: %w", err)
	}
	return Noted, nil
}

// heard stores that a device has sent something, which locks the device in a
// transaction, and takes an id for its message. If the same message arrived
// before, it returns the state of that one, else "".
func (s *Service) heard(
	ctx context.Context, on db.Batcher, who caller.Caller, m Forwarded, now time.Time,
) (id int64, state State, err error) {
	var repeated *db.BankMessageRepeatedRow
	err = db.Pipeline(ctx, on,
		db.Do((*db.Queries).BankDeviceHeard, db.BankDeviceHeardParams{ID: who.ID, HeardAt: now}),
		db.OneOrNone(&repeated, (*db.Queries).BankMessageRepeated, db.BankMessageRepeatedParams{DeviceID: who.ID, MessageID: m.ID}),
		db.Get(&id, (*db.Queries).BankMessageNextID),
	)
	if err != nil {
		return 0, "", fmt.Errorf("hear a device: %w", err)
	}
	if repeated != nil {
		state = State(repeated.State)
	}
	return id, state, nil
}

// keep stores a message and decides about it. The lock on the device makes the
// messages of one phone wait for each other.
func (s *Service) keep(
	ctx context.Context, tx pgx.Tx, q *db.Queries, who caller.Caller, m Forwarded, read Reading,
) (State, error) {
	now := s.clock.Now()
	id, state, err := s.heard(ctx, tx, who, m, now)
	if err != nil || state != "" {
		return state, err
	}
	p := s.params(who, m, read, id, now)
	kept, err := q.BankMessageInsert(ctx, p)
	if err != nil {
		return "", fmt.Errorf("keep a message: %w", err)
	}
	return s.decide(ctx, tx, q, kept)
}

// params is a message's row. Its text is encrypted for its id.
func (s *Service) params(who caller.Caller, m Forwarded, read Reading, id int64, now time.Time) db.BankMessageInsertParams {
	received, why := now, WhyTime
	if m.ReceivedAt != nil {
		received, why = *m.ReceivedAt, ""
	}
	return db.BankMessageInsertParams{
		ID: id, TraderID: who.TraderID, DeviceID: who.ID, MessageID: m.ID, Kind: m.Kind, Sender: strings.TrimSpace(m.Sender),
		Text: s.vault.Seal([]byte(m.Text), textPlace(id)), ReceivedAt: received, ArrivedAt: now, Says: string(read.Kind), Pattern: read.Pattern, Bank: read.Bank,
		Currency: read.Currency, Account: read.Account, Amount: read.Amount, Balance: read.Balance,
		Why: why,
	}
}
