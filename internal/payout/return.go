package payout

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
)

// GiveBack returns a payout that a trader took and has not paid, so that any
// other trader may take it. The same trader may not take it again: otherwise
// traders could read recipients without paying them.
func (s *Service) GiveBack(ctx context.Context, who caller.Caller, id string, reason *string) (Offer, error) {
	found, c, err := s.traderChange(ctx, who, id, func(f fault.Fields) change {
		f.OptionalMaxLength("reason", reason, maxText)
		return change{to: Waiting, reason: reason, byTrader: true}
	})
	if err != nil {
		return Offer{}, err
	}
	// This is read first, so that once the payout is given back no error
	// can hide that from the trader.
	share, err := s.q.TraderShare(ctx, who.TraderID)
	if err != nil {
		return Offer{}, fmt.Errorf("read the trader's share: %w", err)
	}
	after, err := s.giveBack(ctx, found, takenBy(who), c)
	if err != nil {
		return Offer{}, err
	}
	return waiting(after, share), nil
}

// Reclaim takes a payout away from its trader, for an operator who has made
// sure that it was not paid. Whoever takes it next is paid for it, so that
// above what one operator may move alone it requires a second one. Of the
// resolution only Reason and TakenAt count.
func (s *Service) Reclaim(ctx context.Context, who caller.Caller, id string, r Resolution) (Payout, error) {
	if err := who.Need(caller.OperatorCases); err != nil {
		return Payout{}, err
	}
	found, err := s.find(ctx, id)
	if err != nil {
		return Payout{}, err
	}
	f := fault.Decoded(ctx)
	f.OptionalMaxLength("reason", r.Reason, maxText)
	if err := f.Err(); err != nil {
		return Payout{}, err
	}
	after, err := s.giveBack(ctx, found, takenAt(r.TakenAt), change{
		to: Waiting, actor: who.Actor(), reason: r.Reason,
		may: s.together(ctx, who, foureyes.ReclaimPayout, Decision{ID: id, Resolution: r}),
	})
	return FromRow(after), err
}

// giveBack moves a payout from processing to waiting. The money stays frozen,
// and the merchant gets no webhook, since the payout has not ended. It still
// expires at its time. The reason is for operators, who find it in the
// timeline.
func (s *Service) giveBack(ctx context.Context, found db.Payout, admitted admits, c change) (after db.Payout, err error) {
	err = s.inLocked(ctx, found, func(tx pgx.Tx, p db.Payout) error {
		if err := admitted(p); err != nil {
			return err
		}
		if p.ReturnOf != nil {
			return errReturn
		}
		if c.may != nil {
			if err := c.may(db.New(tx), p); err != nil {
				return err
			}
		}
		now := s.clock.Now()
		if p.TraderID != nil && c.byTrader {
			given := db.TakeGiveBackParams{TraderID: *p.TraderID, PayoutID: p.ID, At: &now}
			if err := db.New(tx).TakeGiveBack(ctx, given); err != nil {
				return fmt.Errorf("note who gave the payout back: %w", err)
			}
		}
		err := db.Pipeline(ctx, tx,
			db.One(&after, (*db.Queries).PayoutGiveBack, db.PayoutGiveBackParams{
				MerchantID: p.MerchantID, ID: p.ID, Now: now,
			}),
			record(c, p.MerchantID, p.ID, &p.Status, now),
		)
		return fault.Doing("give back payout", err)
	})
	return after, err
}
