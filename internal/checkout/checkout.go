// Package checkout carries a card payment from its link to its result: the
// card, the code, a resend, the payer's cancel, and the desk of a trader. What
// an acquirer says is taken in here, whenever it says it.
//
// # Phases
//
//	awaiting_payer_details ──card──▶ awaiting_trader_bank_sms ──code needed──▶ awaiting_payer_otp
//	          ▲                          │            │   ▲                      │     ▲  ▲
//	          │                          │      code, │   └ (no code: 200,       │     │  │
//	          │                          │ or none needed   nothing changes)     │code,│  │wrong code (third: failed),
//	          │                          │            │                          │none │  │code did not get through,
//	          │                          │            ▼                          ▼needed  │resend
//	          │                          │         awaiting_trader_confirm ◀─────┘     │  │
//	          │                          │            │         └──────────────────────┴──┘
//	          └── the card did not get through, ──────┘
//	              or was declined and another may be tried
//
// All this while the payment is pending: its status, not the phase, says how it
// ended, and the phase stays the last one. A resend is possible in the three
// phases after the card, and asks for the code. A pending payment whose attempt
// has ended (the application set it back) waits for a card again.
//
// # Who wins
//
// Every step holds the payment's row lock. Whoever comes first to a terminal
// status, be it payer, trader, acquirer or the clock, has it. What the acquirer
// says afterwards is voided when the payment did not complete, and is an
// operator's to look into when it completed on another's word and the acquirer
// declined or had voided, or when it cannot be voided. A charge that completed
// a payment is voided in the same way when the payment is taken back; an appeal
// leaves it as it is.
//
// # Calls to an acquirer
//
// First it is committed that a call is under way, then the acquirer is called
// outside any transaction, then its answer is committed. CVV and codes are in
// the request's memory alone. Poll asks after what was left open: by an answer
// that is yet to come, a call without an answer, or a process that died. If the
// acquirer never heard of the attempt, it is voided, so that a late call does
// nothing, and the payer types again.
package checkout

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/payment"
)

// Acquirers knows each trader's acquirer. Where there is none, its methods
// return acquirer.ErrNone.
type Acquirers interface {
	// For returns the acquirer for a trader's new cards, and the id under
	// which Began finds it again.
	For(ctx context.Context, traderID int64) (acquirer.Acquirer, int64, error)
	// Began returns the acquirer with which an attempt began: no other one
	// knows of its charge.
	Began(ctx context.Context, id int64) (acquirer.Acquirer, error)
}

// Services are the services and stores that checkouts use.
type Services struct {
	Payments  *payment.Service
	Links     *auth.Links
	Cards     *card.Safe
	Acquirers Acquirers
	Limits    *limit.Limits
}

// Service runs checkouts.
type Service struct {
	Services
	reads db.Pool
	q     *db.Queries
	clock clock.Clock
	// polling counts what all rounds of Poll are working on.
	polling crowd
}

func New(pools db.Pools, c clock.Clock, services Services) *Service {
	return &Service{
		Services: services,
		reads:    pools.Reads,
		q:        db.New(pools.Reads),
		clock:    c,
		polling:  crowd{out: map[queue]int{}},
	}
}

// OnStatusChange returns what the checkout has to do when its payment changes
// status, whoever changed it. The charge of a payment that is taken back is
// undone. A payment that is completed although its charge failed is reported to
// operators.
func OnStatusChange(to payment.Payment, at time.Time) []db.Query {
	switch to.Status {
	case payment.Completed:
		return []db.Query{db.Do((*db.Queries).ConflictInsertUncharged,
			db.ConflictInsertUnchargedParams{MerchantID: to.MerchantID, PaymentID: to.ID, CreatedAt: at})}
	case payment.Pending, payment.Failed, payment.Cancelled:
		return []db.Query{
			db.Do((*db.Queries).AttemptUndo,
				db.AttemptUndoParams{MerchantID: to.MerchantID, PaymentID: to.ID, Soon: at}),
			db.Do(
				(*db.Queries).AttemptNudgeAll,
				db.AttemptNudgeAllParams{
					MerchantID: to.MerchantID,
					PaymentID:  to.ID,
					Soon:       at,
					Later:      at.Add(time.Minute),
				},
			),
		}
	case payment.Appeal: // nothing is decided
	}
	return nil
}

const (
	actorPayer    = "payer"
	actorAcquirer = "acquirer"
)

var errNoAcquirer = fault.New(fault.Unavailable, "acquirer_not_configured", "Cards cannot be taken for this payment now.")

// open finds the card payment of a link, and counts the call towards a limit.
// Every wrong link gets the same answer.
func (s *Service) open(ctx context.Context, token string, rule limit.Rule) (payment.Payment, error) {
	id, err := s.Links.Parse(token)
	if err != nil {
		return payment.Payment{}, fault.ErrNotFound
	}
	p, err := s.Payments.ByUUID(ctx, id)
	if err != nil {
		return p, err
	}
	if !p.CardCheckout() {
		return p, fault.ErrNotFound
	}
	_, err = s.Limits.Count(rule, id.String())
	return p, err
}

