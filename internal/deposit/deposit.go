package deposit

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/metadata"
	"gateway.example/internal/money"
)

// Deposit is a request to bring USDT into a cashbox, and its state.
type Deposit struct {
	ID         int64
	MerchantID int64
	CashboxID  int64
	// Status is pending, confirmed or rejected.
	Status string
	// Amount is in USDT.
	Amount  decimal.Decimal
	Network string
	// Address is the destination of the transfer.
	Address           string
	ExternalReference *string
	IdempotencyKey    uuid.UUID
	Metadata          metadata.Set
	CreatedAt         time.Time
	StatusAt          time.Time
	// Transfer is the transfer that is attached to it; nil if there is
	// none.
	Transfer *Transfer
	// Named is the transaction that the merchant has named as its transfer,
	// or "".
	Named string
}

// Owners are the merchant of a deposit, and no trader: traders have no part in
// deposits.
func (d Deposit) Owners() (merchantID, traderID int64) { return d.MerchantID, 0 }

// fromRow converts a row. What was seen of its transfer comes from
// withTransfers.
func fromRow(row db.Deposit) Deposit {
	return Deposit{
		ID:                row.ID,
		MerchantID:        row.MerchantID,
		CashboxID:         row.CashboxID,
		Status:            row.Status,
		Amount:            row.Amount,
		Network:           row.Network,
		Address:           row.Address,
		ExternalReference: row.ExternalReference,
		IdempotencyKey:    row.IdempotencyKey,
		Metadata:          metadata.Read(row.Metadata),
		CreatedAt:         row.CreatedAt,
		StatusAt:          row.StatusAt,
	}
}

// The statuses of a deposit. A pending one becomes one of the others, which are
// final.
const (
	depositPending   = "pending"
	depositConfirmed = "confirmed"
	depositRejected  = "rejected"
)

const subject = "deposit"

var Statuses = []string{depositPending, depositConfirmed, depositRejected}

// maxPending is how many deposits of a merchant may be pending. Transfers are
// compared with the pending deposits of all merchants, so one merchant's must
// not crowd out the others'.
const maxPending = 1000

var (
	errKeyConflict = fault.ErrIdempotencyConflict.Saying("The idempotency key was used for another cashbox.")
	errFull        = fault.New(fault.Conflict, "deposits_full", "As many deposits of the merchant are pending as may be.")
)

// Service shows merchants their cashboxes' balances and takes requests for
// deposits, which operators confirm.
type Service struct {
	pool  db.Beginner
	reads db.Pool
	q     *db.Queries
	clock clock.Clock
	// FourEyes says when a confirmation requires two operators.
	FourEyes foureyes.Rules
	// ConfirmSeen lets Match confirm deposits without an operator.
	ConfirmSeen bool
}

func New(pools db.Pools, c clock.Clock, rules foureyes.Rules) *Service {
	return &Service{pool: pools.Calls, reads: pools.Reads, q: db.New(pools.Reads), clock: c, FourEyes: rules}
}

// Approved returns the service for use inside the transaction in which a second
// operator approves a change. It does not ask for another approval.
func (s *Service) Approved(tx pgx.Tx) *Service {
	within := *s
	within.pool, within.q, within.FourEyes = tx, db.New(tx), foureyes.Rules{}
	return &within
}

// Request is a merchant's request for a deposit, as it was sent.
type Request struct {
	// CashboxID is nil for the key's own cashbox.
	CashboxID *int64
	// Amount is in USDT, up to 8 decimals.
	Amount   string
	Network  string
	Currency *string
	// Address may be "" in a merchant's portal: then it is the platform's
	// address on the network.
	Address           string
	ExternalReference *string
	IdempotencyKey    string
	// Metadata is what the merchant notes on the deposit.
	Metadata metadata.Set
}

type Created struct {
	Deposit Deposit
	// Replay says that the idempotency key was used before: Deposit is the
	// one created then.
	Replay bool
	// Mismatch names the fields in which a repeat differs from the first
	// request.
	Mismatch []string
}

