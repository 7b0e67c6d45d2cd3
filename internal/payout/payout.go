// Package payout is the life of a payout: a merchant has a trader pay fiat to a recipient, and USDT
// of the merchant's cashbox are frozen until that is done. In paths and identifiers of the API a
// payout is called payin. Each step is one transaction that changes the status, moves the money and
// queues the merchant's webhook.
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
	"gateway.example/internal/metadata"
	"gateway.example/internal/outbound"
	"gateway.example/internal/requisite"
	"gateway.example/internal/vault"
)

// Status is the status of a payout.
type Status string

// The statuses. Waiting is followed by processing, cancelled or expired. Processing is followed by
// completed or failed, or by waiting if it is given back. Completed is followed by failed if an
// operator reverses it. The others are final.
const (
	Waiting    Status = "waiting"
	Processing Status = "processing"
	Completed  Status = "completed"
	Failed     Status = "failed"
	Cancelled  Status = "cancelled"
	Expired    Status = "expired"
)

// Statuses are all statuses.
var Statuses = []string{
	string(Waiting), string(Processing), string(Completed), string(Failed), string(Cancelled), string(Expired),
}

// subject is the subject of a payout's transfers and events.
const subject = "payin"

// Payin is a payout.
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
	// AddressMask is what may be shown of the requisite: its last four digits.
	AddressMask string
	// Recipient is the full name.
	Recipient string
	// BankCode and BankName are the recipient's bank. UserID and UserIP are the user for whom the
	// merchant pays out. Each is as the merchant sent it, or nil.
	BankCode *string
	BankName *string
	UserID   *string
	UserIP   *string
	// Metadata is what the merchant noted, which is for nobody but the merchant and operators.
	Metadata metadata.Set

	Status       Status
	StatusReason *string
	StatusAt     time.Time
	CreatedAt    time.Time
	// ExpiresAt is until when a trader may take the payout.
	ExpiresAt time.Time
	// TraderID and TakenAt are who took the payout and when, or nil.
	TraderID *int64
	TakenAt  *time.Time
	// ProofReference proves that the recipient was paid, such as the transfer's number.
	ProofReference *string

	// FrozenUSDT is what the payout costs the cashbox.
	FrozenUSDT decimal.Decimal
	// ReturnOf is the payment whose money goes back to its payer, or nil. That costs the cashbox nothing.
	ReturnOf *int64
}

// Seen is the payout as a caller who may read it sees it: what is not named here is for nobody.
func (p Payin) Seen(who caller.Caller) Payin {
	seen := Payin{
		ID: p.ID, UUID: p.UUID, MerchantID: p.MerchantID, CashboxID: p.CashboxID, Method: p.Method, Currency: p.Currency,
		Amount: p.Amount, AddressMask: p.AddressMask, Recipient: p.Recipient, BankCode: p.BankCode, BankName: p.BankName,
		Status: p.Status, StatusReason: p.StatusReason, StatusAt: p.StatusAt, CreatedAt: p.CreatedAt, ExpiresAt: p.ExpiresAt,
		TakenAt: p.TakenAt, ProofReference: p.ProofReference, ReturnOf: p.ReturnOf,
	}
	if who.Kind != caller.Trader {
		seen.OrderID, seen.UserID, seen.UserIP = p.OrderID, p.UserID, p.UserIP
		seen.Metadata, seen.FrozenUSDT = p.Metadata, p.FrozenUSDT
	}
	if who.Kind != caller.MerchantPortal {
		seen.TraderID = p.TraderID
	}
	return seen
}

func fromRow(row db.Payin) Payin {
	if row.ReturnOf != nil {
		row.FrozenUSDT = decimal.Zero
	}
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
		Metadata:       metadata.Read(row.Metadata),
		Status:         Status(row.Status),
		StatusReason:   row.StatusReason,
		StatusAt:       row.StatusAt,
		CreatedAt:      row.CreatedAt,
		ExpiresAt:      row.ExpiresAt,
		TraderID:       row.TraderID,
		TakenAt:        row.TakenAt,
		ProofReference: row.ProofReference,
		FrozenUSDT:     row.FrozenUSDT,
		ReturnOf:       row.ReturnOf,
	}
}

// Bank is the recipient's bank by code, or by name, or nil.
func (p Payin) Bank() *string {
	for _, bank := range []*string{p.BankCode, p.BankName} {
		if bank != nil && *bank != "" {
			return bank
		}
	}
	return nil
}

