package payment

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/payout"
	"gateway.example/internal/rate"
)

// A payment that received an amount which its cashbox does not accept becomes a
// case: it gets the status appeal, the trader's USDT stay held, and its
// merchant or an operator decides. If nobody decides in time, the payment
// fails, and the money becomes a free arrival of the trader's: it counts
// towards no payment. A case whose payment was appealed does not end by itself:
// ResolveAppeal may decide it, too.

// caseLasts is how long a case waits for a decision and, if the decision is to
// wait for the rest, how long it waits for that.
//
//rule:how long money of another amount waits for a decision
const caseLasts = 24 * time.Hour

const (
	TakeWhatCame = "take"
	WaitForRest  = "wait"
	ReturnIt     = "return"
)

// The state of a case, as webhook events show it.
const (
	caseOpen     = "open"
	caseTaken    = "taken"
	caseWaits    = "waiting"
	caseReturned = "returned"
	// caseEnded means that the payment ended unpaid. The trader keeps the
	// money as a free arrival, until it is known whose it is.
	caseEnded = "ended"
)

// reasonReturned is the reason of a payment whose money goes back to its payer.
const reasonReturned = "returned"

// Returned reports whether the payment failed because its money goes back to
// its payer.
func (p Payment) Returned() bool {
	return p.Status == Failed && optional.Value(p.StatusReason) == reasonReturned && p.ReceivedAmount.Valid
}

// reasonUncovered is the reason of a case that the amount policy would accept,
// if the platform could pay the difference.
const reasonUncovered = "difference_not_covered"

var (
	// ErrNoCase refuses a decision about a payment that is not a case, or
	// no longer one.
	ErrNoCase = fault.New(fault.Refused, "payment_no_case", "No other amount waits for a decision at this payment.")
	// ErrCameSince refuses a decision about another amount than has come by
	// now.
	ErrCameSince = fault.New(fault.Refused, "payment_came_since",
		"Another amount has come of this payment since. Look at it and decide again.")
	errNoReturn = fault.Fields{"decision": {"must not be return: payouts are not made in the payment's currency"}}.Err()
	errNoRest   = fault.Fields{"decision": {"must not be wait: at least what was asked for has come"}}.Err()
)

type CaseDecision struct {
	PaymentID int64
	// Decision is take, wait or return. Reason may be nil.
	Decision string
	Reason   *string
	// To is the payer to whom the money is returned. Only the decision
	// return needs it.
	To *payout.Recipient
	// Came is the amount that is decided about, as whoever decides has seen
	// it; "" is what has come by then. A proposal always has it.
	Came string `json:",omitempty"`
}

// validate returns the amount that is decided about, if the decision names it.
func (d CaseDecision) validate(ctx context.Context) (about decimal.NullDecimal, _ error) {
	f := fault.Decoded(ctx)
	if f.Required("decision", d.Decision) {
		f.Check(d.Decision == TakeWhatCame || d.Decision == WaitForRest || d.Decision == ReturnIt, "decision",
			"must be take, wait or return")
	}
	f.OptionalMaxLength("reason", d.Reason, maxText)
	if d.Decision == ReturnIt && d.To == nil {
		for _, field := range []string{"method", "address", "recipient"} {
			f.Required(field, "")
		}
	}
	if d.Came != "" {
		about = decimal.NewNullDecimal(fault.Read(f, "receivedAmount", d.Came, fiat))
	}
	return about, f.Err()
}

// ListCases lists, for an operator, the payments that received another amount
// and that nobody has decided about, the newest first. The cursor is nil on the
// last page.
func (s *Service) ListCases(ctx context.Context, who caller.Caller, page db.Page) ([]Payment, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	return s.page(ctx, fault.Decoded(ctx), Page{Page: page}, "list cases", func(q *db.Queries, before int64, rows int32) ([]db.Payment, error) {
		return q.CaseList(ctx, db.CaseListParams{BeforeID: before, Page: rows})
	})
}

// MayDecide checks that the caller may make this decision. Returning money is a
// payout to a recipient whom the decision names, so a merchant's user also
// needs the capability to pay out.
func MayDecide(who caller.Caller, decision string) error {
	if decision == ReturnIt {
		return who.Need(caller.MerchantPayOut, caller.OperatorCases)
	}
	return who.Need(caller.MerchantAppeal, caller.OperatorCases)
}

