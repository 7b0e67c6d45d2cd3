package payment

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/inforce"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
	"gateway.example/internal/rate"
	"gateway.example/internal/routing"
)

var (
	errCollectDisabled = fault.New(fault.Forbidden, "merchant_collect_disabled",
		"Collecting payments is switched off for the cashbox.")
	errMethodDisabled = fault.New(fault.Forbidden, "merchant_collect_method_disabled",
		"The method is not enabled on the merchant's cashbox.")
	errOutsideLimits = fault.New(fault.Refused, "merchant_collect_amount_outside_platform_limits",
		"The amount is outside the platform's limits.")
	errNoRequisite = fault.New(fault.Refused, "collect_requisites_not_available",
		"No requisite is available for this payment now.")
	// ErrBlocked does not tell why the payer is blocked, or by whom.
	ErrBlocked = fault.New(fault.Forbidden, "merchant_collect_payer_blocked", "The payer is blocked.")
)

// createTimeout limits a creation, however often it has to choose again.
const createTimeout = 20 * time.Second

type Created struct {
	Payment Payment
	// Replay says that the order id was used before: Payment is the one
	// created then.
	Replay bool
	// Mismatch names the fields in which a repeat differs from the first
	// call.
	Mismatch []string
}

// Create makes a payment with a reserved requisite and the trader's USDT held,
// or returns the payment that was already made with the same order id and
// method. A refused call changes nothing, so its order id stays free. A call at
// the same time as another with the same order id waits for that one.
//
//rule:how a payment is made, and what a repeated call answers
func (s *Service) Create(ctx context.Context, who caller.Caller, r Request) (Created, error) {
	if err := who.NeedMerchant(caller.ScopePayments); err != nil {
		return Created{}, err
	}
	if !s.config.ExternalSecret {
		return Created{}, fault.ErrExternalSecretNotSet
	}
	o, err := validate(ctx, r, s.addresses)
	if err != nil {
		return Created{}, err
	}
	var created Created
	err = db.AwaitClaim(ctx, createTimeout, func(ctx context.Context) error {
		created, err = s.createOrReplay(ctx, who, o)
		return err
	})
	return created, err
}

// createOrReplay makes the payment by the settings in memory. Before it refuses
// a payment, it makes sure that the order id is still free and that the
// settings in memory are up to date.
func (s *Service) createOrReplay(ctx context.Context, who caller.Caller, o order) (Created, error) {
	key := db.PaymentKeyGetParams{MerchantID: who.MerchantID, Channel: o.method.Name, OrderID: o.OrderID}
	for {
		if err := s.settings.Current(ctx); err != nil {
			return Created{}, err
		}
		known := s.settings.Version()
		d := s.draft(who, o)
		made, refusal := s.make(ctx, d)
		switch {
		case refusal == nil:
			return Created{Payment: s.FromRow(made)}, nil
		case db.Violated(refusal) == "payment_key_pkey":
			return s.replay(ctx, key, o)
		case !errors.Is(refusal, routing.ErrAgain) && !refuses(refusal):
			return Created{}, refusal
		}
		replayed, err := s.replay(ctx, key, o)
		if !db.NoRows(err) {
			return replayed, err
		}
		if _, err := s.settings.Renew(ctx); err != nil {
			return Created{}, err
		}
		// Another call may have renewed the settings meanwhile, and by
		// the new ones a requisite may be available.
		if s.settings.Version() == known && refuses(refusal) {
			s.tellRefusal(ctx, d, refusal)
			return Created{}, s.inWords(d, refusal)
		}
	}
}

// inWords adds to a refusal what would be accepted instead.
func (s *Service) inWords(d *draft, refusal error) error {
	offers := strings.Join(s.settings.Offers(d.who.MerchantID, d.who.CashboxID), ", ")
	switch {
	case errors.Is(refusal, errMethodDisabled) && offers != "":
		return errMethodDisabled.Saying(errMethodDisabled.Message + " Enabled: " + offers + ".")
	case errors.Is(refusal, errOutsideLimits):
		least, most := d.bounds()
		return errOutsideLimits.Saying(errOutsideLimits.Message + " Taken:" + boundText(" from ", least) + boundText(" to ", most) + ".")
	}
	return refusal
}

// boundText is a word and an amount, or "" without one.
func boundText(word string, amount decimal.NullDecimal) string {
	if !amount.Valid {
		return ""
	}
	return word + money.Fiat(amount.Decimal)
}

