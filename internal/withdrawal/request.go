package withdrawal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
)

// decimals is how many decimals amounts have, as the token has on every
// network.
const decimals = 6

const maxText = 255

var (
	errResting = fault.New(fault.Refused, "withdrawal_address_resting", "The address still rests.")
	errDaily   = fault.New(fault.Refused, "withdrawal_daily_limit",
		"More than this may not leave by the network on one day.")
	errTrader = fault.New(fault.Refused, "insufficient_trader_balance", "The trader does not hold that much available.")
	errClosed = fault.New(fault.Refused, "withdrawal_network_closed", "No withdrawals go by this network now.")
)

// ErrTermsChanged refuses a withdrawal for another fee than its owner was
// shown.
var ErrTermsChanged = db.ErrSettingChanged

// Request is a request for a withdrawal, as it was sent.
type Request struct {
	// CashboxID is the cashbox that pays; nil for the key's own, and for a
	// trader.
	CashboxID *int64
	// Amount is the amount that is to arrive, in USDT.
	Amount string
	// AddressID is an address of the address book. Without it, Network and
	// Address are given.
	AddressID        int64
	Network, Address string
	// OrderID is the owner's own id; a user of a portal may leave it empty.
	OrderID string
	// CallbackURI is where events are sent; if it is empty, they are only
	// in the event feed.
	CallbackURI string
	// Fee is the fee that the owner was shown; "" is any.
	Fee string
}

type Created struct {
	Withdrawal Withdrawal
	// Replay says that the order id was used before: Withdrawal is the one
	// made then.
	Replay bool
	// Mismatch names the fields in which a repeat differs from the first
	// request.
	Mismatch []string
}

// order is a request as parameters of queries.
type order struct {
	own    owner
	insert db.WithdrawalInsertParams
	// addressField is the field that names the address.
	addressField string
	// fee is Request.Fee.
	fee string
}

// Request requests a withdrawal. Amount and fee are held at once; a call that
// is refused changes nothing. A repeat with the same order id returns the first
// withdrawal.
func (s *Service) Request(ctx context.Context, who caller.Caller, r Request) (Created, error) {
	own, err := acting(who)
	if err != nil {
		return Created{}, err
	}
	o, err := s.validate(ctx, who, own, r)
	if err != nil {
		return Created{}, err
	}
	var created Created
	err = db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		created, err = s.requestOrReplay(ctx, q, who, o)
		return err
	})
	return created, err
}

// Quote validates a request without making a withdrawal, and returns what the
// withdrawal would be. Whether enough USDT are available is checked only when
// it is made.
func (s *Service) Quote(ctx context.Context, who caller.Caller, r Request) (Withdrawal, error) {
	own, err := acting(who)
	if err != nil {
		return Withdrawal{}, err
	}
	o, err := s.validate(ctx, who, own, r)
	if err != nil {
		return Withdrawal{}, err
	}
	fee, err := s.terms(ctx, s.q, o)
	return Withdrawal{
		Amount: o.insert.Amount, Fee: fee, Network: o.insert.Network, Address: o.insert.Address, Status: Requested,
	}, err
}