// DecideCase decides about a payment that received another amount than it asked
// for. A user of the merchant's portal or an operator decides. Of several
// decisions at the same time one wins; the others get ErrNoCase.
func (s *Service) DecideCase(ctx context.Context, who caller.Caller, d CaseDecision) (Payment, error) {
	if err := MayDecide(who, d.Decision); err != nil {
		return Payment{}, err
	}
	found, err := s.findFor(ctx, who, strconv.FormatInt(d.PaymentID, 10))
	if err != nil {
		return Payment{}, err
	}
	about, err := d.validate(ctx)
	if err != nil {
		return Payment{}, err
	}
	var after db.Payment
	err = s.inLocked(ctx, found.MerchantID, found.ID, func(tx pgx.Tx, p db.Payment) error {
		if !isCase(p) {
			return ErrNoCase
		}
		if about.Valid && !about.Decimal.Equal(p.ReceivedAmount.Decimal) {
			return ErrCameSince
		}
		d.Came = money.Fiat(p.ReceivedAmount.Decimal)
		switch d.Decision {
		case TakeWhatCame:
			after, err = s.takeCase(ctx, tx, p, who, d)
		case WaitForRest:
			after, err = s.waitForRest(ctx, tx, p, who, d)
		default:
			after, err = s.returnCase(ctx, tx, p, who, d)
		}
		return err
	})
	return s.FromRow(after), err
}

// takeCase completes a payment with the amount that arrived, at the payment's
// own rate.
func (s *Service) takeCase(
	ctx context.Context, tx pgx.Tx, p db.Payment, who caller.Caller, d CaseDecision,
) (db.Payment, error) {
	c := change{
		to: Completed, actor: who.Actor(), reason: d.Reason, decided: caseTaken,
		came: &arrival{amount: p.ReceivedAmount.Decimal, taken: true},
	}
	d.To = nil // the recipient is not needed, and a proposal would store it
	if err := foureyes.WithAction(s.movingAlone(ctx, db.New(tx), who, p, *c.came), foureyes.DecideCase, d); err != nil {
		return p, err
	}
	return s.move(ctx, tx, p, c)
}

// movingAlone returns an error if the decision moves more USDT than one
// operator may, and otherwise counts it towards what the operator moves in a
// day. What is moved is the larger of the USDT held for the payment and of the
// USDT that its trader gives for the amount that arrived.
func (s *Service) movingAlone(ctx context.Context, q *db.Queries, who caller.Caller, p db.Payment, came arrival) error {
	return s.moving(ctx, q, who, p, decimal.Max(p.HoldUSDT, given(p, came)), decimal.Zero)
}

// attachingAlone is movingAlone for a transfer that is attached to a payment.
// If the payment becomes a case, only the transfer itself counts towards what
// the operator moves in a day: the merchant may accept the case later, and the
// rest of it was counted before or was reported without an operator. A second
// operator is still required if the whole is more than one operator may move.
func (s *Service) attachingAlone(ctx context.Context, q *db.Queries, who caller.Caller, p db.Payment, c change) error {
	if c.to != Appeal {
		return s.movingAlone(ctx, q, who, p, *c.came)
	}
	whole, part := given(p, arrival{amount: c.came.amount, taken: true}), given(p, arrival{amount: c.said.amount, taken: true})
	return s.moving(ctx, q, who, p, part, decimal.Max(p.HoldUSDT, whole))
}

func (s *Service) moving(ctx context.Context, q *db.Queries, who caller.Caller, p db.Payment, amount, of decimal.Decimal) error {
	if who.Kind != caller.Operator {
		return nil
	}
	return s.config.FourEyes.Moving(ctx, q, foureyes.Movement{
		OperatorID: who.ID, Owner: ledger.Cashbox.Of(p.CashboxID), Amount: amount, Of: of, At: s.clock.Now(),
	})
}

// given is the USDT that a payment's trader gives for the amount that arrived.
func given(p db.Payment, came arrival) decimal.Decimal {
	worth := withArrival(p, &came)
	return worth.AmountUSDT.Add(worth.SpreadPlatformUSDT).Add(worth.DifferenceUSDT)
}

