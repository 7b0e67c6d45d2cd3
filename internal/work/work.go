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
)

// Kind is the kind of what waits.
type Kind string

// What waits for operators, the most urgent first.
const (
	// Conflict is a card charge that ended otherwise than its payment.
	Conflict Kind = "card_conflict"
	// Overdrawn is an account that a forced debit has left below zero.
	Overdrawn Kind = "overdrawn_account"
	// Overdue is a payout that a trader took and did not end in time.
	Overdue Kind = "overdue_payout"
	// OtherAmount is a payment of which another amount came than was asked for.
	OtherAmount Kind = "other_amount"
	// Objection is a trader's, to a payment that a message of a bank confirmed.
	Objection Kind = "objection"
	// Appeal is one to be decided, and Deposit one to be confirmed.
	Appeal  Kind = "appeal"
	Deposit Kind = "deposit"
	// Withdrawal is one to be decided, or that was stopped because another transfer was seen.
	Withdrawal Kind = "withdrawal"
	// AppealAnswer is an appeal about which its trader wrote what no operator has read.
	AppealAnswer Kind = "appeal_answer"
	// DeadEvents are a merchant's webhooks that could not be delivered.
	DeadEvents Kind = "dead_events"
	// Feed is a source of rates whose last answer was wrong.
	Feed Kind = "rate_feed"
	// Short is a trader who takes payments and has no USDT available, or less than their open
	// payments hold.
	Short Kind = "short_trader"
	// Idle is a trader who works and whose requisites are all switched off or have reached a limit of
	// today.
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
	// OverdueAfter is how long a trader may take for a payout before it waits for operators.
	OverdueAfter = 30 * time.Minute
)

// Item is something that waits.
type Item struct {
	// SubjectID is the id of the deposit, withdrawal, appeal, payment, message, payout, conflict, merchant, feed, account or trader.
	SubjectID int64
	// UUID is for a payout, and PaymentID is the payment of a conflict or an objection.
	UUID      uuid.UUID
	PaymentID int64
	// Name is the name of the merchant, trader or account, or an order id; "" is none.
	Name string
	// Since is when it began to wait; nil if not known.
	Since *time.Time
	// Amount is the amount that it is about, in Currency, or nil.
	Amount   *decimal.Decimal
	Currency string
	// Count is how many dead events there are, at most one more than Most, or unread messages.
	Count int
	// Claim is who is working on it, or nil.
	Claim *Claim
}

// Queue is a kind and what waits, the oldest first.
type Queue struct {
	Kind  Kind
	Items []Item
	// More says that there are more.
	More bool
}

// Service lists what waits, and keeps the claims.
type Service struct {
	pool  *pgxpool.Pool
	reads *pgxpool.Pool
	clock clock.Clock
}

// New makes the service.
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
