// Package payment is the life of a payment and its appeal: creation, changes of status, expiry and
// deferred settlement. Each step is one transaction that changes the status, moves the money and
// queues the merchant's webhook.
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

	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/metadata"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payout"
	"gateway.example/internal/requisite"
)

// Status is the status of a payment.
type Status string

// The statuses. Any of them may follow any other.
const (
	Pending   Status = "pending"
	Completed Status = "completed"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
	Appeal    Status = "appeal"
)

// Statuses are all statuses.
var Statuses = []string{string(Pending), string(Completed), string(Failed), string(Cancelled), string(Appeal)}

func known(status string) bool { return slices.Contains(Statuses, status) }

// reasonExpired is the reason of a payment that was not paid in time.
const reasonExpired = "expired"

// reasonLate is the reason of a payment that was completed after it had expired.
const reasonLate = "late"

// subject is the subject of a payment's transfers and events.
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
	Amount decimal.Decimal
	// ReceivedAmount is what came, where somebody said.
	ReceivedAmount decimal.NullDecimal
	Description    *string
	// PayerUserID is the merchant's own name for the payer, or nil.
	PayerUserID *string

	Status       Status
	StatusReason *string
	StatusAt     time.Time
	CreatedAt    time.Time
	// ExpiresAt is when the payer's time ends. If the payment is still pending then, it fails.
	ExpiresAt time.Time
	// ReturnURL is the shop's page to which the payer returns, or nil.
	ReturnURL *string
	// Metadata is what the merchant noted, which is for nobody but the merchant and operators.
	Metadata metadata.Set
	// ClaimedAt is when the payer first said that they have paid, or nil.
	ClaimedAt *time.Time
	// EventSequence is the number of the payment's last webhook event; 0 before the first.
	EventSequence int32

	// TraderID is 0 where no trader is assigned.
	TraderID int64
	// RequisiteID is the chosen requisite of the trader. The other five fields are copies from the
	// time of creation: where the payer sends the money. All but the id are nil for card checkout.
	RequisiteID     *int64
	RequisiteType   *string
	RequisiteMethod *string
	RequisiteValue  *string
	RequisiteHolder *string
	RequisiteBank   *string

	// BaseRate is the fiat price of a USDT. While RateUnavailable, it is the last known one, by which
	// the trader's USDT are held; so are the sums in USDT.
	BaseRate        decimal.Decimal
	RateUnavailable bool
	MarkupPercent   decimal.Decimal
	// AmountUSDT is what the merchant gets.
	AmountUSDT decimal.Decimal
	// ProfitUSDT is the whole spread, and the other two are the trader's and the platform's parts of
	// it.
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
		ReceivedAmount:     row.ReceivedAmount,
		Description:        row.Description,
		PayerUserID:        row.PayerUserID,
		Status:             Status(row.Status),
		StatusReason:       row.StatusReason,
		StatusAt:           row.StatusAt,
		CreatedAt:          row.CreatedAt,
		ExpiresAt:          row.ExpiresAt,
		ReturnURL:          row.ReturnURL,
		Metadata:           metadata.Read(row.Metadata),
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

// requisite is the opened requisite of a payment, where the payer sends the money; nil for card
// checkout.
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

// OpenToPayer reports whether the payer may still act: the payment is pending and not overdue.
func (p Payment) OpenToPayer(now time.Time) bool {
	return p.Status == Pending && now.Before(p.ExpiresAt)
}

// Ended reports whether the payment needs nothing more from the payer.
func (p Payment) Ended() bool { return p.Status != Pending }

// CardsAllowed is how many cards may be tried for a payment.
func (s *Service) CardsAllowed(p Payment) int { return s.settings.CardsAllowed(p.CashboxID, p.Method) }

// Blocked reports whether the payer of a payment is kept out by who they are, or by one of these marks.
func (s *Service) Blocked(ctx context.Context, p Payment, marks ...string) (bool, error) {
	if err := s.settings.Current(ctx); err != nil {
		return false, err
	}
	return s.settings.Blocked(p.MerchantID, s.clock.Now(), append(marks, block.UserMark(p.PayerUserID))...), nil
}

// RequisiteSnapshot reports whether the payment shows a requisite. Card checkout has none.
func (p Payment) RequisiteSnapshot() bool { return p.RequisiteType != nil }