// validate checks a whole request and reports all wrong fields together with
// those that the codec found.
//
//rule:what can be withdrawn, and where to
func (s *Service) validate(ctx context.Context, who caller.Caller, own owner, r Request) (order, error) {
	f := fault.Decoded(ctx)
	o := order{own: own, fee: r.Fee, insert: db.WithdrawalInsertParams{
		OwnerKind: own.kind, OwnerID: own.id, OrderID: r.OrderID, Now: s.clock.Now(), CallbackURI: r.CallbackURI,
		RequestID: optional.Of(who.RequestID), RequestAddress: optional.Of(who.Address),
		Amount: fault.Read(f, "amount", r.Amount, func(text string) (decimal.Decimal, error) {
			return money.Parse(text, decimals)
		}),
	}}
	f.Check(!o.insert.Amount.IsZero() || f.Wrong("amount"), "amount", "must be more than 0")
	if r.OrderID == "" && who.Kind != caller.MerchantKey {
		o.insert.OrderID = uuid.NewString()
	}
	o.insert.OrderID = f.RequiredText("orderId", o.insert.OrderID, maxText)
	if r.CallbackURI != "" {
		f.Flaw("callbackUri", s.addresses.Check(r.CallbackURI))
	}
	if own.kind == ownerMerchant {
		if o.insert.CashboxID = r.CashboxID; r.CashboxID == nil {
			o.insert.CashboxID = who.CashboxID
		}
		f.Check(o.insert.CashboxID != nil || f.Wrong("merchantCashboxId"), "merchantCashboxId", "is required")
		if err := s.checkCashbox(ctx, who, r.CashboxID); err != nil {
			return o, err
		}
	}
	if err := s.checkBook(ctx, f, r, &o); err != nil {
		return o, err
	}
	return o, f.Err()
}

// checkCashbox checks that a cashbox is the caller's merchant's.
func (s *Service) checkCashbox(ctx context.Context, who caller.Caller, id *int64) error {
	if id == nil {
		return nil
	}
	box, err := s.q.CashboxOwner(ctx, *id)
	switch {
	case db.NoRows(err):
		return fault.ErrNotFound
	case err != nil:
		return fmt.Errorf("read cashbox: %w", err)
	case box.MerchantID != who.MerchantID:
		return fault.ErrCashboxAccessDenied
	}
	return nil
}

// outsideBook says of an address that it is not in the owner's book.
const outsideBook = "is not in your address book"

// checkBook finds the address in the owner's book. An address outside it is
// added to f only if more is wrong: otherwise terms refuses it, since an order
// id that was used is answered with the first withdrawal.
func (s *Service) checkBook(ctx context.Context, f fault.Fields, r Request, o *order) error {
	var found db.WithdrawalAddress
	var err error
	o.addressField = "address"
	if r.AddressID != 0 {
		o.addressField = "addressId"
		found, err = s.q.WithdrawalAddressGet(ctx, r.AddressID)
	} else {
		known := checkNetwork(f, r.Network)
		if !f.Required("address", r.Address) || !known {
			return nil
		}
		found, err = s.q.WithdrawalAddressFind(ctx, db.WithdrawalAddressFindParams{
			OwnerKind: o.own.kind, OwnerID: o.own.id, Network: r.Network, Address: written(r.Network, r.Address),
		})
	}
	if db.IgnoreNoRows(err) != nil {
		return fmt.Errorf("find an address: %w", err)
	}
	mine := err == nil && found.OwnerKind == o.own.kind && found.OwnerID == o.own.id
	if !mine && r.AddressID > 0 {
		return fault.ErrNotFound
	}
	f.Check(mine && found.RemovedAt == nil || len(f) == 0, o.addressField, outsideBook)
	o.insert.Network, o.insert.Address = r.Network, written(r.Network, r.Address)
	if mine {
		o.insert.AddressID, o.insert.Network, o.insert.Address = found.ID, found.Network, found.Address
	}
	return nil
}

