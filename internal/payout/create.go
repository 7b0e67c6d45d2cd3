package payout

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
	"gateway.example/internal/rate"
	"gateway.example/internal/requisite"
)

// createTimeout limits a creation, including the wait for the cashbox's
// account.
const createTimeout = 20 * time.Second

type Created struct {
	Payout Payout
	// Replay says that the order id was used before: Payout is the one
	// created then.
	Replay bool
	// Mismatch names the fields in which a repeat differs from the first
	// call.
	Mismatch []string
}

// Create makes a payout and freezes its cost on the cashbox, or returns the
// payout that was already made with the same order id and method. A refused
// call changes nothing, so its order id stays free. A call at the same time as
// another with the same order id waits for that one.
func (s *Service) Create(ctx context.Context, who caller.Caller, r Request) (Created, error) {
	if err := needPayouts(who); err != nil {
		return Created{}, err
	}
	o, err := validate(ctx, r, s.addresses)
	if err != nil {
		return Created{}, err
	}
	var created Created
	err = db.AwaitClaim(ctx, createTimeout, func(ctx context.Context) error {
		return db.InTx(ctx, s.pool, func(tx pgx.Tx, q *db.Queries) error {
			created, err = s.createOrReplay(ctx, tx, q, who, o)
			return err
		})
	})
	return created, err
}

// createOrReplay inserts the order id and, in the same round trip, reads
// everything that decides about the payout.
func (s *Service) createOrReplay(
	ctx context.Context,
	tx pgx.Tx,
	q *db.Queries,
	who caller.Caller,
	o order,
) (Created, error) {
	key := db.PayoutKeyInsertParams{MerchantID: who.MerchantID, Channel: o.Method, OrderID: o.OrderID}
	d := &draft{order: o, who: who, now: s.clock.Now()}
	var claimed *int64
	var rates rate.Rates
	err := db.Pipeline(ctx, tx,
		db.OneOrNone(&claimed, (*db.Queries).PayoutKeyInsert, key).Held(db.ErrClaimed),
		db.OneOrNone(&d.box, (*db.Queries).CashboxForPayout, db.CashboxForPayoutParams{
			MerchantID: who.MerchantID, CashboxID: who.CashboxID, Method: o.Method, Currency: o.Currency,
		}),
		rate.Read(&rates, &o.Currency),
		db.One(&d.blocked, (*db.Queries).PayerBlocked, db.PayerBlockedParams{
			MerchantID: who.MerchantID, Now: d.now, Marks: s.marks(o),
		}),
	)
	if err != nil {
		return Created{}, fmt.Errorf("claim order id: %w", err)
	}
	if claimed == nil {
		return s.replay(ctx, q, key, o)
	}
	d.id = *claimed
	d.base, d.baseErr = rates.InUse(d.now)
	if err := d.refusal(); err != nil {
		return Created{}, err
	}
	if d.who.Kind == caller.MerchantKey {
		if err := withinKey(ctx, q, d.who.ID, d.amount, d.now); err != nil {
			return Created{}, err
		}
	}
	p, err := s.freeze(ctx, tx, d)
	return Created{Payout: FromRow(p)}, err
}

// replay reads the payout with the order id. It is a statement of its own,
// because only a new statement sees what another transaction has just
// committed.
func (s *Service) replay(ctx context.Context, q *db.Queries, key db.PayoutKeyInsertParams, o order) (Created, error) {
	id, err := q.PayoutKeyGet(ctx, db.PayoutKeyGetParams(key))
	if err != nil {
		return Created{}, fmt.Errorf("read order id: %w", err)
	}
	p, err := q.PayoutGet(ctx, db.PayoutGetParams{MerchantID: key.MerchantID, ID: id})
	if err != nil {
		return Created{}, fmt.Errorf("read payout: %w", err)
	}
	address, err := s.open(p)
	if err != nil {
		return Created{}, err
	}
	return Created{Payout: FromRow(p), Replay: true, Mismatch: mismatch(p, address, o)}, nil
}

// mismatch names the fields in which a repeated request differs from the payout
// that has its order id. address is the stored requisite; after its removal
// only the masks are compared.
func mismatch(p db.Payout, address string, o order) []string {
	var fields []string
	for _, field := range []struct {
		name string
		same bool
	}{
		{"amount", p.Amount.Equal(o.amount)}, {"currency", p.Currency == o.Currency},
		{"callbackUri", p.CallbackURI == o.CallbackURI}, {"address", address == known(p, o)}, {"recipient", p.Recipient == o.Recipient},
	} {
		if !field.same {
			fields = append(fields, field.name)
		}
	}
	return fields
}

// known returns which part of the requisite a repeated request is compared
// with: the whole, or after its removal only its last characters.
func known(p db.Payout, o order) string {
	if p.Address == nil {
		return requisite.Mask(o.Address)
	}
	return o.Address
}