// refuses tells a refusal, which the caller gets as an answer, from a failure.
func refuses(err error) bool {
	answer := fault.As(err)
	return answer != nil &&
		(answer.Kind == fault.Refused || answer.Kind == fault.Forbidden || answer.Kind == fault.Invalid)
}

// replay reads the payment that has the order id.
func (s *Service) replay(ctx context.Context, key db.PaymentKeyGetParams, o order) (Created, error) {
	id, err := s.q.PaymentKeyGet(ctx, key)
	if err != nil {
		return Created{}, fmt.Errorf("read order id: %w", err)
	}
	p, err := s.q.PaymentGet(ctx, db.PaymentGetParams{MerchantID: key.MerchantID, ID: id})
	if err != nil {
		return Created{}, fmt.Errorf("read payment: %w", err)
	}
	return Created{Payment: s.FromRow(p), Replay: true, Mismatch: mismatch(p, o)}, nil
}

// mismatch names the fields in which a repeated request differs from the
// payment that has its order id. They refuse nothing: the caller gets that
// payment, and learns that it is not what was asked for now.
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

// draft is a payment that is being made: the request, and everything else that
// decides whether and how it is made.
type draft struct {
	order
	who        caller.Caller
	now        time.Time
	configured decimal.Decimal
	shop       *inforce.Shop
	limit      *db.PlatformLimit
	base       rate.Base
	// blocked says that the payer is blocked.
	blocked bool
	// baseErr is rate.ErrNone if the currency never had a rate.
	baseErr error

	// dry says that the payment is only tried, to explain the routing, and
	// not made.
	dry bool
}

// draft gathers from memory everything that decides about a payment. The caller
// has seen to it that the settings are current. They are read one after the
// other and may change in between, so a refusal is only given if the version is
// still the same.
func (s *Service) draft(who caller.Caller, o order) *draft {
	d := &draft{order: o, who: who, now: s.clock.Now(), configured: s.config.Markup}
	d.shop = s.settings.Shop(who.MerchantID, who.CashboxID, o.method.Name, o.Currency)
	d.limit = s.settings.Limit(o.Currency)
	d.base, d.baseErr = s.settings.Rate(o.Currency, d.now)
	if p := o.Payer; p != nil {
		d.blocked = s.settings.Blocked(who.MerchantID, d.now, block.UserMark(p.UserID), block.AddressMark(p.UserIP))
	}
	if who.Kind == caller.Link { // no merchant stands between: the payer calls from their own address
		d.blocked = s.settings.Blocked(who.MerchantID, d.now, block.AddressMark(&who.Address))
	}
	return d
}

// refusal returns why the payment is refused, or nil. It checks the reasons in
// the documented order.
//
//rule:when no payment is made for a merchant, whatever the traders have
func (d *draft) refusal() error {
	switch {
	case d.shop == nil:
		return errMethodDisabled
	case !d.shop.CollectEnabled:
		return errCollectDisabled
	case !d.shop.MethodEnabled:
		return errMethodDisabled
	case d.outside():
		return errOutsideLimits
	case !d.mayReturn():
		return fault.Fields{"returnUrl": {"must name one of the hosts that are set for the cashbox"}}.Err()
	case d.blocked:
		return ErrBlocked
	case d.baseErr != nil:
		return fmt.Errorf("%w: %w", errNoRequisite, d.baseErr)
	}
	return nil
}

// mayReturn reports whether the cashbox allows that the payer is sent back to
// the merchant's address.
func (d *draft) mayReturn() bool {
	if d.ReturnURL == nil || len(d.shop.ReturnHosts) == 0 {
		return true
	}
	u, err := url.Parse(*d.ReturnURL)
	return err == nil && slices.Contains(d.shop.ReturnHosts, directory.Host(u.Hostname()))
}

func (d *draft) outside() bool {
	least, most := d.bounds()
	return least.Valid && d.amount.LessThan(least.Decimal) || most.Valid && d.amount.GreaterThan(most.Decimal)
}

// bounds are the least and the most that the cashbox and the platform both
// allow; not valid is no bound. There must be a shop.
func (d *draft) bounds() (least, most decimal.NullDecimal) {
	least, most = d.shop.MinAmount, d.shop.MaxAmount
	if d.limit == nil {
		return least, most
	}
	if !least.Valid || least.Decimal.LessThan(d.limit.MinAmount) {
		least = decimal.NewNullDecimal(d.limit.MinAmount)
	}
	if !most.Valid || most.Decimal.GreaterThan(d.limit.MaxAmount) {
		most = decimal.NewNullDecimal(d.limit.MaxAmount)
	}
	return least, most
}

