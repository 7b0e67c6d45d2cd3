package withdrawal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/optional"
)

var (
	errNotRequested  = fault.New(fault.Refused, "withdrawal_not_requested", "The withdrawal waits for no decision any more.")
	errNotOpen       = fault.New(fault.Refused, "withdrawal_not_open", "The withdrawal was handed over, or has ended.")
	errNotHandedOver = fault.New(fault.Refused, "withdrawal_not_handed_over",
		"The withdrawal was not handed over, or has ended.")
	errHashChanged = fault.New(fault.Refused, "withdrawal_hash_changed",
		"Another transaction was reported since this was proposed. Look at it and propose again.")
	errStopped = errHashChanged.Saying("What its transaction moved has come out since this was proposed. Look at it and propose again.")
	errPaid    = fault.New(fault.Refused, "withdrawal_paid", "The network shows the transfer that pays it.")
	errOwes    = fault.New(fault.Refused, "withdrawal_owner_owes",
		"Its owner owes USDT: reject it, or wait until they have made up for that.")
	errNoHash = fault.New(fault.Refused, "withdrawal_without_hash", "Report the transaction that pays it first.")
)

// inLocked locks a withdrawal in a transaction and runs fn. It refuses
// withdrawals that are in none of the given statuses.
func (s *Service) inLocked(
	ctx context.Context, id int64, refusal error, in []Status, fn func(q *db.Queries, w db.Withdrawal) error,
) error {
	return db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		locked, err := q.WithdrawalLock(ctx, id)
		if err != nil {
			return db.Missing(err, fault.ErrNotFound, "lock withdrawal")
		}
		if !slices.Contains(in, Status(locked.Status)) {
			return refusal
		}
		return fn(q, locked)
	})
}

// moved changes the status of a withdrawal that is in one of the given
// statuses. may is called first, under the lock.
func (s *Service) moved(
	ctx context.Context, id int64, refusal error, in []Status, c change, may func(q *db.Queries, w db.Withdrawal) error,
) (Withdrawal, error) {
	var after db.Withdrawal
	err := s.inLocked(ctx, id, refusal, in, func(q *db.Queries, w db.Withdrawal) error {
		if may != nil {
			if err := may(q, w); err != nil {
				return err
			}
		}
		var err error
		after, err = s.move(ctx, q, w, c)
		return err
	})
	return fromRow(after), err
}

