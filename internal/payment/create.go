package payment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway/internal/auth"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/ledger"
	"gateway/internal/rate"
	"gateway/internal/routing"
)

// Refusals of a creation.
var (
	errCollectDisabled = fault.New(fault.Forbidden, "merchant_collect_disabled",
		"Collecting payments is switched off for the cashbox.")
	errMethodDisabled = fault.New(fault.Forbidden, "merchant_collect_method_disabled",
		"The method is not enabled on the merchant's cashbox.")
	errOutsideLimits = fault.New(fault.Refused, "merchant_collect_amount_outside_platform_limits",
		"The amount is outside the platform's limits.")
	errNoRequisite = fault.New(fault.Refused, "collect_requisites_not_available",
		"No requisite is available for this payment now.")
)

// createTimeout bounds a creation, waits for busy requisites included.
const createTimeout = 20 * time.Second

// Created is the answer to a creation.
type Created struct {
	Payment Payment
	// Replay reports that the order id was used before: Payment is the one created then.
	Replay bool
	// Mismatch names the fields in which a repeat differs from the first call.
	Mismatch []string
}

// Create makes a payment with a reserved requisite and the trader's USDT held, or answers with the payment already made
// under the same order id and method. A refused call leaves nothing behind, so its order id stays free.
func (s *Service) Create(ctx context.Context, caller auth.Caller, r Request) (Created, error) {
	if err := caller.NeedMerchant(auth.ScopePayments); err != nil {
		return Created{}, err
	}
	if !s.config.ExternalSecret {
		return Created{}, fault.ErrExternalSecretNotSet
	}
	o, err := validate(ctx, r, s.methods, s.addresses)
	if err != nil {
		return Created{}, err
	}
	var created Created
	open := &place{counts: s.open, merchantID: caller.MerchantID}
	err = db.InTxWithin(ctx, createTimeout, db.PlanOnce{Pool: s.pool}, func(ctx context.Context, tx pgx.Tx, q *db.Queries) error {
		created, err = s.createOrReplay(ctx, tx, q, caller, o, open)
		return err
	})
	open.end(err == nil && !created.Replay)
	return created, err
}

// createOrReplay claims the order id and, in the same round trip, reads all that decides the payment and locks a
// requisite for it. What of that turns out not to be needed is given back with the transaction.
func (s *Service) createOrReplay(
	ctx context.Context, tx pgx.Tx, q *db.Queries, caller auth.Caller, o order, open *place,
) (Created, error) {
	key := db.PaymentKeyInsertParams{MerchantID: caller.MerchantID, Channel: o.method.name, OrderID: o.OrderID}
	d := &draft{order: o, caller: caller, now: s.clock.Now(), configured: s.config.Markup}
	d.choice = routing.NewChoice(routing.Want{
		Currency: o.Currency, Method: o.method.name, Amount: o.amount, Now: d.now, Desk: o.method.requisiteType == "",
	})
	var claimed bool
	queries := []db.Query{
		func(q *db.Queries) (err error) {
			d.id, err = q.PaymentKeyInsert(ctx, key)
			claimed = err == nil
			return db.IgnoreNoRows(err)
		},
		d.cashbox(ctx, caller, o), d.limits(ctx, o), d.rate(ctx, o, d.now),
	}
	queries = append(queries, s.open.count(ctx, caller.MerchantID)...)
	if err := db.Pipeline(ctx, tx, append(queries, d.choice.First(ctx)...)...); err != nil {
		return Created{}, fmt.Errorf("claim order id: %w", err)
	}
	if !claimed {
		return s.replay(ctx, q, key, o)
	}
	if err := d.refusal(o); err != nil {
		return Created{}, err
	}
	if !open.take() {
		return Created{}, errOpenLimit
	}
	if err := d.make(ctx, tx); err != nil {
		return Created{}, s.refused(ctx, q, d, err)
	}
	return Created{Payment: Payment{d.payment}}, nil
}

// replay reads the payment that has the order id. It takes a statement of its own to see what the winner of a race
// has just committed.
func (s *Service) replay(ctx context.Context, q *db.Queries, key db.PaymentKeyInsertParams, o order) (Created, error) {
	id, err := q.PaymentKeyGet(ctx, db.PaymentKeyGetParams(key))
	if err != nil {
		return Created{}, fmt.Errorf("read order id: %w", err)
	}
	p, err := q.PaymentGet(ctx, db.PaymentGetParams{MerchantID: key.MerchantID, ID: id})
	if err != nil {
		return Created{}, fmt.Errorf("read payment: %w", err)
	}
	return Created{Payment: Payment{p}, Replay: true, Mismatch: mismatch(p, o)}, nil
}

func mismatch(p db.Payment, o order) []string {
	var fields []string
	if !p.Amount.Equal(o.amount) {
		fields = append(fields, "amount")
	}
	if p.Currency != o.Currency {
		fields = append(fields, "currency")
	}
	if p.CallbackURI != o.CallbackURI {
		fields = append(fields, "callbackUri")
	}
	return fields
}

// state is what decides whether and how a payment is made, besides the request.
type state struct {
	box   *db.CashboxForMethodRow
	limit *db.PlatformLimitGetRow
	base  rate.Base
	// baseErr is rate.ErrNone where the currency never had a rate.
	baseErr error
}

func (st *state) cashbox(ctx context.Context, caller auth.Caller, o order) db.Query {
	return func(q *db.Queries) error {
		box, err := q.CashboxForMethod(ctx, db.CashboxForMethodParams{
			MerchantID: caller.MerchantID, CashboxID: caller.CashboxID, Method: o.method.name, Currency: o.Currency,
		})
		if err == nil {
			st.box = &box
		}
		return db.IgnoreNoRows(err)
	}
}