// needMerchant checks that the caller is a merchant's: a key that may ask for
// deposits, or a user of the portal with the capability.
func needMerchant(who caller.Caller, needed caller.Capability) error {
	if who.Kind == caller.MerchantPortal {
		return who.Need(needed)
	}
	return who.NeedMerchant(caller.ScopeDeposits)
}

// Create makes a pending deposit, or returns the one that was made with the
// same idempotency key for the same cashbox.
func (s *Service) Create(ctx context.Context, who caller.Caller, r Request) (Created, error) {
	if err := needMerchant(who, caller.MerchantDeposits); err != nil {
		return Created{}, err
	}
	if r.CashboxID == nil {
		r.CashboxID = who.CashboxID
	} else if err := s.checkOwner(ctx, who, *r.CashboxID); err != nil {
		return Created{}, err
	}
	if who.Kind == caller.MerchantPortal && r.Address == "" {
		var err error
		if r.Address, err = s.address(ctx, who, r.Network); err != nil {
			return Created{}, err
		}
	}
	params, err := r.validate(ctx)
	if err != nil {
		return Created{}, err
	}
	params.MerchantID, params.Now = who.MerchantID, s.clock.Now()
	var created Created
	err = db.InTx(ctx, s.pool, func(tx pgx.Tx, q *db.Queries) error {
		created, err = createDeposit(ctx, q, who, params)
		if err != nil || created.Replay {
			return err
		}
		return db.Pipeline(ctx, tx, r.Metadata.Index(who.MerchantID, subject, created.Deposit.ID)...)
	})
	if err == nil && created.Replay {
		err = s.withTransfers(ctx, &created.Deposit)
	}
	return created, err
}

// checkOwner checks that the cashbox is the caller's merchant's.
func (s *Service) checkOwner(ctx context.Context, who caller.Caller, id int64) error {
	owner, err := s.q.CashboxOwner(ctx, id)
	switch {
	case db.NoRows(err):
		return fault.ErrNotFound
	case err != nil:
		return fmt.Errorf("read cashbox: %w", err)
	case owner.MerchantID != who.MerchantID:
		return fault.ErrCashboxAccessDenied
	}
	return nil
}

// createDeposit inserts a deposit, or returns the one that has the idempotency
// key. Until the caller's transaction ends, other new deposits of the merchant
// wait, so that together they cannot exceed maxPending. After an error the
// transaction must be rolled back.
func createDeposit(
	ctx context.Context,
	q *db.Queries,
	who caller.Caller,
	params db.DepositInsertParams,
) (Created, error) {
	made, err := q.DepositInsert(ctx, params)
	if db.NoRows(err) {
		return replayDeposit(ctx, q, params)
	}
	if err != nil {
		return Created{}, fmt.Errorf("insert deposit: %w", err)
	}
	// In statements of their own, so that the count has what was committed
	// until it was this one's turn.
	if err := q.DepositTurn(ctx, strconv.FormatInt(made.MerchantID, 10)); err != nil {
		return Created{}, fmt.Errorf("wait for a merchant's deposits: %w", err)
	}
	pending, err := q.DepositsOpen(ctx, db.DepositsOpenParams{MerchantID: made.MerchantID, Most: maxPending + 1})
	switch {
	case err != nil:
		return Created{}, fmt.Errorf("count a merchant's deposits: %w", err)
	case pending > maxPending:
		return Created{}, errFull
	}
	return Created{Deposit: fromRow(made)}, recordDeposit(ctx, q, made, who, nil, nil)
}

// replayDeposit reads the deposit with the idempotency key. It is a statement
// of its own, to see what another transaction has just committed.
func replayDeposit(ctx context.Context, q *db.Queries, asked db.DepositInsertParams) (Created, error) {
	d, err := q.DepositByKey(ctx, db.DepositByKeyParams{MerchantID: asked.MerchantID, IdempotencyKey: asked.IdempotencyKey})
	if err != nil {
		return Created{}, fmt.Errorf("read idempotency key: %w", err)
	}
	if d.CashboxID != asked.CashboxID {
		return Created{}, errKeyConflict
	}
	created := Created{Deposit: fromRow(d), Replay: true}
	if !d.Amount.Equal(asked.Amount) {
		created.Mismatch = append(created.Mismatch, "amount")
	}
	if d.Network != asked.Network {
		created.Mismatch = append(created.Mismatch, "network")
	}
	if d.Address != asked.Address {
		created.Mismatch = append(created.Mismatch, "address")
	}
	return created, nil
}

