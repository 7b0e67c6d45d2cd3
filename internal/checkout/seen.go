package checkout

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/card"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/limit"
	"gateway/internal/payment"
)

// countCard bounds how many different cards an address tries on a cashbox: who tries many has stolen them. What is kept
// are keyed hashes. Like every limit it is on the wall clock.
func (s *Service) countCard(ctx context.Context, p payment.Payment, address string, pan card.PAN) error {
	source, hash := s.Cards.Hash("source", strconv.FormatInt(p.CashboxID, 10), address), s.Cards.HashPAN(pan)
	return db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		bound, err := q.RateLimitGet(ctx, string(limit.CheckoutCards))
		if err != nil {
			return fmt.Errorf("read the limit of cards: %w", err)
		}
		if err := q.CardSourceLock(ctx, source); err != nil {
			return err
		}
		now, window := time.Now(), time.Duration(bound.PerSeconds)*time.Second
		others, err := q.CardSeenCount(ctx, db.CardSeenCountParams{Source: source, Card: hash, Since: now.Add(-window)})
		if err != nil {
			return fmt.Errorf("count cards: %w", err)
		}
		if others.Cards >= int64(bound.Calls) {
			return &fault.Error{
				Kind: fault.TooManyRequests, Code: "rate_limited", Message: "Too many different cards; come back later.",
				RetryAfter: others.Oldest.Add(window).Sub(now),
			}
		}
		return q.CardSeenPut(ctx, db.CardSeenPutParams{Source: source, Card: hash, At: now})
	})
}

// seenFor is longer than any limit looks back.
const seenFor = 24 * time.Hour

// Prune forgets which cards were seen long ago, and erases kept cards whose time is over.
func (s *Service) Prune(ctx context.Context) error {
	if _, err := s.q.CardSeenPrune(ctx, time.Now().Add(-seenFor)); err != nil {
		return fmt.Errorf("forget cards seen: %w", err)
	}
	if err := s.Cards.Prune(ctx, s.q, s.clock.Now()); err != nil {
		return fmt.Errorf("erase cards: %w", err)
	}
	return nil
}
