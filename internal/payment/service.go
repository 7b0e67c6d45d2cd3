package payment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/inforce"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payout"
	"gateway.example/internal/requisite"
	"gateway.example/internal/routing"
)

type Config struct {
	// FourEyes says when completing an appeal takes two operators.
	FourEyes foureyes.Rules
	// Markup applies if neither request, cashbox method, merchant nor
	// trader sets a percent.
	Markup decimal.Decimal
	// ExternalSecret says whether the application's external-payments
	// secret is configured.
	ExternalSecret bool
	// GiveBackOutages gives open payments the time back in which no process
	// served.
	GiveBackOutages bool
	// Refusals counts payments that find no requisite; it may be nil.
	Refusals *routing.Refusals
	// Requisites opens the requisites of payments.
	Requisites *requisite.Safe
	// Payouts makes the payouts that return money to payers; it may be nil
	// where nothing is returned.
	Payouts *payout.Service
	// Cards stores the cards of payments. Without it no card payment can
	// change its status.
	Cards *card.Safe
	// CardMoved returns queries to be run with each change of a card
	// payment's status. It is set together with Cards.
	CardMoved func(to Payment, at time.Time) []db.Query
}

// Service creates payments and changes their status.
type Service struct {
	// pool is for changes of status; creations and reads have their own.
	pool, creations, reads db.Pool
	// making writes creations, and changing changes of status.
	making, changing *db.Writer
	// in is where transactions that lock payments begin: the pool, or the
	// transaction of an approval.
	in        db.Beginner
	q         *db.Queries
	clock     clock.Clock
	addresses *outbound.Addresses
	config    Config
	open      *openCounts
	settings  *inforce.Keeper
	ids       *ids
	expiring  *db.Sweep
	settling  *db.Sweep
}

// together is how many creations or changes of status share a transaction, and
// turn how long one waits for those before it.
const (
	together = 20
	turn     = 5 * time.Millisecond
)

func New(
	pools db.Pools,
	c clock.Clock,
	addresses *outbound.Addresses,
	settings *inforce.Keeper,
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
		creations: pools.Creations,
		making:    db.NewWriter(pools.Creations, together, turn),
		changing:  db.NewWriter(pools.Calls, together, turn),
		reads:     pools.Reads,
		q:         q,
		clock:     c,
		addresses: addresses,
		config:    config,
		open:      newOpenCounts(),
		expiring:  new(db.Sweep),
		settling:  new(db.Sweep),
		settings:  settings,
		ids:       &ids{q: q},
	}, nil
}

var errRequisites = errors.New("what opens the requisites of payments is missing")

var errCardMoved = errors.New("what moves cards and what must be done with each move go together")

// Approved returns the service for use inside the transaction in which a second
// operator approves a change. It does not ask for another approval.
func (s *Service) Approved(tx pgx.Tx) *Service {
	within := *s
	within.in, within.q, within.config.FourEyes = tx, db.New(tx), foureyes.Rules{}
	return &within
}

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
	return s.FromRow(row), nil
}

// IDOf returns the id of a payment by its uuid. It does not check the caller,
// so whoever uses the id has to.
func (s *Service) IDOf(ctx context.Context, uuid string) (int64, error) {
	p, err := s.find(ctx, uuid)
	return p.ID, err
}

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

// ByUUID reads a payment for the holder of its link. Knowing the link is the
// permission.
func (s *Service) ByUUID(ctx context.Context, id uuid.UUID) (Payment, error) {
	row, err := s.findByUUID(ctx, id)
	return s.FromRow(row), err
}

func (s *Service) findByUUID(ctx context.Context, id uuid.UUID) (db.Payment, error) {
	row, err := s.q.PaymentFindByUUID(ctx, id)
	if db.NoRows(err) {
		return db.Payment{}, fault.ErrNotFound
	}
	return row, err
}

// find reads a payment by its id or its uuid, for whoever asks: its callers
// check that. A uuid counts only in its usual form; any other text is not
// found.
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

// visible returns not found for a payment that the caller may not see; another
// merchant gets 403 instead, as the API documents.
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
		// The same payer id at another merchant may be another person.
		if p.PayerUserID != nil && slices.Contains(who.MerchantIDs, p.MerchantID) &&
			slices.Contains(payers(who), *p.PayerUserID) {
			return nil
		}
	case caller.Anyone, caller.Device, caller.Link:
	}
	return fault.ErrNotFound
}

// parseID parses a positive decimal id without leading zeros.
func parseID(s string) (int64, bool) {
	id, err := strconv.ParseInt(s, 10, 64)
	return id, err == nil && id > 0 && strconv.FormatInt(id, 10) == s
}

// CardsAllowed is how many cards may be tried for a payment.
func (s *Service) CardsAllowed(p Payment) int { return s.settings.CardsAllowed(p.CashboxID, p.Method) }

// Blocked reports whether the payer of a payment is blocked, by one of these
// marks or by what the payment knows of them.
func (s *Service) Blocked(ctx context.Context, p Payment, marks ...string) (bool, error) {
	if err := s.settings.Current(ctx); err != nil {
		return false, err
	}
	return s.settings.Blocked(p.MerchantID, s.clock.Now(), append(marks, block.UserMark(p.PayerUserID))...), nil
}

// RequisiteHashes returns the hashes by which payments to a phone, card or
// account number are found.
func (s *Service) RequisiteHashes(value string) [][]byte { return s.config.Requisites.Hashes(value) }