// want is what the payment requires of a requisite.
func (d *draft) want() routing.Want {
	return routing.Want{
		Currency: d.Currency, Method: d.method.Name, Amount: d.amount, Now: d.now, Desk: d.method.RequisiteType == "",
		Dry: d.dry,
	}
}

// hold is how much of the USDT of a candidate's trader would be held.
func (d *draft) hold(c routing.Candidate) decimal.Decimal {
	_, _, quote := d.price(c)
	return quote.Hold()
}

// make makes the payment unless it is refused. The payment takes one of the
// places that limit the merchant's open payments.
func (s *Service) make(ctx context.Context, d *draft) (db.Payment, error) {
	if err := d.refusal(); err != nil {
		return db.Payment{}, err
	}
	place, err := s.open.take(ctx, s.q, d.who.MerchantID, s.settings.MaxOpenPayments(d.who.MerchantID))
	if err != nil {
		return db.Payment{}, err
	}
	made, err := s.choose(ctx, d, place)
	place.end(err == nil)
	if none := new(routing.NoneError); errors.As(err, &none) {
		return made, fmt.Errorf("%w: %w", errNoRequisite, err)
	}
	if errors.Is(err, routing.ErrHeld) {
		return made, fmt.Errorf("%w: %w", fault.ErrBusy, err)
	}
	return made, err
}

// choose makes the payment on the first requisite that is available.
func (s *Service) choose(ctx context.Context, d *draft, place *place) (db.Payment, error) {
	search := s.settings.Requisites().Search(d.want(), d.hold)
	for candidate := range search.Candidates(ctx, s.q) {
		made, err := s.write(ctx, d, candidate, place)
		if search.Over(candidate, err) {
			return made, err
		}
	}
	return db.Payment{}, search.Err()
}

// write makes the payment on a candidate in one round trip. It inserts the
// order id and the payment, reserves the requisite and holds the trader's USDT,
// or does nothing at all. If the hold is covered only together with pending
// USDT, these are added to the trader's available USDT first.
func (s *Service) write(ctx context.Context, d *draft, c routing.Candidate, place *place) (db.Payment, error) {
	id, err := s.ids.next(ctx)
	if err != nil {
		return db.Payment{}, err
	}
	number, err := uuid.NewV7()
	if err != nil {
		return db.Payment{}, fmt.Errorf("make uuid: %w", err)
	}
	p := d.row(id, number, c)
	cause := ledger.Cause{Kind: "hold", Subject: subject, SubjectID: id, At: d.now}
	queries := append(place.count(),
		db.Do((*db.Queries).PaymentKeyInsert, db.PaymentKeyInsertParams{
			MerchantID: p.MerchantID, Channel: d.method.Name, OrderID: d.OrderID, PaymentID: id,
		}).Held(db.ErrClaimed),
		db.Do((*db.Queries).PaymentInsert, db.PaymentInsertParams(p)),
		record(change{to: Pending, actor: d.who.Actor()}, p.MerchantID, id, nil, d.now),
	)
	// A trader's account is never overdrawn for a new payment.
	record, debits := ledger.Take(cause, positionOf(p)...)
	queries = append(append(queries, record...), d.Metadata.Index(p.MerchantID, subject, id)...)
	locks := append(routing.Reserve(c, d.want(), id), debits...)
	err = s.making.Write(ctx, queries, locks...)
	if ledger.Short(err) {
		if err = ledger.FoldNow(ctx, s.creations, ledger.Available(ledger.Trader, c.TraderID)); err == nil {
			err = s.making.Write(ctx, queries, locks...)
		}
	}
	switch {
	case ledger.Short(err):
		err = fmt.Errorf("%w: %w", routing.ErrShort, err)
	case errors.Is(err, ledger.ErrHeld):
		err = fmt.Errorf("%w: %w", routing.ErrHeld, err)
	}
	return p, err
}

// price is what the payment is worth on the terms of a candidate's trader.
func (d *draft) price(c routing.Candidate) (decimal.Decimal, string, rate.Quote) {
	markup, source := rate.Markups{
		Body: d.percent, CashboxMethod: d.shop.MarginPercent, Merchant: d.who.RatePercent, Trader: c.TraderRatePercent,
		Configuration: d.configured,
	}.Pick()
	terms := rate.Terms{Markup: markup, TraderShare: c.TraderSharePercent}
	return markup, source, rate.Calculate(d.amount, d.base.FiatPerUSDT, terms)
}
