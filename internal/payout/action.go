package payout

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/optional"
	"gateway.example/internal/rate"
)

// Cancel cancels a waiting payout for its merchant.
func (s *Service) Cancel(ctx context.Context, who caller.Caller, id string) (Payout, error) {
	found, err := s.findOwn(ctx, who, caller.MerchantPayouts, id)
	if err != nil {
		return Payout{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return Payout{}, err
	}
	return s.ended(ctx, found, is(Waiting, ErrNotWaiting), change{to: Cancelled, actor: who.Actor()})
}

// Take assigns a waiting payout to the first trader who asks. From then on only
// that trader can end it or give it back; an operator can resolve or reclaim
// it.
//
//rule:which trader gets a payout
func (s *Service) Take(ctx context.Context, who caller.Caller, id string) (Offer, error) {
	if err := who.Need(caller.TraderWork); err != nil {
		return Offer{}, err
	}
	found, err := s.find(ctx, id)
	if err != nil {
		return Offer{}, err
	}
	var after db.Payout
	err = s.inLocked(ctx, found, func(tx pgx.Tx, p db.Payout) error {
		terms, err := db.New(tx).TraderPayoutTerms(ctx, db.TraderPayoutTermsParams{
			TraderID: who.TraderID, Currency: p.Currency, Method: p.Method,
		})
		if err != nil {
			return db.Missing(err, fault.ErrNotFound, "read the trader's terms")
		}
		after, err = s.take(ctx, tx, who, p, terms)
		return err
	})
	if err != nil {
		return Offer{}, err
	}
	return s.taken(who, after), nil
}

// take moves a locked payout to processing for a locked trader. It refuses an
// overdue payout even if the sweep has not expired it yet.
func (s *Service) take(
	ctx context.Context, tx pgx.Tx, who caller.Caller, p db.Payout, terms db.TraderPayoutTermsRow,
) (db.Payout, error) {
	taken, err := db.New(tx).PayoutCountTaken(ctx, who.TraderID)
	if err != nil {
		return p, fmt.Errorf("count what the trader has taken: %w", err)
	}
	if taken >= int64(terms.MaxOpenPayins) {
		return p, ErrTakeLimit
	}
	now := s.clock.Now()
	if Status(p.Status) != Waiting || !now.Before(p.ExpiresAt) {
		return p, ErrNotWaiting
	}
	if err := s.mayTake(ctx, db.New(tx), who.TraderID, p); err != nil {
		return p, err
	}
	trader, platform := rate.PayoutQuote{Spot: p.SpotUSDT, Frozen: p.FrozenUSDT}.Divide(terms.SharePercent)
	var after db.Payout
	err = db.Pipeline(ctx, tx,
		db.One(&after, (*db.Queries).PayoutTake, db.PayoutTakeParams{
			MerchantID: p.MerchantID, ID: p.ID, Now: now, TraderID: who.TraderID,
			TraderSharePercent: decimal.NewNullDecimal(terms.SharePercent),
			TraderUSDT:         decimal.NewNullDecimal(trader), PlatformUSDT: decimal.NewNullDecimal(platform),
		}),
		record(change{to: Processing, actor: who.Actor()}, p.MerchantID, p.ID, &p.Status, now),
	)
	return after, fault.Doing("take payout", err)
}

// Complete ends a payout when the trader who took it says that the recipient
// has the money. proof, such as the transfer's number, is required.
func (s *Service) Complete(ctx context.Context, who caller.Caller, id string, proof *string) (Offer, error) {
	return s.Prove(ctx, who, id, Proof{Reference: proof})
}

// Prove is Complete with a file as further proof, which is optional.
func (s *Service) Prove(ctx context.Context, who caller.Caller, id string, proof Proof) (Offer, error) {
	return s.traderEnd(ctx, who, id, func(f fault.Fields) change {
		reference, media, err := proof.check(f)
		c := change{to: Completed, proof: reference}
		if proof.File != nil {
			c.may = func(q *db.Queries, p db.Payout) error {
				if err != nil {
					return err
				}
				return proof.keep(ctx, q, p, media, s.clock.Now())
			}
		}
		return c
	})
}

// Fail ends a payout when the trader who took it says that it cannot be paid.
func (s *Service) Fail(ctx context.Context, who caller.Caller, id string, reason *string) (Offer, error) {
	return s.traderEnd(ctx, who, id, func(f fault.Fields) change {
		f.OptionalMaxLength("reason", reason, maxText)
		return change{to: Failed, reason: reason}
	})
}

// traderEnd ends a payout for the trader who took it. check judges the request
// before the lock. Under the lock the payout must still be theirs and not
// ended, so that of two ends at the same time one wins.
func (s *Service) traderEnd(
	ctx context.Context,
	who caller.Caller,
	id string,
	check func(fault.Fields) change,
) (Offer, error) {
	found, c, err := s.traderChange(ctx, who, id, check)
	if err != nil {
		return Offer{}, err
	}
	after, err := s.endFrom(ctx, found, takenBy(who), c)
	if err != nil {
		return Offer{}, err
	}
	return s.taken(who, after), nil
}

// traderChange finds a payout that the calling trader took, and validates the
// reason or the proof of the change.
func (s *Service) traderChange(
	ctx context.Context, who caller.Caller, id string, check func(fault.Fields) change,
) (db.Payout, change, error) {
	if err := who.Need(caller.TraderWork); err != nil {
		return db.Payout{}, change{}, err
	}
	found, err := s.find(ctx, id)
	if err != nil {
		return found, change{}, err
	}
	if !isTaker(found, who) {
		return found, change{}, fault.ErrNotFound
	}
	f := fault.Decoded(ctx)
	c := check(f)
	c.actor = who.Actor()
	return found, c, f.Err()
}

// Resolution is an operator's decision about a payout that its trader did not
// end.
type Resolution struct {
	// Outcome is completed or failed.
	Outcome        string `json:",omitempty"`
	Reason         *string
	ProofReference *string
	// TakenAt is when the trader took it whom the operator has decided
	// about. What was decided of them is not done to another. It is nil
	// where the decision is about whoever has it.
	TakenAt *time.Time `json:"-"`
}

// Decision is an operator's decision about one payout, in the form in which a
// proposal for a second operator stores it.
type Decision struct {
	ID         string
	Resolution Resolution
	// TakenAt is when the trader took it who had it when the decision was
	// proposed.
	TakenAt *time.Time `json:",omitempty"`
}

// Proposed is the resolution as it was proposed: of one trader.
func (d Decision) Proposed() Resolution {
	r := d.Resolution
	r.TakenAt = new(optional.Value(d.TakenAt))
	return r
}

// together requires a second operator if the payout is larger than what one
// operator may move alone.
func (s *Service) together(
	ctx context.Context, who caller.Caller, a foureyes.Action, d Decision,
) func(*db.Queries, db.Payout) error {
	return func(q *db.Queries, p db.Payout) error {
		d.TakenAt = new(optional.Value(p.TakenAt).UTC())
		err := s.FourEyes.Moving(ctx, q, foureyes.Movement{
			OperatorID: who.ID, Owner: ledger.Cashbox.Of(p.CashboxID), Amount: p.FrozenUSDT, At: s.clock.Now(),
		})
		return foureyes.WithAction(err, a, d)
	}
}

// Resolve ends a payout in processing, for an operator.
func (s *Service) Resolve(ctx context.Context, who caller.Caller, id string, r Resolution) (Payout, error) {
	if err := who.Need(caller.OperatorCases); err != nil {
		return Payout{}, err
	}
	found, err := s.find(ctx, id)
	if err != nil {
		return Payout{}, err
	}
	f := fault.Decoded(ctx)
	outcome := Status(r.Outcome)
	f.Check(f.Wrong("outcome") || outcome == Completed || outcome == Failed, "outcome", "must be completed or failed")
	f.OptionalMaxLength("reason", r.Reason, maxText)
	if outcome == Completed {
		r.ProofReference = requiredText(f, "proofReference", r.ProofReference)
	}
	f.OptionalMaxLength("proofReference", r.ProofReference, maxText)
	if err := f.Err(); err != nil {
		return Payout{}, err
	}
	return s.ended(ctx, found, takenAt(r.TakenAt), change{
		to: outcome, actor: who.Actor(), reason: r.Reason, proof: r.ProofReference,
		may: s.together(ctx, who, foureyes.ResolvePayout, Decision{ID: id, Resolution: r}),
	})
}

// Reverse turns a completed payout into a failed one, for an operator: the
// recipient never got the money, or it came back. What the trader and the
// platform got is taken back even if that overdraws their accounts.
//
//rule:when a completed payout is taken back
func (s *Service) Reverse(ctx context.Context, who caller.Caller, id string, reason *string) (Payout, error) {
	if err := who.Need(caller.OperatorCases); err != nil {
		return Payout{}, err
	}
	found, err := s.find(ctx, id)
	if err != nil {
		return Payout{}, err
	}
	f := fault.Decoded(ctx)
	reason = requiredText(f, "reason", reason)
	if err := f.Err(); err != nil {
		return Payout{}, err
	}
	return s.ended(ctx, found, is(Completed, errNotCompleted), change{
		to: Failed, actor: who.Actor(), reason: reason,
		may: s.together(ctx, who, foureyes.ReversePayout, Decision{ID: id, Resolution: Resolution{Reason: reason}}),
	})
}

// admits returns why a locked payout cannot be changed now, or nil.
type admits func(db.Payout) error

// is admits payouts in one status and refuses others with the given error.
func is(status Status, otherwise error) admits {
	return func(p db.Payout) error {
		if Status(p.Status) != status {
			return otherwise
		}
		return nil
	}
}

// takenAt admits a payout that is being processed by the trader who took it
// then; nil is by anybody.
func takenAt(seen *time.Time) admits {
	return func(p db.Payout) error {
		if err := is(Processing, ErrNotProcessing)(p); err != nil {
			return err
		}
		if seen != nil && !seen.Equal(optional.Value(p.TakenAt)) {
			return errTakenAnew
		}
		return nil
	}
}

// takenBy admits a payout that the caller took and has not ended. It is checked
// under the lock, because since it was read the payout may have been given back
// and taken by somebody else.
func takenBy(who caller.Caller) admits {
	return func(p db.Payout) error {
		if !isTaker(p, who) {
			return fault.ErrNotFound
		}
		return is(Processing, ErrNotProcessing)(p)
	}
}

// isTaker reports whether the caller took the payout. Every other trader gets
// not found: they may not learn what others took, and have to take a payout
// before they can end it.
func isTaker(p db.Payout, who caller.Caller) bool {
	return p.TraderID != nil && *p.TraderID == who.TraderID
}

// endFrom locks a payout, and ends it if it is admitted.
func (s *Service) endFrom(ctx context.Context, found db.Payout, admitted admits, c change) (after db.Payout, err error) {
	err = s.inLocked(ctx, found, func(tx pgx.Tx, p db.Payout) error {
		err := admitted(p)
		if err == nil && c.may != nil {
			err = c.may(db.New(tx), p)
		}
		if err == nil {
			after, err = s.end(ctx, tx, p, c)
		}
		return err
	})
	return after, err
}

// ended is endFrom with the result as a Payout.
func (s *Service) ended(ctx context.Context, found db.Payout, admitted admits, c change) (Payout, error) {
	after, err := s.endFrom(ctx, found, admitted, c)
	return FromRow(after), err
}