// ErrPartCame refuses to cancel a payment that waits for its rest: what came would be its trader's.
var ErrPartCame = fault.New(fault.Refused, "payment_part_came", "A part of this payment has come, so it cannot be cancelled.")

// ErrNotPending refuses an action of a trader or payer on a payment that is no longer pending.
var ErrNotPending = fault.New(fault.Refused, "payment_not_pending", "The payment is no longer pending.")

var errRequisites = errors.New("what opens the requisites of payments is missing")

var errCardMoved = errors.New("what moves cards and what must be done with each move go together")

// Config configures the service.
type Config struct {
	// FourEyes says when completing an appeal takes two operators.
	FourEyes foureyes.Rules
	// Markup applies if neither request, cashbox method, merchant nor trader sets a percent.
	Markup decimal.Decimal
	// ExternalSecret says whether the application's external-payments secret is configured.
	ExternalSecret bool
	// GiveBackOutages gives open payments the time back in which no process served.
	GiveBackOutages bool
	// Metrics counts refusals; it may be nil.
	Metrics prometheus.Registerer
	// Requisites opens the requisites of payments.
	Requisites *requisite.Safe
	// Payouts return what came to payers; without it nothing is returned.
	Payouts *payout.Service
	// Cards stores the cards of payments. Without it no card payment changes its status.
	Cards *card.Safe
	// CardMoved is called with each change of a card payment's status. It goes with Cards.
	CardMoved func(to Payment, at time.Time) []db.Query
}

// Service creates payments and changes their status.
type Service struct {
	// pool is for changes of status; creations and reads have their own.
	pool, creations, reads *pgxpool.Pool
	// in is where locked payments are changed: the pool, or the transaction of an approval.
	in        db.Beginner
	q         *db.Queries
	clock     clock.Clock
	addresses *outbound.Addresses
	config    Config
	refusals  *prometheus.CounterVec
	// refused are counts that are not stored yet.
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
	addresses *outbound.Addresses,
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

// Approved returns the service for use inside the transaction in which a second operator approves a
// change. It does not ask for another approval.
func (s *Service) Approved(tx pgx.Tx) *Service {
	within := *s
	within.in, within.q, within.config.FourEyes = tx, db.New(tx), foureyes.Rules{}
	return &within
}

// inLocked locks a payment's row and runs fn on it in a transaction.
func (s *Service) inLocked(ctx context.Context, merchantID, id int64, fn func(tx pgx.Tx, p db.Payment) error) error {
	return db.InTx(ctx, s.in, func(tx pgx.Tx, q *db.Queries) error {
		p, err := q.PaymentLock(ctx, db.PaymentLockParams{MerchantID: merchantID, ID: id})
		if err != nil {
			return fmt.Errorf("lock payment: %w", err)
		}
		return fn(tx, p)
	})
}

// Get reads a payment by its id or uuid, if the caller may see it.
func (s *Service) Get(ctx context.Context, who caller.Caller, id string) (Payment, error) {
	row, err := s.findFor(ctx, who, id)
	if err != nil {
		return Payment{}, err
	}
	return s.fromRow(row), nil
}

// IDOf is the id of a payment by its uuid. It does not check the caller: whoever uses the id has to.
func (s *Service) IDOf(ctx context.Context, uuid string) (int64, error) {
	p, err := s.find(ctx, uuid)
	return p.ID, err
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

// mayRead checks that the caller may read payments at all.
func mayRead(who caller.Caller) error {
	switch who.Kind {
	case caller.MerchantKey:
		return who.NeedMerchant(caller.ScopePayments)
	case caller.Trader, caller.MerchantPortal, caller.Operator:
		return who.Need(caller.TraderRead, caller.MerchantRead, caller.OperatorRead)
	case caller.Anyone, caller.Application, caller.Cabinet, caller.Device, caller.Link:
	}
	return nil
}

// ByUUID reads a payment for the holder of its link. The link is the access control.
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

// visible refuses the payment with 403 to another merchant, as documented, and with not found to
// everybody else.
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
		// The same payer id at another merchant is another person.
		if p.PayerUserID != nil && slices.Contains(who.MerchantIDs, p.MerchantID) &&
			slices.Contains(payers(who), *p.PayerUserID) {
			return nil
		}
	case caller.Anyone, caller.Device, caller.Link:
	}
	return fault.ErrNotFound
}
