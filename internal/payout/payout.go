// Package payout implements the life of a payout: a trader pays fiat to a
// recipient for a merchant, and USDT of the merchant's cashbox are frozen until
// that is done. In paths and identifiers of the API a payout is called payin.
// Each step is one transaction that changes the status, moves the money and
// queues the merchant's webhook.
package payout

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/outbound"
	"gateway.example/internal/requisite"
	"gateway.example/internal/vault"
)

type Status string

// The statuses. Waiting is followed by processing, cancelled or expired.
// Processing is followed by completed or failed, or by waiting if it is given
// back. Completed is followed by failed if an operator reverses it. The others
// are final.
const (
	Waiting    Status = "waiting"
	Processing Status = "processing"
	Completed  Status = "completed"
	Failed     Status = "failed"
	Cancelled  Status = "cancelled"
	Expired    Status = "expired"
)

var Statuses = []string{
	string(Waiting), string(Processing), string(Completed), string(Failed), string(Cancelled), string(Expired),
}

const subject = "payin"

var (
	errDisabled     = fault.New(fault.Forbidden, "merchant_external_payins_disabled", "Payouts are not enabled on the key.")
	errKeyLimit     = fault.New(fault.Forbidden, "key_payout_limit", "The key has asked for as many payouts today as it may.")
	errBalance      = fault.ErrCashboxBalance.Saying("The cashbox does not hold the USDT this payout freezes.")
	errNoRate       = fault.New(fault.Unavailable, "rate_unavailable", "No rate is known for this currency.")
	errNotCompleted = fault.New(fault.Refused, "payin_not_completed", "The payout is not completed.")
	// ErrNotWaiting refuses to take or cancel a payout that somebody took
	// or that has ended.
	ErrNotWaiting = fault.New(fault.Refused, "payin_not_waiting", "The payout is no longer waiting.")
	// ErrNotProcessing refuses to end or give back a payout that has ended.
	ErrNotProcessing = fault.New(fault.Refused, "payin_not_processing", "The payout is not being processed.")
	// errTakenAnew refuses what was decided of a payout that somebody else
	// has taken since.
	errTakenAnew = fault.New(fault.Refused, "payin_taken_anew",
		"The payout was given back and taken again since. Look at it and decide again.")
	// errReturn refuses to give back a payout that returns a payment's
	// money: the trader who got that money has to send it.
	errReturn = fault.New(fault.Refused, "payin_is_return",
		"This returns what its trader got for a payment: only they can send it.")
	// ErrTakeLimit refuses a trader who has as many open payouts as they
	// may have.
	ErrTakeLimit = fault.New(fault.Refused, "payin_take_limit",
		"You have taken as many payouts as you may have open: end one or give one back.")
)

// Service creates payouts and changes their status.
type Service struct {
	// FourEyes says when deciding a payout takes two operators.
	FourEyes foureyes.Rules
	// Requisites hashes recipients' requisites, to find those that are
	// blocked; with nil none is found.
	Requisites *requisite.Safe

	pool db.Pool
	// in is where transactions that lock payouts begin: the pool, or the
	// transaction of an approval.
	in        db.Beginner
	reads     db.Pool
	q         *db.Queries
	clock     clock.Clock
	vault     *vault.Vault
	addresses *outbound.Addresses
	expiring  *db.Sweep
}

func New(
	pools db.Pools, c clock.Clock, v *vault.Vault, addresses *outbound.Addresses, rules foureyes.Rules,
) *Service {
	q := db.New(pools.Reads)
	return &Service{
		pool: pools.Calls, in: pools.Calls, reads: pools.Reads, q: q, clock: c, vault: v, addresses: addresses,
		FourEyes: rules, expiring: new(db.Sweep),
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

// needMerchant checks that the caller is a merchant's: a key that may ask for
// payouts, or a user of its portal with the capability.
func needMerchant(who caller.Caller, needed caller.Capability) error {
	if who.Kind == caller.MerchantPortal {
		return who.Need(needed)
	}
	return needPayouts(who)
}

// Get reads a payout of the caller's merchant by its uuid; an operator may read
// any.
func (s *Service) Get(ctx context.Context, who caller.Caller, id string) (Payout, error) {
	find := func() (db.Payout, error) { return s.findOwn(ctx, who, caller.MerchantRead, id) }
	if who.Kind == caller.Operator {
		if err := who.Need(caller.OperatorRead); err != nil {
			return Payout{}, err
		}
		find = func() (db.Payout, error) { return s.find(ctx, id) }
	}
	row, err := find()
	if err != nil {
		return Payout{}, err
	}
	return FromRow(row), nil
}

// findOwn finds a payout of the merchant.
func (s *Service) findOwn(
	ctx context.Context, who caller.Caller, needed caller.Capability, id string,
) (db.Payout, error) {
	if err := needMerchant(who, needed); err != nil {
		return db.Payout{}, err
	}
	p, err := s.find(ctx, id)
	if err == nil && p.MerchantID != who.MerchantID {
		err = fault.ErrCashboxAccessDenied
	}
	return p, err
}

func (s *Service) find(ctx context.Context, id string) (db.Payout, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || len(id) != len(uuid.UUID{}.String()) {
		return db.Payout{}, fault.ErrNotFound
	}
	p, err := s.q.PayoutFind(ctx, parsed)
	if db.NoRows(err) {
		return p, fault.ErrNotFound
	}
	return p, err
}

// Approved returns the service for use inside the transaction in which a second
// operator approves a change. It does not ask for another approval.
func (s *Service) Approved(tx pgx.Tx) *Service {
	within := *s
	within.in, within.q, within.FourEyes = tx, db.New(tx), foureyes.Rules{}
	return &within
}

func (s *Service) inLocked(ctx context.Context, found db.Payout, fn func(tx pgx.Tx, p db.Payout) error) error {
	return db.InTx(ctx, s.in, func(tx pgx.Tx, q *db.Queries) error {
		p, err := q.PayoutLock(ctx, db.PayoutLockParams{MerchantID: found.MerchantID, ID: found.ID})
		if err != nil {
			return fmt.Errorf("lock payout: %w", err)
		}
		return fn(tx, p)
	})
}

func place(id int64) vault.Place { return vault.Place{Table: "payin", Column: "address", Row: id} }

// open decrypts the whole requisite, or returns its mask after the requisite
// was removed.
func (s *Service) open(p db.Payout) (string, error) {
	if p.Address == nil {
		return p.AddressMask, nil
	}
	address, err := s.vault.Open(p.Address, place(p.ID))
	return string(address), err
}
