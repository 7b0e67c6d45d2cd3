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
	"gateway.example/internal/foureyes"
	"gateway.example/internal/requisite"
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

// Statuses are all there are.
var Statuses = []Status{Pending, Completed, Failed, Cancelled, Appeal}

func known(status string) bool { return slices.Contains(Statuses, Status(status)) }

// reasonExpired is the reason of a payment that nobody paid in time.
const reasonExpired = "expired"

// subject is what transfers and events of a payment are about.
const subject = "payment"

// Payment is a payment as it stands.
type Payment struct {
	ID         int64
	UUID       uuid.UUID
	MerchantID int64
	CashboxID  int64
	OrderID    string
	Method     string
	Currency   string
	// Amount is what the payer pays, in the currency.
	Amount      decimal.Decimal
	Description *string
	// PayerUserID is the merchant's own name for the payer, or nil where it gave none.
	PayerUserID *string

	Status       Status
	StatusReason *string
	StatusAt     time.Time
	CreatedAt    time.Time
	// ExpiresAt ends the payer's steps. The payment fails then, if it is still pending.
	ExpiresAt time.Time
	// ReturnURL is the shop's page that the payer goes back to, or nil.
	ReturnURL *string
	// ClaimedAt is when the payer first said that they have paid; nil before.
	ClaimedAt *time.Time
	// EventSequence is the number of the payment's last webhook event, and 0 before the first.
	EventSequence int32

	// TraderID is 0 where no trader is assigned.
	TraderID int64
	// RequisiteID is the trader's requisite that was chosen. The other five are what it said at the
	// creation: where the payer sends the money. All but the id are nil for card checkout.
	RequisiteID     *int64
	RequisiteType   *string
	RequisiteMethod *string
	RequisiteValue  *string
	RequisiteHolder *string
	RequisiteBank   *string

	// BaseRate is the fiat price of a USDT. While RateUnavailable it is only the last known one, by
	// which the trader's USDT are held, and so are the sums in USDT that follow from it.
	BaseRate        decimal.Decimal
	RateUnavailable bool
	MarkupPercent   decimal.Decimal
	// AmountUSDT is what the merchant gets.
	AmountUSDT decimal.Decimal
	// ProfitUSDT is the whole spread. The other two are the trader's and the platform's parts of it.
	ProfitUSDT         decimal.Decimal
	SpreadTraderUSDT   decimal.Decimal
	SpreadPlatformUSDT decimal.Decimal
}

func (s *Service) fromRow(row db.Payment) Payment {
	return Payment{
		ID:                 row.ID,
		UUID:               row.UUID,
		MerchantID:         row.MerchantID,
		CashboxID:          row.CashboxID,
		OrderID:            row.OrderID,
		Method:             row.Method,
		Currency:           row.Currency,
		Amount:             row.Amount,
		Description:        row.Description,
		PayerUserID:        row.PayerUserID,
		Status:             Status(row.Status),
		StatusReason:       row.StatusReason,
		StatusAt:           row.StatusAt,
		CreatedAt:          row.CreatedAt,
		ExpiresAt:          row.ExpiresAt,
		ReturnURL:          row.ReturnURL,
		ClaimedAt:          row.PayerClaimedAt,
		EventSequence:      row.EventSequence,
		TraderID:           row.TraderID,
		RequisiteID:        row.RequisiteID,
		RequisiteType:      row.RequisiteType,
		RequisiteMethod:    row.RequisiteMethod,
		RequisiteValue:     s.requisite(row),
		RequisiteHolder:    row.RequisiteHolder,
		RequisiteBank:      row.RequisiteBank,
		BaseRate:           row.BaseRate,
		RateUnavailable:    row.RateUnavailable,
		MarkupPercent:      row.MarkupPercent,
		AmountUSDT:         row.AmountUSDT,
		ProfitUSDT:         row.ProfitUSDT,
		SpreadTraderUSDT:   row.SpreadTraderUSDT,
		SpreadPlatformUSDT: row.SpreadPlatformUSDT,
	}
}

// requisite is where the payer of a payment sends the money, opened; nil for card checkout.
func (s *Service) requisite(row db.Payment) *string {
	return s.config.Requisites.Read(row.RequisiteID, row.RequisiteSealed, row.RequisiteLast4)
}

func (s *Service) fromRows(rows []db.Payment) []Payment {
	list := make([]Payment, 0, len(rows))
	for _, row := range rows {
		list = append(list, s.fromRow(row))
	}
	return list
}

// OpenToPayer reports whether the payer may still do something about the payment: it is pending,
// and its time is not over.
func (p Payment) OpenToPayer(now time.Time) bool {
	return p.Status == Pending && now.Before(p.ExpiresAt)
}

// Ended reports whether the payment waits for nothing from the payer any more.
func (p Payment) Ended() bool { return p.Status != Pending }

// Cards is how many cards may be tried for a payment.
func (s *Service) Cards(p Payment) int { return s.settings.Cards(p.CashboxID, p.Method) }

// RequisiteSnapshot reports whether the payment shows a requisite: card checkout has none, only a
// trader's desk.
func (p Payment) RequisiteSnapshot() bool { return p.RequisiteType != nil }