// requestOrReplay makes the withdrawal unless its order id was used. Requests
// of one owner come one after another: so the order id is used once, and the
// limit of the day holds.
func (s *Service) requestOrReplay(ctx context.Context, q *db.Queries, who caller.Caller, o order) (Created, error) {
	if err := q.WithdrawalTurn(ctx, o.own.String()); err != nil {
		return Created{}, fmt.Errorf("wait for the owner's other requests: %w", err)
	}
	first, err := q.WithdrawalByOrder(ctx, db.WithdrawalByOrderParams{
		OwnerKind: o.own.kind, OwnerID: o.own.id, OrderID: o.insert.OrderID,
	})
	if err == nil {
		return Created{Withdrawal: fromRow(first), Replay: true, Mismatch: mismatches(first, o.insert)}, nil
	}
	if !db.NoRows(err) {
		return Created{}, fmt.Errorf("read an order id: %w", err)
	}
	if o.insert.Fee, err = s.terms(ctx, q, o); err != nil {
		return Created{}, err
	}
	if o.fee != "" && o.fee != money.USDT(o.insert.Fee) {
		return Created{}, ErrTermsChanged
	}
	made, err := q.WithdrawalInsert(ctx, o.insert)
	if err != nil {
		return Created{}, fmt.Errorf("insert withdrawal: %w", err)
	}
	err = q.WithdrawalHistoryInsert(ctx, db.WithdrawalHistoryInsertParams{
		WithdrawalID: made.ID, At: made.CreatedAt, Actor: who.Actor(), ToStatus: made.Status,
	})
	if err != nil {
		return Created{}, fmt.Errorf("record withdrawal: %w", err)
	}
	return Created{Withdrawal: fromRow(made)}, freeze(ctx, q, made)
}

// mismatches are the fields in which a repeat differs from the first request.
func mismatches(first db.Withdrawal, again db.WithdrawalInsertParams) []string {
	var fields []string
	for _, field := range []struct {
		name string
		same bool
	}{
		{"amount", first.Amount.Equal(again.Amount)},
		{"merchantCashboxId", first.CashboxID == nil || *first.CashboxID == *again.CashboxID},
		{"network", first.Network == again.Network}, {"address", first.Address == again.Address},
		{"callbackUri", first.CallbackURI == again.CallbackURI},
	} {
		if !field.same {
			fields = append(fields, field.name)
		}
	}
	return fields
}

// terms checks a request by what holds for its network, and returns the fee.
func (s *Service) terms(ctx context.Context, q *db.Queries, o order) (fee decimal.Decimal, err error) {
	t, err := q.WithdrawalTermsGet(ctx, o.insert.Network)
	switch {
	case db.NoRows(err), err == nil && !t.Enabled:
		return fee, errClosed
	case err != nil:
		return fee, fmt.Errorf("read the terms of a network: %w", err)
	}
	address, err := q.WithdrawalAddressGet(ctx, o.insert.AddressID)
	switch {
	case db.NoRows(err), err == nil && address.RemovedAt != nil:
		return fee, fault.Fields{o.addressField: {outsideBook}}.Err()
	case err != nil:
		return fee, fmt.Errorf("read an address: %w", err)
	case o.insert.Now.Before(address.UsableAt):
		return fee, errResting.Saying("The address still rests, until " + address.UsableAt.UTC().Format(time.RFC3339) + ".")
	}
	f := fault.Fields{}
	f.Check(!o.insert.Amount.LessThan(t.MinAmount), "amount", "must be at least %s", money.Fiat(t.MinAmount))
	if err := f.Err(); err != nil {
		return fee, err
	}
	day, err := q.WithdrawalDay(ctx, db.WithdrawalDayParams{
		OwnerKind: o.own.kind, OwnerID: o.own.id, Network: o.insert.Network, Since: o.insert.Now.UTC().Truncate(24 * time.Hour),
	})
	if err != nil {
		return fee, fmt.Errorf("add up the day: %w", err)
	}
	if day.Add(o.insert.Amount).GreaterThan(t.DailyAmount) {
		return fee, errDaily
	}
	return t.Fee, nil
}

// freeze moves amount and fee from what the owner has available to what is
// reserved. The debit must be covered.
func freeze(ctx context.Context, q *db.Queries, w db.Withdrawal) error {
	cause := ledger.Cause{Kind: "leave", Subject: subject, SubjectID: w.ID, At: w.CreatedAt}
	err := ledger.Post(ctx, q, cause, positionOf(w)...)
	if !errors.Is(err, ledger.ErrInsufficient) {
		return err
	}
	if w.CashboxID == nil {
		return errTrader
	}
	return fault.ErrCashboxBalance
}
