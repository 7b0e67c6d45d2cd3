package checkout

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/card"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/payment"
)

// origin identifies a card and the address that it came from, both as keyed
// hashes.
type origin struct{ source, card []byte }

func (s *Service) originOf(p payment.Payment, address string, pan card.PAN) origin {
	return origin{
		source: s.Cards.Hash("source", strconv.FormatInt(p.CashboxID, 10), address), card: s.Cards.HashPAN(pan),
	}
}

// checkDeclined refuses a card from an address if many other cards from that
// address were declined at the same cashbox: somebody is trying stolen cards.
// Approved and open cards do not count, so that honest payers may share an
// address. Like every limit it uses real time. How many cards may be declined
// for one payment is another limit, which decline applies when an answer comes:
// payment.Service.CardsAllowed.
//
//rule:how many declined cards are taken of an address, a card and all payers
func (s *Service) checkDeclined(ctx context.Context, o origin) error {
	bound, err := s.q.RateLimitGet(ctx, string(limit.CheckoutCards))
	if err != nil {
		return fmt.Errorf("read the limit of cards: %w", err)
	}
	now, window := time.Now(), time.Duration(bound.PerSeconds)*time.Second
	others, err := s.q.CardDeclinedCount(ctx, db.CardDeclinedCountParams{Source: o.source, Card: o.card, Since: now.Add(-window)})
	if err != nil {
		return fmt.Errorf("count declined cards: %w", err)
	}
	if others.Cards < int64(bound.Calls) {
		return nil
	}
	return fault.RateLimited(others.Oldest.Add(window).Sub(now)).
		Saying("Too many different cards were declined; come back later.")
}

// tryCard counts an attempt to use a card, at every payment, cashbox and
// address, and refuses a card that was declined too often: somebody is guessing
// its CVV. An attempt counts until the bank approves it, so that many attempts
// at the same time gain nothing.
func (s *Service) tryCard(ctx context.Context, o origin) (limit.Failure, error) {
	try, err := s.Limits.Fail(ctx, limit.CardDeclines, hashed(o.card), time.Now())
	if f := fault.As(err); f != nil {
		return try, f.Saying("This card was declined too often; come back later, or use another.")
	}
	return try, err
}

// countCard notes for both limits what the bank said of an attempt's card: a
// declined one counts for its address, and of any other the try is forgotten.
func countCard(ctx context.Context, q *db.Queries, a db.CardAttempt) error {
	if a.Status != string(acquirer.Declined) {
		if a.Card == nil || underWay(a.Status) {
			return nil
		}
		return limit.ForgiveIn(ctx, q, limit.CardDeclines, hashed(a.Card))
	}
	if a.Source == nil {
		return nil
	}
	err := q.CardDeclinedPut(ctx, db.CardDeclinedPutParams{Source: a.Source, Card: a.Card, At: time.Now()})
	return fault.Doing("count declined card", err)
}

func hashed(card []byte) string { return hex.EncodeToString(card) }

// declinedFor is how long declined cards are remembered. It is longer than the
// period of any limit.
const declinedFor = 24 * time.Hour

// Prune deletes old declined cards, and erases kept cards that have expired.
func (s *Service) Prune(ctx context.Context) error {
	if _, err := s.q.CardDeclinedPrune(ctx, time.Now().Add(-declinedFor)); err != nil {
		return fmt.Errorf("forget declined cards: %w", err)
	}
	return fault.Doing("erase cards", s.Cards.Prune(ctx, s.q, s.clock.Now()))
}
