package payout

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway/internal/auth"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/rate"
)

// Cancel takes back a payout that still waits, on its merchant's word.
func (s *Service) Cancel(ctx context.Context, caller auth.Caller, id string) (Payin, error) {
	found, err := s.Get(ctx, caller, id)
	if err != nil {
		return Payin{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return Payin{}, err
	}
	return s.endFrom(ctx, found.Payin, Waiting, errNotWaiting, change{to: Cancelled, actor: caller.Actor()})
}

// Take gives a waiting payout to the trader who asks first. From then on he alone may end it.
func (s *Service) Take(ctx context.Context, caller auth.Caller, id string) (Offer, error) {
	if caller.Kind != auth.Trader {
		return Offer{}, fault.ErrTokenKindNotAllowed
	}
	found, err := s.find(ctx, id)
	if err != nil {
		return Offer{}, err
	}
	var after db.Payin
	err = s.inLocked(ctx, found, func(tx pgx.Tx, p db.Payin) error {
		share, err := db.New(tx).TraderPayoutTerms(ctx, db.TraderPayoutTermsParams{
			TraderID: caller.TraderID, Currency: p.Currency, Method: p.Method,
		})
		if db.NoRows(err) {
			return fault.ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("read the trader's terms: %w", err)
		}
		after, err = s.take(ctx, tx, caller, p, share)
		return err
	})
	if err != nil {
		return Offer{}, err
	}
	return s.taken(after), nil
}

// take moves a locked payout to processing. What is overdue is left to expire, even if nobody has swept it up yet.
func (s *Service) take(ctx context.Context, tx pgx.Tx, caller auth.Caller, p db.Payin, share decimal.Decimal) (db.Payin, error) {
	now := s.clock.Now()
	if Status(p.Status) != Waiting || !now.Before(p.ExpiresAt) {
		return p, errNotWaiting
	}
	trader, platform := rate.PayoutQuote{Spot: p.SpotUSDT, Frozen: p.FrozenUSDT}.Divide(share)
	var after db.Payin
	err := db.Pipeline(ctx, tx,
		func(q *db.Queries) (err error) {
			after, err = q.PayinTake(ctx, db.PayinTakeParams{
				MerchantID: p.MerchantID, ID: p.ID, Now: now, TraderID: caller.TraderID,
				TraderSharePercent: decimal.NewNullDecimal(share),
				TraderUSDT:         decimal.NewNullDecimal(trader), PlatformUSDT: decimal.NewNullDecimal(platform),
			})
			return err
		},
		record(ctx, change{to: Processing, actor: caller.Actor()}, p.MerchantID, p.ID, &p.Status, now),
	)
	if err != nil {
		return p, fmt.Errorf("take payout: %w", err)
	}
	return after, nil
}

// Complete ends a payout on the word of the trader who took it: the recipient has the money. proof is what proves it,
// such as the transfer's number.
func (s *Service) Complete(ctx context.Context, caller auth.Caller, id string, proof *string) (Offer, error) {
	return s.traderEnd(ctx, caller, id, "proofReference", proof, change{to: Completed, proof: proof})
}

// Fail ends a payout on the word of the trader who took it: it cannot be paid.
func (s *Service) Fail(ctx context.Context, caller auth.Caller, id string, reason *string) (Offer, error) {
	return s.traderEnd(ctx, caller, id, "reason", reason, change{to: Failed, reason: reason})
}

func (s *Service) traderEnd(
	ctx context.Context, caller auth.Caller, id, field string, text *string, c change,
) (Offer, error) {
	if caller.Kind != auth.Trader {
		return Offer{}, fault.ErrTokenKindNotAllowed
	}
	found, err := s.find(ctx, id)
	if err != nil {
		return Offer{}, err
	}
	if found.TraderID == nil || *found.TraderID != caller.TraderID {
		// As if there were nothing: what others took is no business of his, and what nobody took he must take first.
		return Offer{}, fault.ErrNotFound
	}
	f := fault.Decoded(ctx)
	checkOptional(f, field, text)
	if err := f.Err(); err != nil {
		return Offer{}, err
	}
	c.actor = caller.Actor()
	after, err := s.endFrom(ctx, found, Processing, errNotProcessing, c)
	if err != nil {
		return Offer{}, err
	}
	return s.taken(after.Payin), nil
}

// Resolution is an operator's word on a payout that its trader did not end.
type Resolution struct {
	// Outcome is completed or failed.
	Outcome        string
	Reason         *string
	ProofReference *string
}

// Resolve ends a payout that is being processed, on an operator's word.
func (s *Service) Resolve(ctx context.Context, caller auth.Caller, id string, r Resolution) (Payin, error) {
	if err := caller.NeedOperator(); err != nil {
		return Payin{}, err
	}
	found, err := s.find(ctx, id)
	if err != nil {
		return Payin{}, err
	}
	f := fault.Decoded(ctx)
	outcome := Status(r.Outcome)
	f.Check(f.Wrong("outcome") || outcome == Completed || outcome == Failed, "outcome", "must be completed or failed")
	checkOptional(f, "reason", r.Reason)
	checkOptional(f, "proofReference", r.ProofReference)
	if err := f.Err(); err != nil {
		return Payin{}, err
	}
	return s.endFrom(ctx, found, Processing, errNotProcessing, change{
		to: outcome, actor: caller.Actor(), reason: r.Reason, proof: r.ProofReference,
	})
}

// endFrom ends a payout if, under its lock, it still has the status it is ended from.
func (s *Service) endFrom(ctx context.Context, found db.Payin, from Status, otherwise error, c change) (Payin, error) {
	var after db.Payin
	err := s.inLocked(ctx, found, func(tx pgx.Tx, p db.Payin) (err error) {
		if Status(p.Status) != from {
			return otherwise
		}
		after, err = s.end(ctx, tx, p, c)
		return err
	})
	return Payin{after}, err
}
