// Package withdrawal implements the life of a withdrawal of USDT, from the
// request of a merchant or trader to the transfer that is seen on the chain,
// and the address books for withdrawals. The gateway has no key: a signer
// outside gets a signed list of what is to be paid, and names the transactions.
package withdrawal

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/attest"
	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
)

// Status is the status of a withdrawal.
type Status string

// The statuses. The last four are final.
const (
	// Requested holds amount and fee, and waits for operators.
	Requested Status = "requested"
	// Approved may be handed over, and HandedOver was: the signer outside
	// pays it.
	Approved   Status = "approved"
	HandedOver Status = "handed_over"
	Completed  Status = "completed"
	// Rejected was refused by an operator, Failed was not paid although it
	// was handed over, Cancelled was taken back by its owner.
	Rejected  Status = "rejected"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// Statuses are all statuses.
var Statuses = []string{
	string(Requested), string(Approved), string(HandedOver), string(Completed), string(Rejected), string(Failed),
	string(Cancelled),
}

// subject is what the ledger and webhooks call a withdrawal.
const subject = "withdrawal"

// The kinds of owners.
const (
	ownerMerchant = "merchant"
	ownerTrader   = "trader"
)

// Withdrawal is a withdrawal and its state.
type Withdrawal struct {
	ID int64
	// MerchantID and CashboxID are 0 for a trader's, and TraderID is 0 for
	// a merchant's.
	MerchantID, CashboxID, TraderID int64
	// OrderID is the owner's own id of it.
	OrderID string
	// Amount is what arrives, and Fee what it costs besides, in USDT.
	Amount, Fee decimal.Decimal
	Network     string
	Address     string
	CallbackURI string
	Status      Status
	// Reason is why it was rejected or has failed.
	Reason              *string
	CreatedAt, StatusAt time.Time
	// HandOverID is the only list that it is on, or nil.
	HandOverID *int64
	// Hash is the transaction that pays it, or nil.
	Hash *string
	// Mismatch is what was wrong with the transfer that was seen, or nil.
	Mismatch *string
}

// Total is what leaves the owner's balance.
func (w Withdrawal) Total() decimal.Decimal { return w.Amount.Add(w.Fee) }

// Owners are the owner's ids.
func (w Withdrawal) Owners() (merchantID, traderID int64) { return w.MerchantID, w.TraderID }

// fromRow converts a row. A withdrawal from a cashbox has MerchantID and
// CashboxID, a trader's has TraderID; the others are 0.
func fromRow(row db.Withdrawal) Withdrawal {
	w := Withdrawal{
		ID: row.ID, OrderID: row.OrderID, Amount: row.Amount, Fee: row.Fee, Network: row.Network, Address: row.Address,
		CallbackURI: row.CallbackURI, Status: Status(row.Status), Reason: row.StatusReason, CreatedAt: row.CreatedAt,
		StatusAt: row.StatusAt, HandOverID: row.HandOverID, Hash: row.TransactionHash, Mismatch: row.Mismatch,
	}
	if row.CashboxID == nil {
		w.TraderID = row.OwnerID
		return w
	}
	w.MerchantID, w.CashboxID = row.OwnerID, *row.CashboxID
	return w
}

// payer is whose account pays.
func payer(row db.Withdrawal) (ledger.Owner, int64) {
	if row.CashboxID == nil {
		return ledger.Trader, row.OwnerID
	}
	return ledger.Cashbox, *row.CashboxID
}

// Service takes and decides withdrawals.
type Service struct {
	// FourEyes says when a decision takes two operators.
	FourEyes foureyes.Rules

	pool      db.Beginner
	reads     db.Pool
	q         *db.Queries
	clock     clock.Clock
	addresses *outbound.Addresses
	signer    *attest.Signer
	// approved tells that a second operator approves what was proposed.
	approved bool
}

// New makes the service. signer signs what is handed over.
func New(
	pools db.Pools, c clock.Clock, addresses *outbound.Addresses, signer *attest.Signer, rules foureyes.Rules,
) *Service {
	return &Service{
		FourEyes: rules, pool: pools.Calls, reads: pools.Reads, q: db.New(pools.Reads), clock: c, addresses: addresses,
		signer: signer,
	}
}

// Approved returns the service for use inside the transaction in which a second
// operator approves a change. It does not ask for another approval.
func (s *Service) Approved(tx pgx.Tx) *Service {
	within := *s
	within.pool, within.q, within.FourEyes, within.approved = tx, db.New(tx), foureyes.Rules{}, true
	return &within
}

// owner is whose withdrawals and addresses a caller has to do with.
type owner struct {
	kind string
	id   int64
}

func (o owner) String() string { return o.kind + " " + strconv.FormatInt(o.id, 10) }

func (o owner) has(w db.Withdrawal) bool { return w.OwnerKind == o.kind && w.OwnerID == o.id }

// reading checks that the caller may see an owner's withdrawals.
func reading(who caller.Caller) (owner, error) {
	return owned(who, caller.MerchantMoney, caller.TraderMoney)
}

// acting checks that the caller may change an owner's withdrawals.
func acting(who caller.Caller) (owner, error) {
	return owned(who, caller.MerchantWithdraw, caller.TraderWithdraw)
}

func owned(who caller.Caller, merchant, trader caller.Capability) (owner, error) {
	switch who.Kind {
	case caller.MerchantKey:
		return owner{ownerMerchant, who.MerchantID}, who.NeedMerchant(caller.ScopeWithdrawals)
	case caller.MerchantPortal:
		return owner{ownerMerchant, who.MerchantID}, who.Need(merchant)
	default:
		return owner{ownerTrader, who.TraderID}, who.Need(trader)
	}
}

// Get reads one of the caller's withdrawals, or for an operator any.
func (s *Service) Get(ctx context.Context, who caller.Caller, id int64) (Withdrawal, error) {
	row, err := s.seen(ctx, who, id)
	return fromRow(row), err
}

// seen finds a withdrawal if the caller may see it.
func (s *Service) seen(ctx context.Context, who caller.Caller, id int64) (db.Withdrawal, error) {
	if who.Kind == caller.Operator {
		if err := who.Need(caller.OperatorRead); err != nil {
			return db.Withdrawal{}, err
		}
		return s.find(ctx, id)
	}
	own, err := reading(who)
	if err != nil {
		return db.Withdrawal{}, err
	}
	return s.findOwn(ctx, own, id)
}

// findOwn finds an owner's withdrawal. Another's is not there.
func (s *Service) findOwn(ctx context.Context, own owner, id int64) (db.Withdrawal, error) {
	row, err := s.find(ctx, id)
	if err == nil && !own.has(row) {
		return db.Withdrawal{}, fault.ErrNotFound
	}
	return row, err
}

func (s *Service) find(ctx context.Context, id int64) (db.Withdrawal, error) {
	row, err := s.q.WithdrawalFind(ctx, id)
	switch {
	case db.NoRows(err):
		return row, fault.ErrNotFound
	case err != nil:
		return row, fmt.Errorf("read withdrawal: %w", err)
	}
	return row, nil
}
