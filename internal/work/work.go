package work

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Kind is what waits.
type Kind string

// What waits for operators, the most urgent first.
const (
	// Conflict is a charge of a card that ended otherwise than its payment.
	Conflict Kind = "card_conflict"
	// Overdrawn is an account that a forced debit has left below zero.
	Overdrawn Kind = "overdrawn_account"
	// Overdue is a payout that a trader took and did not end in time.
	Overdue Kind = "overdue_payout"
	// Appeal is one to be decided, and Deposit one to be confirmed.
	Appeal  Kind = "appeal"
	Deposit Kind = "deposit"
	// DeadEvents are a merchant's webhooks that were given up.
	DeadEvents Kind = "dead_events"
	// Feed is a source of rates whose last answer was wrong.
	Feed Kind = "rate_feed"
	// Short is a trader who takes payments and has no USDT available, or less than their open payments
	// hold: as many again would not fit.
	Short Kind = "short_trader"
	// Idle is a trader who works and whose requisites are all switched off or have reached a limit of
	// today.
	Idle Kind = "idle_trader"
)

// Kinds are all of them, in their order.
func Kinds() []Kind {
	return []Kind{Conflict, Overdrawn, Overdue, Appeal, Deposit, DeadEvents, Feed, Short, Idle}
}

const (
	// Most is how many of a queue are counted.
	Most = 99
	// OverdueAfter is how long a trader has for a payout before it waits for operators.
	OverdueAfter = 30 * time.Minute
)

// Item is something that waits.
type Item struct {
	// SubjectID is the id of the deposit, appeal, payout, conflict, merchant, feed, account or trader.
	SubjectID int64
	// UUID is a payout's, and PaymentID the payment of a conflict.
	UUID      uuid.UUID
	PaymentID int64
	// Name is the merchant's, trader's or account's, or an order id; "" is none.
	Name string
	// Since is when it began to wait; nil is not known.
	Since *time.Time
	// Amount is what it is about, in Currency; nil is nothing.
	Amount   *decimal.Decimal
	Currency string
	// Count is how many dead events there are, no more than Most and one.
	Count int
	// Claim is who works on it; nil is nobody.
	Claim *Claim
}

// Queue is what waits of a kind, the oldest first.
type Queue struct {
	Kind  Kind
	Items []Item
	// More tells that there are more than these.
	More bool
}

// Service shows what waits and keeps who works on it.
type Service struct {
	pool  *pgxpool.Pool
	reads *pgxpool.Pool
	clock clock.Clock
}

// New makes the service.
func New(pools db.Pools, c clock.Clock) *Service {
	return &Service{pool: pools.Calls, reads: pools.Reads, clock: c}
}

// Queues are all queues in which something waits.
func (s *Service) Queues(ctx context.Context, who caller.Caller) ([]Queue, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return nil, err
	}
	var queues []Queue
	for _, kind := range Kinds() {
		items, err := db.List(ctx, s.reads, func(q *db.Queries) ([]Item, error) {
			return s.waiting(ctx, q, kind)
		})
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", kind, err)
		}
		if len(items) == 0 {
			continue
		}
		queue := Queue{Kind: kind, Items: items[:min(len(items), Most)], More: len(items) > Most}
		if err := s.addClaims(ctx, who, queue); err != nil {
			return nil, err
		}
		queues = append(queues, queue)
	}
	return queues, nil
}

func (s *Service) addClaims(ctx context.Context, who caller.Caller, queue Queue) error {
	ids := make([]int64, 0, len(queue.Items))
	for _, item := range queue.Items {
		ids = append(ids, item.SubjectID)
	}
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

// known tells whether there is such a kind.
func (k Kind) known() bool { return slices.Contains(Kinds(), k) }
