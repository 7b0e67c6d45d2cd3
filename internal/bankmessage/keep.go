package bankmessage

import (
	"context"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
)

// MayKeep reports whether the money in a message may be stored as a free
// arrival. The message waits for a person, or no pattern knows it, or no
// requisite uses messages of its bank.
func (m Message) MayKeep() bool { return mayKeep(m.State, m.Says, m.Why) }

func mayKeep(state State, says Kind, why string) bool {
	switch says {
	case Incoming:
		return state == Waiting && why != WhyForged || state == Noted && why == WhyOff
	case Unknown:
		return state == Noted
	case Outgoing, Declined, Balance, Advertisement, Code:
	}
	return false
}

// Keeping says how the money in a message is to be stored. Amount is needed if
// no pattern has read it; the others may be nil.
type Keeping struct {
	MessageID, RequisiteID int64
	Amount, Payer, Note    *string
}

// Keep stores the money in a message as a free arrival, once, for the message's
// trader or an operator. The message is then decided.
func (s *Service) Keep(ctx context.Context, who caller.Caller, k Keeping) (payment.Arrival, error) {
	if err := who.Need(caller.TraderWork, caller.OperatorCases); err != nil {
		return payment.Arrival{}, err
	}
	var kept payment.Arrival
	err := s.byHand(ctx, who, k.MessageID, func(tx pgx.Tx, q *db.Queries, m db.BankMessage) error {
		if !mayKeep(State(m.State), Kind(m.Says), m.Why) {
			return ErrDecided
		}
		now := s.clock.Now()
		said := payment.Came{Amount: k.Amount, Payer: k.Payer, Note: k.Note, At: &now, MessageID: &m.ID}
		if m.ReceivedAt.Before(now) {
			said.At = &m.ReceivedAt
		}
		if m.Amount.Valid {
			said.Amount = new(money.Fiat(m.Amount.Decimal))
		}
		var err error
		kept, err = s.payments.Approved(tx).KeepFor(ctx, who, payment.KeptFor{
			TraderID: m.TraderID, RequisiteID: k.RequisiteID, Currency: m.Currency,
		}, said)
		if err != nil {
			return err
		}
		if err := decideBy(ctx, q, m, decision{state: Dismissed, why: WhyKept}, who, now); err != nil {
			return err
		}
		if !m.Balance.Valid {
			return nil
		}
		around, err := chainOf(ctx, q, m)
		if err != nil {
			return err
		}
		return s.heal(ctx, tx, q, around, false)
	})
	return kept, err
}

// ToKeep reads a message whose money somebody is about to store. If an operator
// reads its text, that is recorded first.
func (s *Service) ToKeep(ctx context.Context, who caller.Caller, id int64) (Message, error) {
	if who.Kind != caller.Operator {
		return s.Get(ctx, who, id)
	}
	if err := s.note(ctx, who, "text"); err != nil {
		return Message{}, err
	}
	row, err := s.q.BankMessageFind(ctx, id)
	if err != nil {
		return Message{}, db.Missing(err, fault.ErrNotFound, "read message")
	}
	return s.messageOf(row), nil
}
