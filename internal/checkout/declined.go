package checkout

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"gateway.example/internal/card"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/payment"
)

// origin tells where a card came from, and which it is, by keyed hashes.
type origin struct{ source, card []byte }

func (s *Service) originOf(p payment.Payment, address string, pan card.PAN) origin {
	return origin{
		source: s.Cards.Hash("source", strconv.FormatInt(p.CashboxID, 10), address), card: s.Cards.HashPAN(pan),
	}
}

// checkDeclined refuses a card from an address from which many others were declined on the same
// cashbox: who tries many has stolen them. Cards that are approved or still open do not count, so
// that honest payers may share an address. Like every limit it is on the wall clock.
func (s *Service) checkDeclined(ctx context.Context, o origin) error {
	bound, err := s.q.RateLimitGet(ctx, string(limit.CheckoutCards))
	if err != nil {
		return fmt.Errorf("read the limit of cards: %w", err)
	}
	now, window := time.Now(), time.Duration(bound.PerSeconds)*time.Second
	others, err := s.q.CardDeclinedCount(
		ctx,
		db.CardDeclinedCountParams{Source: o.source, Card: o.card, Since: now.Add(-window)},
	)
	if err != nil {
		return fmt.Errorf("count declined cards: %w", err)
	}
	if others.Cards < int64(bound.Calls) {
		return nil
	}
	return fault.RateLimited(others.Oldest.Add(window).Sub(now)).
		Saying("Too many different cards were declined; come back later.")
}

// tryCard counts a try of a card, whatever the payment, cashbox and address, and refuses one that was
// declined too often: who tries again and again guesses what is printed on its back. A try counts until the
// bank has said yes, so that nothing is gained by many at once.
func (s *Service) tryCard(ctx context.Context, o origin) (limit.Failure, error) {
	try, err := s.Limits.Fail(ctx, limit.CardDeclines, hashed(o.card), time.Now())
	if f := fault.As(err); f != nil {
		return try, f.Saying("This card was declined too often; come back later, or use another.")
	}
	return try, err
}

func hashed(card []byte) string { return hex.EncodeToString(card) }

// declinedFor is longer than any limit looks back.
const declinedFor = 24 * time.Hour

// Prune forgets which cards were declined long ago, and erases kept cards whose time is over.
func (s *Service) Prune(ctx context.Context) error {
	if _, err := s.q.CardDeclinedPrune(ctx, time.Now().Add(-declinedFor)); err != nil {
		return fmt.Errorf("forget declined cards: %w", err)
	}
	if err := s.Cards.Prune(ctx, s.q, s.clock.Now()); err != nil {
		return fmt.Errorf("erase cards: %w", err)
	}
	return nil
}