// ErrNotPending answers a trader's or payer's action on a payment that is no longer pending.
var ErrNotPending = fault.New(fault.Refused, "payment_not_pending", "The payment is no longer pending.")

var errRequisites = errors.New("what opens the requisites of payments is missing")

var errCardMoved = errors.New("what moves cards and what must be done with each move go together")

// Config is what the service is set up with.
type Config struct {
	// Markup applies where neither request, cashbox method, merchant nor trader names a percent.
	Markup decimal.Decimal
	// ExternalSecret tells whether the application's external-payments secret is configured.
	ExternalSecret bool
	// GiveBackOutages has open payments get back the time in which no process served.
	GiveBackOutages bool
	// Metrics counts refusals; nil counts nowhere.
	Metrics prometheus.Registerer
	// Requisites opens those of payments.
	Requisites *requisite.Safe
	// Cards are those entered for payments; without them no card payment moves.
	Cards *card.Safe
	// CardMoved is what must be done with each move of a card payment, whoever moves it. It goes
	// with Cards.
	CardMoved func(to Payment, at time.Time) []db.Query
}

// Service carries payments through their life.
type Service struct {
	// FourEyes are the rules by which an appeal is completed by two.
	FourEyes foureyes.Rules

	// pool is for moves; creations and reads have their own.
	pool, creations, reads *pgxpool.Pool
	// in is where locked payments are moved: the pool, or the transaction of an approval.
	in        db.Beginner
	q         *db.Queries
	clock     clock.Clock
	addresses *webhook.Addresses
	config    Config
	refusals  *prometheus.CounterVec
	// refused are the same, not kept yet.
	refused  *refusalCounts
	open     *openCounts
	settings *directory.Keeper
	ids      *ids
	expiring *db.Sweep[db.Payment]
	settling *db.Sweep[db.SettlementDueListRow]
}

// New makes the service.
func New(
	pools db.Pools,
	c clock.Clock,
	addresses *webhook.Addresses,
	settings *directory.Keeper,
	config Config,
) (*Service, error) {
	if config.Requisites == nil {
		return nil, errRequisites
	}
	if (config.Cards == nil) != (config.CardMoved == nil) {
		return nil, errCardMoved
	}
	q := db.New(pools.Reads)
	return &Service{
		pool:      pools.Calls,
		in:        pools.Calls,
		refused:   &refusalCounts{},
		creations: pools.Creations,
		reads:     pools.Reads,
		q:         q,
		clock:     c,
		addresses: addresses,
		config:    config,
		refusals:  newRefusals(config.Metrics),
		open:      newOpenCounts(),
		settings:  settings,
		ids:       &ids{q: q},
		expiring:  db.NewSweep(func(row db.Payment) int64 { return row.ID }),
		settling:  db.NewSweep(func(row db.SettlementDueListRow) int64 { return row.PaymentID }),
	}, nil
}

// Approved is the service within a transaction in which a second operator approves what is done: it asks for no other.
func (s *Service) Approved(tx pgx.Tx) *Service {
	within := *s
	within.in, within.q, within.FourEyes = tx, db.New(tx), foureyes.Rules{}
	return &within
}

// inLocked runs fn in a transaction on a payment whose row it has locked.
func (s *Service) inLocked(ctx context.Context, merchantID, id int64, fn func(tx pgx.Tx, p db.Payment) error) error {
	return db.InTx(ctx, s.in, func(tx pgx.Tx, q *db.Queries) error {
		p, err := q.PaymentLock(ctx, db.PaymentLockParams{MerchantID: merchantID, ID: id})
		if err != nil {
			return fmt.Errorf("lock payment: %w", err)
		}
		return fn(tx, p)
	})
}

// Get reads a payment by its integer id or its uuid, if the caller may see it.
func (s *Service) Get(ctx context.Context, who caller.Caller, id string) (Payment, error) {
	row, err := s.findFor(ctx, who, id)
	if err != nil {
		return Payment{}, err
	}
	return s.fromRow(row), nil
}

// findFor finds a payment that the caller may see.
func (s *Service) findFor(ctx context.Context, who caller.Caller, id string) (db.Payment, error) {
	if err := mayRead(who); err != nil {
		return db.Payment{}, err
	}
	p, err := s.find(ctx, id)
	if err != nil {
		return db.Payment{}, err
	}
	return p, visible(who, p)
}

// mayRead settles that the caller may read payments at all.
func mayRead(who caller.Caller) error {
	switch who.Kind {
	case caller.MerchantKey:
		return who.NeedMerchant(caller.ScopePayments)
	case caller.Trader, caller.MerchantPortal, caller.Operator:
		return who.Need(caller.TraderRead, caller.MerchantRead, caller.OperatorRead)
	case caller.Anyone, caller.Application, caller.Cabinet:
	}
	return nil
}

// ByUUID reads a payment for whoever holds its link: the link is the access control.
func (s *Service) ByUUID(ctx context.Context, id uuid.UUID) (Payment, error) {
	row, err := s.findByUUID(ctx, id)
	return s.fromRow(row), err
}

func (s *Service) findByUUID(ctx context.Context, id uuid.UUID) (db.Payment, error) {
	row, err := s.q.PaymentFindByUUID(ctx, id)
	if db.NoRows(err) {
		return db.Payment{}, fault.ErrNotFound
	}
	return row, err
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