// marks are the user, address and requisite of an order in the form in which
// blocks name them.
func (s *Service) marks(o order) []string {
	marks := []string{block.UserMark(o.UserID), block.AddressMark(o.UserIP)}
	if s.Requisites != nil {
		marks = append(marks, block.RequisiteMark(s.Requisites.Hash("", o.Address)))
	}
	return marks
}

// blockedFields are the fields of a request in which each kind of blocked value
// is sent.
var blockedFields = map[block.Kind]string{block.User: "userId", block.Address: "userIp", block.Requisite: "address"}

// draft is a payout that is being made: the request, and what decides whether
// and at what price it is made.
type draft struct {
	order
	who caller.Caller
	id  int64
	now time.Time
	box *db.CashboxForPayoutRow
	// blocked is the mark that is blocked, or "".
	blocked string
	base    rate.Base
	// baseErr is rate.ErrNone if the currency never had a rate.
	baseErr error
}

// refusal returns the first reason why the payout is refused, or nil. The daily
// limit of the key and the balance of the cashbox are checked when the money is
// frozen.
func (d *draft) refusal() error {
	switch {
	case d.box == nil, !d.box.CurrencyFits:
		return fault.Fields{"currency": {"has no cashbox of yours that pays out by this method"}}.Err()
	case !d.box.MethodEnabled:
		return fault.Fields{"method": {"is not enabled for payouts on the cashbox"}}.Err()
	case d.box.MinAmount.Valid && d.amount.LessThan(d.box.MinAmount.Decimal):
		return fault.Fields{"amount": {"must be at least " + money.Fiat(d.box.MinAmount.Decimal)}}.Err()
	case d.box.MaxAmount.Valid && d.amount.GreaterThan(d.box.MaxAmount.Decimal):
		return fault.Fields{"amount": {"must be at most " + money.Fiat(d.box.MaxAmount.Decimal)}}.Err()
	case d.blocked != "":
		return fault.Fields{blockedFields[block.KindOf(d.blocked)]: {"is not paid out to"}}.Err()
	case d.baseErr != nil:
		return errNoRate
	}
	return nil
}

// keyDay is the day by which a key's daily limit counts, which is the day in
// UTC.
func keyDay(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// withinKey adds an amount to what the key has paid out today, if the key has a
// daily limit. It returns errKeyLimit if that exceeds the limit.
func withinKey(ctx context.Context, q *db.Queries, keyID int64, amount decimal.Decimal, now time.Time) error {
	most, err := q.KeyPayoutLimit(ctx, keyID)
	if err != nil && !db.NoRows(err) {
		return fmt.Errorf("read the key's limit: %w", err)
	}
	if !most.Valid {
		return nil
	}
	if amount.GreaterThan(most.Decimal) {
		return errKeyLimit
	}
	_, err = q.KeyPayoutAdd(ctx, db.KeyPayoutAddParams{KeyID: keyID, Day: keyDay(now), Amount: amount, Most: most.Decimal})
	return db.Missing(err, errKeyLimit, "count against the key's limit")
}

// freeze moves the payout's cost from the cashbox's available money to its
// reserved money, and inserts the payout. The money must be available, so an
// overdrawn cashbox pays nothing out.
func (s *Service) freeze(ctx context.Context, tx pgx.Tx, d *draft) (db.Payout, error) {
	var p db.Payout
	params, err := s.row(d)
	if err != nil {
		return p, err
	}
	freeze := frozen(d, params.FrozenUSDT)
	if err := db.Pipeline(ctx, tx, freeze.Debits...); err != nil {
		return p, fmt.Errorf("freeze: %w", err)
	}
	if !freeze.Covered() {
		return p, errBalance
	}
	err = db.Pipeline(ctx, tx, s.inserts(d, params, &p)...)
	return p, fault.Doing("insert payout", err)
}

// frozen is the posting that reserves a payout's cost.
func frozen(d *draft, usdt decimal.Decimal) *ledger.Posting {
	cause := ledger.Cause{Kind: "freeze", Subject: subject, SubjectID: d.id, At: d.now}
	return ledger.Plan(cause, false, ledger.Held(ledger.Cashbox, d.box.ID, usdt)...)
}

// inserts are the queries that insert a payout, its first status, its metadata
// and its transfer. The debit of the cashbox is not among them.
func (s *Service) inserts(d *draft, params db.PayoutInsertParams, p *db.Payout) []db.Query {
	queries := []db.Query{
		db.One(p, (*db.Queries).PayoutInsert, params),
		record(change{to: Waiting, actor: d.who.Actor()}, params.MerchantID, d.id, nil, d.now),
	}
	queries = append(queries, d.Metadata.Index(params.MerchantID, subject, d.id)...)
	return append(queries, frozen(d, params.FrozenUSDT).Record...)
}