// waitForRest makes a payment pending again, so that the payer can send the
// missing amount. It waits for caseLasts.
func (s *Service) waitForRest(
	ctx context.Context, tx pgx.Tx, p db.Payment, who caller.Caller, d CaseDecision,
) (db.Payment, error) {
	missing := p.Amount.Sub(p.ReceivedAmount.Decimal)
	if !missing.IsPositive() {
		return p, errNoRest
	}
	after, err := s.move(ctx, tx, p, change{
		to: Pending, actor: who.Actor(), reason: d.Reason, decided: caseWaits, until: s.clock.Now().Add(caseLasts),
		came: &arrival{amount: p.ReceivedAmount.Decimal},
	})
	if err != nil {
		return p, err
	}
	// Two transfers of one amount could not be told apart. The move has not
	// taken the slot if another payment has it, or ended so lately that its
	// transfer may still come.
	others, err := db.New(tx).SlotGone(ctx, db.SlotGoneParams{RequisiteID: *p.RequisiteID, Amount: missing, PaymentID: p.ID})
	if err != nil {
		return p, fmt.Errorf("look for another payment: %w", err)
	}
	if others {
		return p, errOtherOpen
	}
	return after, nil
}

// returnCase fails a payment and makes a payout by which its trader sends the
// money back to the payer. The worth of the money stays held from the trader's
// USDT until they have sent it.
func (s *Service) returnCase(
	ctx context.Context, tx pgx.Tx, p db.Payment, who caller.Caller, d CaseDecision,
) (db.Payment, error) {
	if len(catalogue.Payouts(p.Currency)) == 0 {
		return p, errNoReturn
	}
	// The order of locks is the same everywhere: first what operators have
	// moved, then the accounts.
	alone := s.movingAlone(ctx, db.New(tx), who, p, arrival{amount: p.ReceivedAmount.Decimal, taken: true})
	if alone != nil && !errors.Is(alone, foureyes.ErrSecondOperator) {
		return p, alone
	}
	reason := reasonReturned
	after, err := s.move(ctx, tx, p, change{
		to: Failed, actor: who.Actor(), reason: &reason, decided: caseReturned, came: &arrival{amount: p.ReceivedAmount.Decimal},
	})
	if err != nil {
		return p, err
	}
	base := rate.Base{FiatPerUSDT: p.BaseRate, Source: p.RateSource, ObservedAt: p.CreatedAt}
	if p.RateObservedAt != nil {
		base.ObservedAt = *p.RateObservedAt
	}
	id, err := s.config.Payouts.Repay(ctx, tx, who, payout.Repayment{
		MerchantID: p.MerchantID, CashboxID: p.CashboxID, TraderID: p.TraderID, PaymentID: p.ID,
		OrderID:     fmt.Sprintf("return-%s-%d", p.UUID, after.EventSequence),
		CallbackURI: p.CallbackURI, Currency: p.Currency, Amount: p.ReceivedAmount.Decimal, Base: base, To: *d.To,
	})
	if err != nil {
		return p, err
	}
	// A second operator is asked only about a decision that could be
	// carried out.
	if err := foureyes.WithAction(alone, foureyes.DecideCase, d); err != nil {
		return p, err
	}
	return after, db.New(tx).ArrivalsReturned(ctx, db.ArrivalsReturnedParams{
		PaymentID: p.ID, PayoutUUID: id,
	})
}

// arrive adds a reported amount to what has arrived before. The change then
// completes the payment, if the amount policy of the cashbox's method accepts
// the total, or else makes it a case. Whoever appealed says that all has
// arrived, so less than that completes nothing by itself.
func (s *Service) arrive(p db.Payment, c *change, amount decimal.Decimal) error {
	total := counted(p).Add(amount)
	if _, err := fiat(money.Fiat(total)); err != nil { // the whole is stored as one amount
		return fault.Fields{"receivedAmount": {err.Error()}}.Err()
	}
	came, err := arrivalOf(p, total, s.settings.AmountPolicy(p.CashboxID, p.Method))
	switch {
	case err == errOtherAmount: //nolint:errorlint // it is this very value
		c.came = &arrival{amount: total}
		s.becomesCase(c, "")
	case err != nil:
		return err
	default:
		c.came = came
		if p.RateUnavailable && c.platformPays(p) { // nobody knows yet how much, and whether the platform will have it
			s.becomesCase(c, reasonUncovered)
		} else if c.disputed && came.taken && total.LessThan(p.Amount) {
			s.becomesCase(c, "")
		}
	}
	return nil
}