func (st *state) limits(ctx context.Context, o order) db.Query {
	return func(q *db.Queries) error {
		limit, err := q.PlatformLimitGet(ctx, o.Currency)
		if err == nil {
			st.limit = &limit
		}
		return db.IgnoreNoRows(err)
	}
}

func (st *state) rate(ctx context.Context, o order, now time.Time) db.Query {
	return func(q *db.Queries) error {
		st.base, st.baseErr = rate.Current(ctx, q, o.Currency, now)
		if errors.Is(st.baseErr, rate.ErrNone) {
			return nil
		}
		return st.baseErr
	}
}

// refusal is why the payment is not made, in the documented order, or nil.
func (st *state) refusal(o order) error {
	switch {
	case st.box == nil:
		return errMethodDisabled
	case !st.box.CollectEnabled:
		return errCollectDisabled
	case !st.box.MethodEnabled:
		return errMethodDisabled
	case st.limit != nil && outside(o.amount, st.limit.MinAmount, st.limit.MaxAmount),
		st.box.MinAmount.Valid && o.amount.LessThan(st.box.MinAmount.Decimal),
		st.box.MaxAmount.Valid && o.amount.GreaterThan(st.box.MaxAmount.Decimal):
		return errOutsideLimits
	case st.baseErr != nil:
		return fmt.Errorf("%w: %w", errNoRequisite, st.baseErr)
	}
	return nil
}

func outside(amount, minimum, maximum decimal.Decimal) bool {
	return amount.LessThan(minimum) || amount.GreaterThan(maximum)
}

// draft is a payment in the making.
type draft struct {
	order
	state
	caller     auth.Caller
	id         int64
	now        time.Time
	configured decimal.Decimal
	choice     *routing.Choice

	// payment is the row, once a requisite is chosen.
	payment db.Payment
}

// make finds the requisite and, together with its reservation, writes the payment and holds its trader's USDT.
func (d *draft) make(ctx context.Context, tx pgx.Tx) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("make uuid: %w", err)
	}
	d.choice.For(d.id)
	_, err = d.choice.Reserve(ctx, tx, func(r routing.Requisite) routing.Booking {
		d.payment = d.row(id, r)
		cause := ledger.Cause{Kind: "hold", Subject: subject, SubjectID: d.id, At: d.now}
		// The one debit of a creation is checked: a trader never puts up more than he has.
		hold := ledger.Plan(ctx, cause, false, positionOf(d.payment).transfers()...)
		queries := []db.Query{
			func(q *db.Queries) error { return q.PaymentInsert(ctx, db.PaymentInsertParams(d.payment)) },
			record(ctx, change{to: Pending, actor: d.caller.Actor()}, d.payment.MerchantID, d.id, nil, d.now),
		}
		queries = append(append(queries, hold.Debits...), hold.Record...)
		return routing.Booking{Queries: queries, Short: func() bool { return !hold.Covered() }}
	})
	return err
}

// price is what the payment is worth at a trader's terms.
func (d *draft) price(traderRate decimal.NullDecimal, traderShare decimal.Decimal) (decimal.Decimal, string, rate.Quote) {
	markup, source := rate.Markups{
		Body: d.percent, CashboxMethod: d.box.MarginPercent, Merchant: d.caller.RatePercent, Trader: traderRate,
		Configuration: d.configured,
	}.Pick()
	return markup, source, rate.Calculate(d.amount, d.base.FiatPerUSDT, rate.Terms{Markup: markup, TraderShare: traderShare})
}

// row is the payment on a requisite, at its trader's terms.
func (d *draft) row(id uuid.UUID, r routing.Requisite) db.Payment {
	markup, source, quote := d.price(r.TraderRatePercent, r.TraderSharePercent)
	p := db.Payment{
		MerchantID: d.caller.MerchantID, ID: d.id, UUID: id, CashboxID: d.box.ID, OrderID: d.OrderID,
		Method: d.method.name, Currency: d.Currency, Amount: d.amount, Description: d.Description, CallbackURI: d.CallbackURI,
		Status: string(Pending), StatusAt: d.now, CreatedAt: d.now, ExpiresAt: d.now.Add(validity(d.box.ValiditySeconds)),
		TraderID: r.TraderID, RequisiteID: &r.ID, RequisiteDay: &r.Day,
		BaseRate: d.base.FiatPerUSDT, RateSource: d.base.Source, RateObservedAt: &d.base.ObservedAt,
		RateUnavailable: !d.base.Fresh, MarkupPercent: markup, MarkupSource: source,
		TraderSharePercent: r.TraderSharePercent, HoldUSDT: quote.Hold(),
		AmountUSDT: quote.Amount, ProfitUSDT: quote.Profit, SpreadTraderUSDT: quote.SpreadTrader,
		SpreadPlatformUSDT: quote.SpreadPlatform,
	}
	if d.method.requisiteType != "" {
		p.RequisiteType, p.RequisiteMethod = &d.method.requisiteType, &d.method.requisiteMethod
		p.RequisiteValue, p.RequisiteHolder, p.RequisiteBank = &r.Value, r.Holder, r.Bank
	}
	d.addPayer(&p)
	return p
}

func (d *draft) addPayer(p *db.Payment) {
	if d.Payer == nil {
		return
	}
	p.PayerUserID, p.PayerIP = d.Payer.UserID, d.Payer.UserIP
	p.PayerFullName, p.PayerType = &d.Payer.FullName, &d.Payer.Type
	if d.Payer.Counted {
		p.PayerSuccessful, p.PayerExpired = &d.Payer.Successful, &d.Payer.Expired
	}
}

func validity(seconds *int32) time.Duration {
	return time.Duration(*seconds) * time.Second
}