// Get reads a checkout by its link.
func (s *Service) Get(ctx context.Context, token string) (View, error) {
	p, err := s.open(ctx, token, limit.CheckoutReads)
	if err != nil {
		return View{}, err
	}
	return s.view(ctx, p)
}

// Cancel cancels the payment for its payer and tells the merchant.
func (s *Service) Cancel(ctx context.Context, token string) (View, error) {
	p, err := s.open(ctx, token, limit.CheckoutWrites)
	if err != nil {
		return View{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return View{}, err
	}
	p, err = s.Payments.WithLocked(ctx, p.MerchantID, p.ID, func(p *payment.Locked) error {
		if err := s.checkOpen(p.Payment); err != nil {
			return err
		}
		if err := s.askSoon(ctx, p); err != nil {
			return err
		}
		return p.Move(ctx, payment.Cancelled, actorPayer, nil)
	})
	if err != nil {
		return View{}, err
	}
	return s.view(ctx, p)
}

// checkOpen refuses the payer's steps after the payment has ended or expired.
func (s *Service) checkOpen(p payment.Payment) error {
	if !p.OpenToPayer(s.clock.Now()) {
		return errClosed
	}
	return nil
}

// state reads the state of a payment's checkout.
func (s *Service) state(ctx context.Context, q *db.Queries, p payment.Payment) (State, error) {
	row, err := q.CheckoutGet(ctx, db.CheckoutGetParams{MerchantID: p.MerchantID, PaymentID: p.ID})
	if db.NoRows(err) {
		return initial(), nil
	}
	if err != nil {
		return State{}, fmt.Errorf("read checkout: %w", err)
	}
	return stateOf(row, p), nil
}

func stateOf(row db.Checkout, p payment.Payment) State {
	state := State{
		Phase: Phase(row.Phase), CodeAsked: row.CodeAsked, Rejected: row.CodesRejected, Resends: row.Resends,
		ResentBy: row.ResentBy, ResentAt: row.ResentAt, LastError: row.LastError,
		AttemptID: row.AttemptID, AttemptOver: row.AttemptOver, Declined: int32(row.Declined),
	}
	if state.AttemptOver && p.Status == payment.Pending {
		state.Phase = AwaitingDetails
	}
	return state
}

func put(p payment.Payment, state State) db.Query {
	return db.Do((*db.Queries).CheckoutPut, db.CheckoutPutParams{
		MerchantID: p.MerchantID, PaymentID: p.ID, Phase: string(state.Phase), CodeAsked: state.CodeAsked,
		CodesRejected: state.Rejected, Resends: state.Resends, ResentBy: state.ResentBy, ResentAt: state.ResentAt,
		LastError: state.LastError, AttemptID: state.AttemptID, AttemptOver: state.AttemptOver,
		Declined: int16(state.Declined),
	})
}

// askSoon makes the next round of Poll ask the acquirer about the attempt in
// progress, if there is one.
func (s *Service) askSoon(ctx context.Context, p *payment.Locked) error {
	q := db.New(p.Tx)
	state, err := s.state(ctx, q, p.Payment)
	if err != nil || state.AttemptOver {
		return err
	}
	return q.AttemptSoon(ctx, db.AttemptSoonParams{MerchantID: p.MerchantID, ID: state.AttemptID, Soon: s.clock.Now()})
}

func (s *Service) acquirerOf(ctx context.Context, traderID int64) (acquirer.Acquirer, int64, error) {
	found, id, err := s.Acquirers.For(ctx, traderID)
	if errors.Is(err, acquirer.ErrNone) {
		return nil, 0, fmt.Errorf("%w: trader %d: %w", errNoAcquirer, traderID, err)
	}
	return found, id, err
}

// detached is a context for a call to an acquirer, which continues when the
// caller hangs up.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), acquirer.Timeout)
}

// noAnswer logs a call that got no answer. Poll asks later.
func noAnswer(ctx context.Context, call string, id fmt.Stringer, err error) {
	slog.WarnContext(ctx, "no answer of an acquirer", "call", call, "attempt", id.String(), "error", err)
}

func (s *Service) assigned(ctx context.Context, who caller.Caller, id int64) (payment.Payment, error) {
	if err := who.Need(caller.TraderWork); err != nil {
		return payment.Payment{}, err
	}
	p, err := s.Payments.Get(ctx, who, strconv.FormatInt(id, 10))
	if err != nil {
		return p, err
	}
	return p, fault.Decoded(ctx).Err()
}

// callGrace is how long after its beginning Poll leaves a call alone. After
// that the call has its answer, or never gets one.
const callGrace = acquirer.Timeout + 5*time.Second