// Cancel cancels a withdrawal for its owner, if nobody has decided about it
// yet.
func (s *Service) Cancel(ctx context.Context, who caller.Caller, id int64) (Withdrawal, error) {
	own, err := acting(who)
	if err != nil {
		return Withdrawal{}, err
	}
	if who.Kind == caller.MerchantKey {
		return Withdrawal{}, fault.ErrTokenKindNotAllowed
	}
	if _, err := s.findOwn(ctx, own, id); err != nil {
		return Withdrawal{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return Withdrawal{}, err
	}
	return s.moved(ctx, id, errNotRequested, []Status{Requested}, change{to: Cancelled, actor: who.Actor()}, nil)
}

// Approve allows a withdrawal to be handed over. Above what one operator may
// move alone it requires a second operator. An owner who owes gets none: since
// they asked, an appeal or a reversal may have taken more than they had left.
func (s *Service) Approve(ctx context.Context, who caller.Caller, id int64) (Withdrawal, error) {
	if err := who.Admit(ctx, caller.OperatorMoney); err != nil {
		return Withdrawal{}, err
	}
	return s.moved(ctx, id, errNotRequested, []Status{Requested}, change{to: Approved, actor: who.Actor()},
		func(q *db.Queries, w db.Withdrawal) error {
			owes, err := owes(ctx, q, w)
			switch {
			case err != nil:
				return err
			case owes:
				return errOwes
			}
			owner, ownerID := payer(w)
			err = s.FourEyes.Moving(ctx, q, foureyes.Movement{
				OperatorID: who.ID, Owner: owner.Of(ownerID), Amount: w.Amount.Add(w.Fee), At: s.clock.Now(),
			})
			return foureyes.WithAction(err, foureyes.ApproveWithdrawal, Decision{ID: id})
		})
}

// owes reports whether the owner of a withdrawal has less than nothing left
// beside it.
//
//rule:whether USDT leave who owes
func owes(ctx context.Context, q *db.Queries, w db.Withdrawal) (bool, error) {
	owner, id := payer(w)
	left, err := ledger.Balance(ctx, q, ledger.Available(owner, id))
	return left.IsNegative(), fault.Doing("read what the owner of a withdrawal has", err)
}

// Reject ends a withdrawal that was not handed over, and releases amount and
// fee. The owner is told the reason.
func (s *Service) Reject(ctx context.Context, who caller.Caller, id int64, reason string) (Withdrawal, error) {
	reason, err := because(ctx, who, reason)
	if err != nil {
		return Withdrawal{}, err
	}
	return s.moved(ctx, id, errNotOpen, []Status{Requested, Approved},
		change{to: Rejected, actor: who.Actor(), reason: &reason}, nil)
}

// Decision is an operator's decision about a withdrawal, in the form in which a
// proposal for a second operator stores it.
type Decision struct {
	ID     int64
	Reason string `json:",omitempty"`
	// Hash is the transaction that was known when the decision was
	// proposed, and Mismatch what was wrong with it, if that was known.
	Hash     string `json:",omitempty"`
	Mismatch string `json:",omitempty"`
}

// Complete ends a withdrawal as paid if no watcher sees it on the chain. It
// requires a second operator, because whoever could do it alone could make the
// ledger say what never happened.
func (s *Service) Complete(ctx context.Context, who caller.Caller, d Decision) (Withdrawal, error) {
	return s.byHand(ctx, who, d, Completed, foureyes.CompleteWithdrawal)
}

// Fail ends a withdrawal that was handed over and not paid, and releases amount
// and fee. It requires a second operator, because a withdrawal that was paid
// after all would be paid twice.
func (s *Service) Fail(ctx context.Context, who caller.Caller, d Decision) (Withdrawal, error) {
	return s.byHand(ctx, who, d, Failed, foureyes.FailWithdrawal)
}

// byHand ends a withdrawal that was handed over, on an operator's word, and
// always asks for a second operator where two are required. The second one
// approves it with what the first one has seen of its transaction: another one,
// or one that has turned out to be wrong since, is refused. One without a hash
// cannot be completed, and one that the network shows as paid cannot fail,
// whichever transaction is named for it.
func (s *Service) byHand(
	ctx context.Context, who caller.Caller, d Decision, to Status, action foureyes.Action,
) (Withdrawal, error) {
	reason, err := because(ctx, who, d.Reason)
	if err != nil {
		return Withdrawal{}, err
	}
	d.Reason = reason
	return s.moved(ctx, d.ID, errNotHandedOver, []Status{HandedOver}, change{to: to, actor: who.Actor(), reason: &reason},
		func(q *db.Queries, w db.Withdrawal) error {
			if to == Completed && w.TransactionHash == nil {
				return errNoHash
			}
			hash, mismatch := optional.Value(w.TransactionHash), optional.Value(w.Mismatch)
			switch {
			case s.approved && d.Hash != hash:
				return errHashChanged
			case s.approved && d.Mismatch != mismatch:
				return errStopped
			}
			d.Hash, d.Mismatch = hash, mismatch
			if to == Failed {
				paid, err := q.WithdrawalPaid(ctx, db.WithdrawalPaidParams{ID: w.ID, Since: since(w)})
				if err != nil {
					return fmt.Errorf("look for the transfer of a withdrawal: %w", err)
				}
				if paid {
					return errPaid
				}
			}
			return foureyes.WithAction(s.FourEyes.Always(), action, d)
		})
}

// because checks that the caller may decide, and validates the reason.
func because(ctx context.Context, who caller.Caller, reason string) (string, error) {
	if err := who.Need(caller.OperatorMoney); err != nil {
		return "", err
	}
	f := fault.Decoded(ctx)
	reason = f.RequiredText("reason", strings.TrimSpace(reason), maxText)
	return reason, f.Err()
}