const (
	maxReference = 256
	usdt         = "USDT"
)

// validate checks a whole request and reports all wrong fields together with
// those that the codec found.
func (r Request) validate(ctx context.Context) (db.DepositInsertParams, error) {
	f := fault.Decoded(ctx)
	params := db.DepositInsertParams{
		Network:           r.Network,
		Address:           r.Address,
		ExternalReference: r.ExternalReference,
		Metadata:          r.Metadata.Column(),
		Amount:            fault.Read(f, "amount", r.Amount, money.ParseUSDT),
	}
	if r.CashboxID != nil {
		params.CashboxID = *r.CashboxID
	}
	f.Check(
		r.CashboxID != nil || f.Wrong("merchantCashboxId"),
		"merchantCashboxId",
		"is required: the key is bound to no cashbox",
	)
	f.Check(!params.Amount.IsZero() || f.Wrong("amount"), "amount", "must be more than 0")
	f.Check(r.Currency == nil || *r.Currency == usdt, "currency", "must be USDT")
	checkAddress(f, r.Network, r.Address)
	f.OptionalMaxLength("externalReference", r.ExternalReference, maxReference)
	r.Metadata.Check(f)
	if f.Required("idempotencyKey", r.IdempotencyKey) {
		params.IdempotencyKey = readKey(f, r.IdempotencyKey)
	}
	return params, f.Err()
}

func checkAddress(f fault.Fields, network, address string) {
	checkNetwork(f, network)
	if f.Required("address", address) {
		flawed(f, chain.CheckForm(network, address))
	}
}

// flawed adds an address's flaw to f. Addresses of an unknown network are not
// checked.
func flawed(f fault.Fields, err error) {
	if err != nil && !errors.Is(err, chain.ErrNetwork) {
		f.Flaw("address", err.Error())
	}
}

func checkNetwork(f fault.Fields, network string) {
	if f.Required("network", network) {
		_, known := chain.Find(network)
		f.Check(known, "network", "%s", chain.ErrNetwork)
	}
}

// readKey reads an idempotency key as it was sent.
func readKey(f fault.Fields, sent string) uuid.UUID {
	key, err := uuid.Parse(sent)
	f.Check(err == nil && len(sent) == len(key.String()), "idempotencyKey", "must be a UUID")
	return key
}

// Get reads one of the merchant's deposits; an operator may read any.
func (s *Service) Get(ctx context.Context, who caller.Caller, id int64) (Deposit, error) {
	d, err := s.seen(ctx, who, id)
	if err != nil {
		return Deposit{}, err
	}
	found := fromRow(d)
	return found, s.withTransfers(ctx, &found)
}

// seen finds a deposit if the caller may see it.
func (s *Service) seen(ctx context.Context, who caller.Caller, id int64) (db.Deposit, error) {
	if who.Kind == caller.Operator {
		if err := who.Need(caller.OperatorRead); err != nil {
			return db.Deposit{}, err
		}
		return s.findDeposit(ctx, id)
	}
	if err := needMerchant(who, caller.MerchantMoney); err != nil {
		return db.Deposit{}, err
	}
	d, err := s.findDeposit(ctx, id)
	if err == nil && d.MerchantID != who.MerchantID {
		err = fault.ErrCashboxAccessDenied
	}
	return d, err
}

func (s *Service) findDeposit(ctx context.Context, id int64) (db.Deposit, error) {
	d, err := s.q.DepositFind(ctx, id)
	if db.NoRows(err) {
		return d, fault.ErrNotFound
	}
	return d, err
}
