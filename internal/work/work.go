package work

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
)

// Kind is the kind of what waits.
type Kind string

// The kinds of work that wait for operators, the most urgent first.
const (
	// Conflict is a card charge whose result does not agree with its
	// payment.
	Conflict Kind = "card_conflict"
	// Overdrawn is an account with a balance below zero after a forced
	// debit.
	Overdrawn Kind = "overdrawn_account"
	// Overdue is a payout that a trader took and did not finish in time.
	Overdue Kind = "overdue_payout"
	// OtherAmount is a payment for which an amount other than the one asked
	// for was received.
	OtherAmount Kind = "other_amount"
	// Objection is a trader's objection to a payment that a bank message
	// confirmed.
	Objection Kind = "objection"
	// Appeal is an appeal to be decided, and Deposit a deposit to be
	// confirmed.
	Appeal  Kind = "appeal"
	Deposit Kind = "deposit"
	// Withdrawal is a withdrawal to be decided, or one that was stopped
	// because another transfer was seen.
	Withdrawal Kind = "withdrawal"
	// AppealAnswer is an appeal with messages of its trader that no
	// operator has read.
	AppealAnswer Kind = "appeal_answer"
	// DeadEvents are a merchant's webhooks that could not be delivered.
	DeadEvents Kind = "dead_events"
	// Feed is a source of rates whose last answer was wrong.
	Feed Kind = "rate_feed"
	// Short is a trader who takes payments and has no USDT available, or
	// less than their open payments hold.
	Short Kind = "short_trader"
	// Idle is a trader who takes payments but whose requisites are all
	// switched off or have reached a daily limit.
	Idle Kind = "idle_trader"
)

// Kinds are all kinds, in order.
func Kinds() []Kind {
	kinds := make([]Kind, 0, len(queues))
	for _, queue := range queues {
		kinds = append(kinds, queue.kind)
	}
	return kinds
}

const (
	// Most is where counting a queue stops.
	Most = 99
	// OverdueAfter is how long a trader may work on a payout before it
	// waits for operators.
	OverdueAfter = 30 * time.Minute
)

// Item is something that waits.
type Item struct {
	// SubjectID is the id of the deposit, withdrawal, appeal, payment,
	// message, payout, conflict, merchant, feed, account or trader.
	SubjectID int64
	// UUID is set for a payout. PaymentID is the payment of a conflict or
	// an objection.
	UUID      uuid.UUID
	PaymentID int64
	// Name is the name of the merchant, trader or account, or an order id;
	// "" if there is none.
	Name string
	// Since is when it began to wait; nil if not known.
	Since *time.Time
	// Amount is the amount in question, in Currency, or nil.
	Amount   *decimal.Decimal
	Currency string
	// Count is the number of dead events, at most one more than Most, or of
	// unread messages.
	Count int
	// Claim is who is working on it, or nil.
	Claim *Claim
}

// Queue is a kind with the items that wait, the oldest first.
type Queue struct {
	Kind  Kind
	Items []Item
	// More tells that there are more items than listed.
	More bool
}

// Service lists what waits, and keeps the claims.
type Service struct {
	pool  db.Pool
	reads db.Pool
	clock clock.Clock
}

func New(pools db.Pools, c clock.Clock) *Service {
	return &Service{pool: pools.Calls, reads: pools.Reads, clock: c}
}

// Queues are all queues that are not empty.
func (s *Service) Queues(ctx context.Context, who caller.Caller) ([]Queue, error) {
	if err := who.Admit(ctx, caller.OperatorRead); err != nil {
		return nil, err
	}
	var found []Queue
	for _, of := range queues {
		items, err := db.List(ctx, s.reads, func(q *db.Queries) ([]Item, error) { return of.waiting(ctx, q, s.clock.Now()) })
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", of.kind, err)
		}
		if len(items) == 0 {
			continue
		}
		queue := Queue{Kind: of.kind, Items: items[:min(len(items), Most)], More: len(items) > Most}
		if err := s.addClaims(ctx, who, queue); err != nil {
			return nil, err
		}
		found = append(found, queue)
	}
	return found, nil
}

// addClaims adds to the items of a queue who works on each, in place.
func (s *Service) addClaims(ctx context.Context, who caller.Caller, queue Queue) error {
	ids := db.Each(queue.Items, func(item Item) int64 { return item.SubjectID })
	claims, err := s.Claims(ctx, who, queue.Kind, ids)
	if err != nil {
		return err
	}
	for i, item := range queue.Items {
		if claim, taken := claims[item.SubjectID]; taken {
			queue.Items[i].Claim = &claim
		}
	}
	return nil
}

// known reports whether the kind exists.
func (k Kind) known() bool { return slices.Contains(Kinds(), k) }
