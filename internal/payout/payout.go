// Package payout is a payout's life: a merchant has a trader pay fiat out to a recipient, and USDT
// of the merchant's cashbox stay frozen until that is done. In paths and identifiers a payout is
// called a payin. Each step is one transaction that moves the status, the money and the merchant's
// webhook together.
package payout

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook"
)

// Status is where a payout stands.
type Status string

// The statuses. Waiting is followed by processing, cancelled or expired; processing by completed or
// failed, or by waiting where it is given back; completed by failed where an operator reverses it.
// Nothing follows the others.
const (
	Waiting    Status = "waiting"
	Processing Status = "processing"
	Completed  Status = "completed"
	Failed     Status = "failed"
	Cancelled  Status = "cancelled"
	Expired    Status = "expired"
)

// Statuses are all there are.
var Statuses = []Status{Waiting, Processing, Completed, Failed, Cancelled, Expired}

// subject is what transfers and events of a payout are about.
const subject = "payin"

// Payin is a payout as it stands.
type Payin struct {
	ID         int64
	UUID       uuid.UUID
	MerchantID int64
	CashboxID  int64
	OrderID    string
	Method     string
	Currency   string
	// Amount is what the recipient gets, in the currency.
	Amount decimal.Decimal
	// AddressMask is what may be shown of the recipient's requisite: its last four digits.
	AddressMask string
	// Recipient is the full name.
	Recipient string
	// BankCode and BankName are the recipient's bank, and UserID and UserIP are the user for whom the
	// merchant pays out. Each is as the merchant sent it, or nil.
	BankCode *string
	BankName *string
	UserID   *string
	UserIP   *string

	Status       Status
	StatusReason *string
	StatusAt     time.Time
	CreatedAt    time.Time
	// ExpiresAt ends the time in which a trader may take the payout.
	ExpiresAt time.Time
	// TraderID and TakenAt say who took the payout, and when. Both are nil where nobody did.
	TraderID *int64
	TakenAt  *time.Time
	// ProofReference is what proves that the recipient was paid, such as the transfer's number.
	ProofReference *string

	// FrozenUSDT is what the payout costs the merchant's cashbox.
	FrozenUSDT decimal.Decimal
}

func fromRow(row db.Payin) Payin {
	return Payin{
		ID:             row.ID,
		UUID:           row.UUID,
		MerchantID:     row.MerchantID,
		CashboxID:      row.CashboxID,
		OrderID:        row.OrderID,
		Method:         row.Method,
		Currency:       row.Currency,
		Amount:         row.Amount,
		AddressMask:    row.AddressMask,
		Recipient:      row.Recipient,
		BankCode:       row.BankCode,
		BankName:       row.BankName,
		UserID:         row.UserID,
		UserIP:         row.UserIP,
		Status:         Status(row.Status),
		StatusReason:   row.StatusReason,
		StatusAt:       row.StatusAt,
		CreatedAt:      row.CreatedAt,
		ExpiresAt:      row.ExpiresAt,
		TraderID:       row.TraderID,
		TakenAt:        row.TakenAt,
		ProofReference: row.ProofReference,
		FrozenUSDT:     row.FrozenUSDT,
	}
}

// Bank is the recipient's bank by its code, else by its name, else nil.
func (p Payin) Bank() *string {
	for _, bank := range []*string{p.BankCode, p.BankName} {
		if bank != nil && *bank != "" {
			return bank
		}
	}
	return nil
}

// Refusals of a step.
var (
	errDisabled = fault.New(
		fault.Forbidden,
		"merchant_external_payins_disabled",
		"Payouts are not enabled on the key.",
	)
	errKeyLimit = fault.New(
		fault.Forbidden,
		"key_payout_limit",
		"The key has asked for as many payouts today as it may.",
	)
	errBalance      = fault.ErrCashboxBalance.Saying("The cashbox does not hold the USDT this payout freezes.")
	errNoRate       = fault.New(fault.Unavailable, "rate_unavailable", "No rate is known for this currency.")
	errNotCompleted = fault.New(fault.Refused, "payin_not_completed", "The payout is not completed.")
	// ErrNotWaiting answers who wants to take or cancel a payout that somebody took, or that has ended.
	ErrNotWaiting = fault.New(fault.Refused, "payin_not_waiting", "The payout is no longer waiting.")
	// ErrNotProcessing answers who wants to end or give back a payout that has ended.
	ErrNotProcessing = fault.New(fault.Refused, "payin_not_processing", "The payout is not being processed.")
	// ErrTakeLimit answers a trader who has as many payouts open as they may have.
	ErrTakeLimit = fault.New(fault.Refused, "payin_take_limit",
		"You have taken as many payouts as you may have open: end one or give one back.")
)

