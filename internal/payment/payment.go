// Package payment is a payment's life and its appeal: creation, status moves, expiry and deferred
// settlement. Each step is one transaction that moves the status, the money and the merchant's
// webhook together.
package payment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/webhook"
)

// Status is where a payment stands.
type Status string

// The statuses. Any of them may follow any other.
const (
	Pending   Status = "pending"
	Completed Status = "completed"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
	Appeal    Status = "appeal"
)

func known(status string) bool {
	switch Status(status) {
	case Pending, Completed, Failed, Cancelled, Appeal:
		return true
	}
	return false
}

// reasonExpired is the reason of a payment that nobody paid in time.
const reasonExpired = "expired"

// subject is what transfers and events of a payment are about.
const subject = "payment"

// Payment is a payment as it stands.
type Payment struct{ db.Payment }

// OpenToPayer reports whether the payer may still do something about the payment: it is pending,
// and its time is not over.
func (p Payment) OpenToPayer(now time.Time) bool {
	return Status(p.Status) == Pending && now.Before(p.ExpiresAt)
}

// RequisiteSnapshot reports whether the payment shows a requisite: card checkout has none, only a
// trader's desk.
func (p Payment) RequisiteSnapshot() bool { return p.RequisiteType != nil }

// ErrNotPending answers a trader's or payer's action on a payment that is no longer pending.
var ErrNotPending = fault.New(fault.Refused, "payment_not_pending", "The payment is no longer pending.")

var errCardMoved = errors.New("what moves cards and what must be done with each move go together")

// Config is what the service is set up with.
type Config struct {
	// Markup applies where neither request, cashbox method, merchant nor trader names a percent.
	Markup decimal.Decimal
	// ExternalSecret tells whether the application's external-payments secret is configured.
	ExternalSecret bool
	// Metrics counts refusals; nil counts nowhere.
	Metrics prometheus.Registerer
	// Cards are those entered for payments; without them no card payment moves.
	Cards *card.Safe
	// CardMoved is what must be done with each move of a card payment, whoever moves it. It goes
	// with Cards.
	CardMoved func(to Payment, at time.Time) []db.Query
}

// Service carries payments through their life.
type Service struct {
	// pool is for moves; creations and reads have their own.
	pool, creations, reads *pgxpool.Pool
	q                      *db.Queries
	clock                  clock.Clock
	addresses              *webhook.Addresses
	methods                methods
	config                 Config
	refusals               *prometheus.CounterVec
	open                   *openCounts
	settings               *directory.Keeper
	ids                    *ids
	expiring               *db.Sweep[db.Payment]
	settling               *db.Sweep[db.SettlementDueListRow]
}

// New makes the service. The table of methods is read once: it changes by migrations only.
func New(
	ctx context.Context,
	pools db.Pools,
	c clock.Clock,
	addresses *webhook.Addresses,
	settings *directory.Keeper,
	config Config,
) (*Service, error) {
	if (config.Cards == nil) != (config.CardMoved == nil) {
		return nil, errCardMoved
	}
	q := db.New(pools.Reads)
	known, err := readMethods(ctx, q)
	if err != nil {
		return nil, err
	}
	return &Service{
		pool:      pools.Calls,
		creations: pools.Creations,
		reads:     pools.Reads,
		q:         q,
		clock:     c,
		addresses: addresses,
		methods:   known,
		config:    config,
		refusals:  newRefusals(config.Metrics),
		open:      newOpenCounts(),
		settings:  settings,
		ids:       &ids{q: q},
		expiring:  db.NewSweep(func(row db.Payment) int64 { return row.ID }),
		settling:  db.NewSweep(func(row db.SettlementDueListRow) int64 { return row.PaymentID }),
	}, nil
}

// inLocked runs fn in a transaction on a payment whose row it has locked.
func (s *Service) inLocked(ctx context.Context, merchantID, id int64, fn func(tx pgx.Tx, p db.Payment) error) error {
	return db.InTx(ctx, s.pool, func(tx pgx.Tx, q *db.Queries) error {
		p, err := q.PaymentLock(ctx, db.PaymentLockParams{MerchantID: merchantID, ID: id})
		if err != nil {
			return fmt.Errorf("lock payment: %w", err)
		}
		return fn(tx, p)
	})
}

// Get reads a payment by its integer id or its uuid, if the caller may see it.
func (s *Service) Get(ctx context.Context, who caller.Caller, id string) (Payment, error) {
	if who.Kind == caller.MerchantKey {
		if err := who.NeedMerchant(caller.ScopePayments); err != nil {
			return Payment{}, err
		}
	}
	p, err := s.find(ctx, id)
	if err != nil {
		return Payment{}, err
	}
	if err := visible(who, p); err != nil {
		return Payment{}, err
	}
	return Payment{p}, nil
}

// ByUUID reads a payment for whoever holds its link: the link is the access control.
func (s *Service) ByUUID(ctx context.Context, id uuid.UUID) (Payment, error) {
	p, err := s.q.PaymentFindByUUID(ctx, id)
	if db.NoRows(err) {
		return Payment{}, fault.ErrNotFound
	}
	return Payment{p}, err
}

func (s *Service) find(ctx context.Context, id string) (db.Payment, error) {
	var p db.Payment
	var err error
	if number, ok := parseID(id); ok {
		p, err = s.q.PaymentFind(ctx, number)
	} else if asUUID, uuidErr := uuid.Parse(id); uuidErr == nil && len(id) == len(uuid.UUID{}.String()) {
		p, err = s.q.PaymentFindByUUID(ctx, asUUID)
	} else {
		return p, fault.ErrNotFound
	}
	if db.NoRows(err) {
		return p, fault.ErrNotFound
	}
	return p, err
}

// visible says no with 403 to another merchant, as documented, and to everyone else as if there
// were nothing.
func visible(who caller.Caller, p db.Payment) error {
	switch who.Kind {
	case caller.MerchantKey, caller.MerchantPortal:
		if p.MerchantID != who.MerchantID {
			return fault.ErrCashboxAccessDenied
		}
		return nil
	case caller.Operator, caller.Application:
		return nil
	case caller.Trader:
		if p.TraderID == who.TraderID {
			return nil
		}
	case caller.Cabinet:
		// A player's id is its merchant's own: another's player of that name is another person.
		if p.PayerUserID != nil && slices.Contains(who.MerchantIDs, p.MerchantID) &&
			slices.Contains(payers(who), *p.PayerUserID) {
			return nil
		}
	case caller.Anyone:
	}
	return fault.ErrNotFound
}

// Change is one row of a payment's history.
type Change struct {
	At     time.Time
	Actor  string
	From   *string
	To     string
	Reason *string
}

// History lists a payment's status changes, its creation first.
func (s *Service) History(ctx context.Context, p Payment) ([]Change, error) {
	rows, err := s.q.PaymentHistoryList(ctx, db.PaymentHistoryListParams{MerchantID: p.MerchantID, PaymentID: p.ID})
	if err != nil {
		return nil, fmt.Errorf("list history: %w", err)
	}
	changes := make([]Change, 0, len(rows))
	for _, row := range rows {
		changes = append(
			changes,
			Change{At: row.At, Actor: row.Actor, From: row.FromStatus, To: row.ToStatus, Reason: row.Reason},
		)
	}
	return changes, nil
}
