package bankmessage

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// ObjectWithin is how long a trader may object to a confirmation.
const ObjectWithin = 15 * time.Minute

const maxReason = 500

// Outcome is what an operator decided about an objection.
type Outcome string

// With the first outcome the trader is right, and no such money arrived; with
// the second it did arrive.
const (
	Upheld   Outcome = "upheld"
	Rejected Outcome = "rejected"
)

// Object says, within ObjectWithin, that a message confirmed a payment wrongly.
// The payment stays as it is until an operator decides. From now on messages
// confirm nothing for the requisite; they are only compared with what people
// do.
func (s *Service) Object(ctx context.Context, who caller.Caller, id int64, reason string) error {
	if err := who.Need(caller.TraderWork); err != nil {
		return err
	}
	f := fault.Decoded(ctx)
	if f.Required("reason", reason) {
		f.MaxLength("reason", reason, maxReason)
	}
	if err := f.Err(); err != nil {
		return err
	}
	return s.byHand(ctx, who, id, func(tx pgx.Tx, q *db.Queries, m db.BankMessage) error {
		now := s.clock.Now()
		if m.State != string(Confirmed) || m.RequisiteID == nil || m.DecidedAt == nil || now.Sub(*m.DecidedAt) > ObjectWithin {
			return ErrDecided
		}
		if err := q.BankMessageObject(ctx, db.BankMessageObjectParams{
			ID: id, Objection: reason, DecidedAt: now, DecidedBy: who.Actor(),
		}); err != nil {
			return fmt.Errorf("object to a message: %w", err)
		}
		return s.change(ctx, tx, who, *m.RequisiteID, false, func(q *db.Queries) error {
			return q.RequisiteMessageShadow(ctx, db.RequisiteMessageShadowParams{RequisiteID: *m.RequisiteID, Since: now})
		})
	})
}

// Objected lists, for operators, the messages that confirmed a payment to which
// its trader objected. That an operator reads their texts is recorded first.
func (s *Service) Objected(ctx context.Context, who caller.Caller, page Page) ([]Message, *string, error) {
	if err := s.note(ctx, who, "text"); err != nil {
		return nil, nil, err
	}
	return s.list(ctx, page.Page, func(q *db.Queries, before int64, limit int32) ([]db.BankMessage, error) {
		return q.BankMessageObjected(ctx, db.BankMessageObjectedParams{BeforeID: before, Page: limit})
	})
}

// Objections lists traders' objections for operators, the newest first and
// without the texts of the messages.
func (s *Service) Objections(ctx context.Context, who caller.Caller, page db.Page) ([]Message, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	return s.list(ctx, page, func(q *db.Queries, before int64, limit int32) ([]db.BankMessage, error) {
		rows, err := q.BankMessageObjected(ctx, db.BankMessageObjectedParams{BeforeID: before, Page: limit})
		for i := range rows {
			rows[i].Text = nil
		}
		return rows, err
	})
}

func (s *Service) Objection(ctx context.Context, who caller.Caller, id int64) (Message, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return Message{}, err
	}
	row, err := s.q.BankMessageObjection(ctx, id)
	return s.objection(row, err)
}

func (s *Service) objection(row db.BankMessage, err error) (Message, error) {
	if err != nil {
		return Message{}, db.Missing(err, fault.ErrNotFound, "read an objection")
	}
	row.Text = nil
	return s.messageOf(row), nil
}

// Resolution is an operator's decision about an objection. The trader can read
// the reason.
type Resolution struct {
	Outcome Outcome
	Reason  string
}

// ResolveObjection decides about an objection, once. The payment stays
// completed, because the merchant was told so. USDT are moved by a correction,
// which requires two operators.
func (s *Service) ResolveObjection(ctx context.Context, who caller.Caller, id int64, r Resolution) (Message, error) {
	if err := who.Need(caller.OperatorCases); err != nil {
		return Message{}, err
	}
	f := fault.Decoded(ctx)
	f.Check(r.Outcome == Upheld || r.Outcome == Rejected, "outcome", "must be upheld or rejected")
	if f.Required("reason", r.Reason) {
		f.MaxLength("reason", r.Reason, maxReason)
	}
	if err := f.Err(); err != nil {
		return Message{}, err
	}
	var row db.BankMessage
	err := db.InTx(ctx, s.pools.Calls, func(_ pgx.Tx, q *db.Queries) (err error) {
		row, err = q.BankMessageResolve(ctx, db.BankMessageResolveParams{
			ID: id, Outcome: string(r.Outcome), Resolution: r.Reason, ResolvedAt: s.clock.Now(), ResolvedBy: who.Actor(),
		})
		return err
	})
	return s.objection(row, err)
}