// becomesCase makes the change one that leaves to somebody else what becomes of
// the amount that has arrived. A payment that is late keeps that as its reason.
func (s *Service) becomesCase(c *change, reason string) {
	c.to, c.decided, c.until = Appeal, caseOpen, s.clock.Now().Add(caseLasts)
	c.came = &arrival{amount: c.came.amount}
	if c.reason == nil {
		c.reason = optional.Of(reason)
	}
}

// workKind is the kind of work under which operators claim cases. A claim ends
// when its case is decided, by whomever, so anybody may claim the next case of
// the same payment.
const workKind = "other_amount"

// moveArrivals makes transfers count towards a payment, and makes them free
// again if the payment ends unpaid or begins anew.
func moveArrivals(from, to db.Payment, c change, now time.Time) []db.Query {
	var queries []db.Query
	said := c.said
	switch {
	case said != nil && said.arrivalID != 0:
		queries = append(queries, db.Do((*db.Queries).ArrivalKeep, db.ArrivalKeepParams{
			MerchantID: to.MerchantID, PaymentID: to.ID, ID: said.arrivalID,
		}))
	case said != nil && to.RequisiteID != nil && (!said.amount.Equal(to.Amount) || counted(from).IsPositive()):
		queries = append(queries, db.Do((*db.Queries).ArrivalInsert, said.insert(to, c.actor, now)))
	}
	// The transfers stay with the payment also when it is completed without
	// a reported amount; then the amount asked for is settled.
	had := from.ReceivedAmount.Valid || Status(from.Status) == Completed
	counts := Status(to.Status) == Completed || to.ReceivedAmount.Valid && countsToday(to)
	if had && !counts && c.decided != caseReturned {
		queries = append(queries, db.Do((*db.Queries).ArrivalsFree, to.ID))
	}
	if isCase(from) && !isCase(to) {
		queries = append(queries, db.Do((*db.Queries).WorkClaimEnd, db.WorkClaimEndParams{Kind: workKind, SubjectID: to.ID}))
	}
	return append(queries, tellArrivals(to, c, now)...)
}

// tellArrivals adds to the payment's timeline what arrived and what was decided
// about it.
func tellArrivals(to db.Payment, c change, now time.Time) []db.Query {
	var queries []db.Query
	tell := func(what StepName, detail StepDetail) {
		queries = append(queries, db.Do((*db.Queries).PaymentStepInsert, db.PaymentStepInsertParams{
			MerchantID: to.MerchantID, PaymentID: to.ID, At: now, Actor: c.actor, What: string(what), Detail: stepJSON(detail),
		}))
	}
	if c.said != nil && c.decided == caseOpen || c.said != nil && c.said.arrivalID != 0 {
		detail := StepDetail{Amount: money.Fiat(c.said.amount), Payer: c.said.payer}
		if c.said.messageID != nil {
			detail.Message = *c.said.messageID
		}
		tell(StepMoneyCame, detail)
	}
	if c.decided != "" && c.decided != caseOpen {
		tell(StepCaseDecided, StepDetail{Decision: c.decided, Amount: money.Fiat(c.came.amount)})
	}
	return queries
}

// word is a report that a transfer has arrived. The change stores it as an
// arrival.
type word struct {
	amount      decimal.Decimal
	payer, note string
	at          *time.Time
	messageID   *int64
	// arrivalID is the arrival that is stored already, or 0.
	arrivalID int64
}

func (w word) insert(p db.Payment, actor string, now time.Time) db.ArrivalInsertParams {
	came := now
	if w.at != nil {
		came = *w.at
	}
	return db.ArrivalInsertParams{
		TraderID: p.TraderID, RequisiteID: *p.RequisiteID, Currency: p.Currency, Amount: w.amount, CameAt: came,
		Payer: w.payer, Note: w.note, MessageID: w.messageID, Actor: actor, CreatedAt: now,
		MerchantID: p.MerchantID, PaymentID: p.ID,
	}
}

// wordOf checks a caller's report.
func wordOf(f fault.Fields, said Came, now time.Time) word {
	w := word{payer: strings.TrimSpace(optional.Value(said.Payer)), note: strings.TrimSpace(optional.Value(said.Note)), at: said.At, messageID: said.MessageID}
	f.OptionalMaxLength("payer", said.Payer, maxText)
	f.OptionalMaxLength("note", said.Note, maxText)
	if said.At != nil {
		f.Check(!said.At.After(now.Add(time.Minute)), "cameAt", "must not be in the future")
	}
	return w
}