// Errors of a step.
var (
	errDisabled     = fault.New(fault.Forbidden, "merchant_external_payins_disabled", "Payouts are not enabled on the key.")
	errKeyLimit     = fault.New(fault.Forbidden, "key_payout_limit", "The key has asked for as many payouts today as it may.")
	errBalance      = fault.ErrCashboxBalance.Saying("The cashbox does not hold the USDT this payout freezes.")
	errNoRate       = fault.New(fault.Unavailable, "rate_unavailable", "No rate is known for this currency.")
	errNotCompleted = fault.New(fault.Refused, "payin_not_completed", "The payout is not completed.")
	// ErrNotWaiting refuses to take or cancel a payout that somebody took or that has ended.
	ErrNotWaiting = fault.New(fault.Refused, "payin_not_waiting", "The payout is no longer waiting.")
	// ErrNotProcessing refuses to end or give back a payout that has ended.
	ErrNotProcessing = fault.New(fault.Refused, "payin_not_processing", "The payout is not being processed.")
	// errReturn refuses to have another trader send back what one got.
	errReturn = fault.New(fault.Refused, "payin_is_return",
		"This returns what its trader got for a payment: only they can send it.")
	// ErrTakeLimit refuses a trader who has as many open payouts as they may have.
	ErrTakeLimit = fault.New(fault.Refused, "payin_take_limit",
		"You have taken as many payouts as you may have open: end one or give one back.")
)

// Service creates payouts and changes their status.
type Service struct {
	// FourEyes says when deciding a payout takes two operators.
	FourEyes foureyes.Rules
	// Requisites tells recipients' requisites apart, to find those that are blocked; nil finds none.
	Requisites *requisite.Safe

	pool *pgxpool.Pool
	// in is where locked payouts are changed: the pool, or the transaction of an approval.
	in        db.Beginner
	reads     *pgxpool.Pool
	q         *db.Queries
	clock     clock.Clock
	vault     *vault.Vault
	addresses *outbound.Addresses
	expiring  *db.Sweep[db.PayinsExpiredRow]
}

// New makes the service.
func New(
	pools db.Pools, c clock.Clock, v *vault.Vault, addresses *outbound.Addresses, rules foureyes.Rules,
) *Service {
	q := db.New(pools.Reads)
	return &Service{
		pool: pools.Calls, in: pools.Calls, reads: pools.Reads, q: q, clock: c, vault: v, addresses: addresses,
		FourEyes: rules,
		expiring: db.NewSweep(func(row db.PayinsExpiredRow) int64 { return row.ID }),
	}
}

// needPayouts checks that a key may ask for payouts.
func needPayouts(who caller.Caller) error {
	if err := who.NeedMerchant(""); err != nil {
		return err
	}
	if !slices.Contains(who.Scopes, caller.ScopePayouts) {
		return errDisabled
	}
	return nil
}

// needMerchant checks that the caller is a merchant's: a key that may ask for payouts, or a user of
// its portal with the capability.
func needMerchant(who caller.Caller, needed caller.Capability) error {
	if who.Kind == caller.MerchantPortal {
		return who.Need(needed)
	}
	return needPayouts(who)
}

// Get reads a payout of the merchant by its uuid, or any for an operator.
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

// findOwn finds a payout of the merchant.
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

// Approved returns the service for use inside the transaction in which a second operator approves a
// change. It does not ask for another approval.
func (s *Service) Approved(tx pgx.Tx) *Service {
	within := *s
	within.in, within.q, within.FourEyes = tx, db.New(tx), foureyes.Rules{}
	return &within
}

// inLocked locks a payout's row and runs fn on it in a transaction.
func (s *Service) inLocked(ctx context.Context, found db.Payin, fn func(tx pgx.Tx, p db.Payin) error) error {
	return db.InTx(ctx, s.in, func(tx pgx.Tx, q *db.Queries) error {
		p, err := q.PayinLock(ctx, db.PayinLockParams{MerchantID: found.MerchantID, ID: found.ID})
		if err != nil {
			return fmt.Errorf("lock payout: %w", err)
		}
		return fn(tx, p)
	})
}

// place is the place that a payout's requisite is sealed for.
func place(id int64) vault.Place { return vault.Place{Table: "payin", Column: "address", Row: id} }

// open is the whole requisite, or its mask after it was removed.
func (s *Service) open(p db.Payin) (string, error) {
	if p.Address == nil {
		return p.AddressMask, nil
	}
	address, err := s.vault.Open(p.Address, place(p.ID))
	return string(address), err
}