// Service carries payouts through their life.
type Service struct {
	// FourEyes are the rules by which a payout is decided by two.
	FourEyes foureyes.Rules

	pool *pgxpool.Pool
	// in is where locked payouts are moved: the pool, or the transaction of an approval.
	in        db.Beginner
	reads     *pgxpool.Pool
	q         *db.Queries
	clock     clock.Clock
	vault     *vault.Vault
	addresses *webhook.Addresses
	expiring  *db.Sweep[db.PayinsExpiredRow]
}

// New makes the service.
func New(pools db.Pools, c clock.Clock, v *vault.Vault, addresses *webhook.Addresses) *Service {
	q := db.New(pools.Reads)
	return &Service{
		pool: pools.Calls, in: pools.Calls, reads: pools.Reads, q: q, clock: c, vault: v, addresses: addresses,
		expiring: db.NewSweep(func(row db.PayinsExpiredRow) int64 { return row.ID }),
	}
}

// needPayouts settles that a key may ask for payouts.
func needPayouts(who caller.Caller) error {
	if err := who.NeedMerchant(""); err != nil {
		return err
	}
	if !slices.Contains(who.Scopes, caller.ScopePayouts) {
		return errDisabled
	}
	return nil
}

// needMerchant settles that the caller is a merchant's: a key that may ask for payouts, or a user
// of its portal with the capability.
func needMerchant(who caller.Caller, needed caller.Capability) error {
	if who.Kind == caller.MerchantPortal {
		return who.Need(needed)
	}
	return needPayouts(who)
}

// Get reads one of the merchant's payouts by its uuid, or for an operator any.
func (s *Service) Get(ctx context.Context, who caller.Caller, id string) (Payin, error) {
	find := func() (db.Payin, error) { return s.findOwn(ctx, who, caller.MerchantRead, id) }
	if who.Kind == caller.Operator {
		if err := who.Need(caller.OperatorRead); err != nil {
			return Payin{}, err
		}
		find = func() (db.Payin, error) { return s.find(ctx, id) }
	}
	row, err := find()
	if err != nil {
		return Payin{}, err
	}
	return fromRow(row), nil
}

// findOwn finds one of the merchant's payouts.
func (s *Service) findOwn(
	ctx context.Context, who caller.Caller, needed caller.Capability, id string,
) (db.Payin, error) {
	if err := needMerchant(who, needed); err != nil {
		return db.Payin{}, err
	}
	p, err := s.find(ctx, id)
	if err == nil && p.MerchantID != who.MerchantID {
		err = fault.ErrCashboxAccessDenied
	}
	return p, err
}

func (s *Service) find(ctx context.Context, id string) (db.Payin, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || len(id) != len(uuid.UUID{}.String()) {
		return db.Payin{}, fault.ErrNotFound
	}
	p, err := s.q.PayinFind(ctx, parsed)
	if db.NoRows(err) {
		return p, fault.ErrNotFound
	}
	return p, err
}

// Approved is the service within a transaction in which a second operator approves what is done: it asks for no other.
func (s *Service) Approved(tx pgx.Tx) *Service {
	within := *s
	within.in, within.q, within.FourEyes = tx, db.New(tx), foureyes.Rules{}
	return &within
}

// inLocked runs fn in a transaction on a payout whose row it has locked.
func (s *Service) inLocked(ctx context.Context, found db.Payin, fn func(tx pgx.Tx, p db.Payin) error) error {
	return db.InTx(ctx, s.in, func(tx pgx.Tx, q *db.Queries) error {
		p, err := q.PayinLock(ctx, db.PayinLockParams{MerchantID: found.MerchantID, ID: found.ID})
		if err != nil {
			return fmt.Errorf("lock payout: %w", err)
		}
		return fn(tx, p)
	})
}

// place is where a payout's requisite is sealed for.
func place(id int64) vault.Place { return vault.Place{Table: "payin", Column: "address", Row: id} }

// open is the whole requisite, or its mask once it was removed.
func (s *Service) open(p db.Payin) (string, error) {
	if p.Address == nil {
		return p.AddressMask, nil
	}
	address, err := s.vault.Open(p.Address, place(p.ID))
	return string(address), err
}
