package bankmessage

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Assign says that a message that waits for a person is about an open payment
// of the caller's trader. That confirms the payment, or makes it a case if the
// cashbox does not accept the amount.
func (s *Service) Assign(ctx context.Context, who caller.Caller, id, paymentID int64) error {
	if err := who.Need(caller.TraderWork); err != nil {
		return err
	}
	return s.byHand(ctx, who, id, func(tx pgx.Tx, q *db.Queries, m db.BankMessage) error {
		found, err := q.PaymentFind(ctx, paymentID)
		if db.NoRows(err) || err == nil && found.TraderID != who.TraderID {
			return fault.ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("find payment: %w", err)
		}
		if (m.State != string(Waiting) && m.State != string(Shadow)) || m.Says != string(Incoming) {
			return ErrDecided
		}
		c := db.BankMessageCandidatesRow{ID: found.ID, MerchantID: found.MerchantID, RequisiteID: found.RequisiteID}
		now := s.clock.Now()
		part, err := s.confirm(ctx, tx, m, c, who.Actor(), now)
		if err != nil {
			return err
		}
		d := decision{state: Assigned, why: m.Why, payment: &c}
		switch {
		case part:
			d.why = WhyPart
		case m.PaymentID != nil && *m.PaymentID != paymentID:
			d.why = WhyOther
		}
		if err := decideBy(ctx, q, m, d, who, now); err != nil {
			return err
		}
		around, err := chainOf(ctx, q, m)
		if err != nil {
			return err
		}
		return s.heal(ctx, tx, q, around, false)
	})
}

// Dismiss says that a waiting message is about no payment.
func (s *Service) Dismiss(ctx context.Context, who caller.Caller, id int64) error {
	if err := who.Need(caller.TraderWork); err != nil {
		return err
	}
	return s.byHand(ctx, who, id, func(_ pgx.Tx, q *db.Queries, m db.BankMessage) error {
		if m.State != string(Waiting) {
			return ErrDecided
		}
		return decideBy(ctx, q, m, decision{state: Dismissed, why: m.Why}, who, s.clock.Now())
	})
}

func decideBy(ctx context.Context, q *db.Queries, m db.BankMessage, d decision, who caller.Caller, now time.Time) error {
	// A person who confirms a payment by a message, or stores its money,
	// vouches for its balance; but not for a message that another one
	// contradicts.
	vouched := m.Why != WhyForged && (d.state == Assigned || d.why == WhyKept)
	p := d.params(m, standing{gap: m.Gap, trusted: m.Trusted || vouched}, now)
	p.DecidedBy = who.Actor()
	return fault.Doing("decide about a message", q.BankMessageDecide(ctx, p))
}

// byHand lets a person of the message's trader, or an operator, change a
// message. The device is locked, as it is while messages are received.
func (s *Service) byHand(
	ctx context.Context, who caller.Caller, id int64, do func(tx pgx.Tx, q *db.Queries, m db.BankMessage) error,
) error {
	own, err := s.q.BankMessageFind(ctx, id)
	if db.NoRows(err) || err == nil && who.Kind != caller.Operator && own.TraderID != who.TraderID {
		return fault.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	return db.InTx(ctx, s.pools.Calls, func(tx pgx.Tx, q *db.Queries) error {
		if err := q.BankDeviceLock(ctx, own.DeviceID); err != nil {
			return fmt.Errorf("lock device: %w", err)
		}
		m, err := q.BankMessageLock(ctx, id)
		if err != nil {
			return fmt.Errorf("lock message: %w", err)
		}
		return do(tx, q, m)
	})
}

// sum is an amount, or nil.
func sum(d decimal.NullDecimal) *decimal.Decimal {
	if !d.Valid {
		return nil
	}
	return &d.Decimal
}
