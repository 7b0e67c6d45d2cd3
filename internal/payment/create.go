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
	bounded, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	var created Created
	err = db.InTx(bounded, s.pool, func(tx pgx.Tx, q *db.Queries) error {
		created, err = s.createOrReplay(bounded, tx, q, caller, o)
		return err
	})
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return Created{}, fmt.Errorf("%w: %w", db.ErrBusy, err)
	}
	return created, err
}

// createOrReplay claims the order id and, in the same round trip, reads all that decides the payment and locks a
// requisite for it. What of that turns out not to be needed is given back with the transaction.
func (s *Service) createOrReplay(ctx context.Context, tx pgx.Tx, q *db.Queries, caller auth.Caller, o order) (Created, error) {
	key := db.PaymentKeyInsertParams{MerchantID: caller.MerchantID, Channel: o.method.name, OrderID: o.OrderID}
	d := &draft{order: o, caller: caller, now: s.clock.Now(), configured: s.config.Markup}
	d.choice = routing.NewChoice(routing.Want{
		Currency: o.Currency, Method: o.method.name, Amount: o.amount, Now: d.now,
	})
	var claimed bool
	queries := []db.Query{
		func(q *db.Queries) error { return q.PlanOnce(ctx) },
		func(q *db.Queries) (err error) {
			d.id, err = q.PaymentKeyInsert(ctx, key)
			claimed = err == nil
			return ignoreNone(err)
		},
		d.cashbox(ctx, caller, o), d.limits(ctx, o), d.rate(ctx, o, d.now),
	}
	if err := db.Pipeline(ctx, tx, append(queries, d.choice.First(ctx)...)...); err != nil {
		return Created{}, fmt.Errorf("claim order id: %w", err)
	}
	if !claimed {
		return s.replay(ctx, q, key, o)
	}
	if err := d.refusal(o); err != nil {
		return Created{}, err
	}
	if err := d.reserve(ctx, tx); err != nil {
		return Created{}, s.refused(ctx, q, d, err)
	}
	p, err := d.insert(ctx, tx)
	return Created{Payment: Payment{p}}, err
}

func ignoreNone(err error) error {
	if db.NoRows(err) {
		return nil
	}
	return err
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
		return ignoreNone(err)
	}
}

func (st *state) limits(ctx context.Context, o order) db.Query {
	return func(q *db.Queries) error {
		limit, err := q.PlatformLimitGet(ctx, o.Currency)
		if err == nil {
			st.limit = &limit
		}
		return ignoreNone(err)
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
	case !st.box.MethodEnabled || o.method.requisiteType == "":
		// Card checkout has no requisite to give; until the checkout serves it, the method counts as off.
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

	requisite    routing.Reserved
	markup       decimal.Decimal
	markupSource string
	quote        rate.Quote
	hold         *ledger.Posting
}

// reserve finds the requisite, and quotes and holds at its trader's terms.
func (d *draft) reserve(ctx context.Context, tx pgx.Tx) error {
	d.choice.For(d.id)
	requisite, err := d.choice.Reserve(ctx, tx, func(r routing.Requisite) routing.Hold {
		d.markup, d.markupSource, d.quote = d.price(r.TraderRatePercent, r.TraderSharePercent)
		// The one debit of a creation is checked: a trader never puts up more than he has.
		legs := position{trader: r.TraderID, hold: d.quote.Hold(), held: true}.legs()
		d.hold = ledger.Plan(ctx, ledger.Transfer{Kind: "hold", Subject: subject, SubjectID: d.id, At: d.now, Legs: legs}, false)
		return routing.Hold{Queries: d.hold.Debits, Short: func() bool { return !d.hold.Covered() }}
	})
	d.requisite = requisite
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

func (d *draft) insert(ctx context.Context, tx pgx.Tx) (db.Payment, error) {
	params, err := d.row()
	if err != nil {
		return db.Payment{}, err
	}
	var p db.Payment
	queries := []db.Query{
		func(q *db.Queries) (err error) { p, err = q.PaymentInsert(ctx, params); return err },
		record(ctx, change{to: Pending, actor: d.caller.Actor()}, params.MerchantID, d.id, nil, d.now),
	}
	if err := db.Pipeline(ctx, tx, append(queries, d.hold.Record...)...); err != nil {
		return p, fmt.Errorf("insert payment: %w", err)
	}
	return p, nil
}

func (d *draft) row() (db.PaymentInsertParams, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return db.PaymentInsertParams{}, fmt.Errorf("make uuid: %w", err)
	}
	params := db.PaymentInsertParams{
		MerchantID: d.caller.MerchantID, ID: d.id, UUID: id, CashboxID: d.box.ID, OrderID: d.OrderID,
		Method: d.method.name, Currency: d.Currency, Amount: d.amount, Description: d.Description, CallbackURI: d.CallbackURI,
		Status: string(Pending), StatusAt: d.now, CreatedAt: d.now, ExpiresAt: d.now.Add(validity(d.box.ValiditySeconds)),
		TraderID: d.requisite.TraderID, RequisiteID: &d.requisite.ID, RequisiteDay: &d.requisite.Day,
		RequisiteType: &d.method.requisiteType, RequisiteMethod: &d.method.requisiteMethod,
		RequisiteValue: &d.requisite.Value, RequisiteHolder: d.requisite.Holder, RequisiteBank: d.requisite.Bank,
		BaseRate: d.base.FiatPerUSDT, RateSource: d.base.Source, RateObservedAt: &d.base.ObservedAt,
		RateUnavailable: !d.base.Fresh, MarkupPercent: d.markup, MarkupSource: d.markupSource,
		TraderSharePercent: d.requisite.TraderSharePercent, HoldUSDT: d.quote.Hold(),
		AmountUSDT: d.quote.Amount, ProfitUSDT: d.quote.Profit, SpreadTraderUSDT: d.quote.SpreadTrader,
		SpreadPlatformUSDT: d.quote.SpreadPlatform,
	}
	d.addPayer(&params)
	return params, nil
}

func (d *draft) addPayer(params *db.PaymentInsertParams) {
	if d.Payer == nil {
		return
	}
	params.PayerUserID, params.PayerIP = d.Payer.UserID, d.Payer.UserIP
	params.PayerFullName, params.PayerType = &d.Payer.FullName, &d.Payer.Type
	if d.Payer.Counted {
		params.PayerSuccessful, params.PayerExpired = &d.Payer.Successful, &d.Payer.Expired
	}
}

func validity(seconds *int32) time.Duration {
	return time.Duration(*seconds) * time.Second
}
