package model_test

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"sync"

	"github.com/google/uuid"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
)

// modelBank is the acquirer behind every desk: the world outside, with a book
// of its own, in which the walk decides. The line to it can be cut.
type modelBank struct {
	mu      sync.Mutex
	line    modelLine
	delay   *modelDelay
	charges map[uuid.UUID]*modelCharge
	calls   []modelBankCall
}

// modelDelay keeps the next card or code on its way: before it comes to the
// bank, or its answer before it comes back. here is closed once it is on its
// way, and the walk closes free.
type modelDelay struct {
	before     bool
	here, free chan struct{}
}

// modelCharge is what the bank has booked of an attempt.
type modelCharge struct {
	pan, amount, currency string
	state                 acquirer.State
	reason                string
	codes, resends        int32
	// final charges are settled, and cannot be undone any more; slow ones
	// are undone only when it is asked for twice.
	final, slow bool
}

// modelLine says where the line to the bank is cut.
type modelLine int

const (
	lineWhole modelLine = iota
	// lineCutBefore loses the calls, lineCutAfter the answers.
	lineCutBefore
	lineCutAfter
)

// modelBankCall is a call to the bank: what was asked about which attempt, and
// what was answered, if anything was heard.
type modelBankCall struct {
	id       uuid.UUID
	question string
	answer   acquirer.Answer
	heard    bool
}

// What the bank is asked. askedNothing is in a card or a code that it is given.
const (
	askedNothing = ""
	askedResult  = "result"
	askedVoid    = "void"
	askedResend  = "resend"
)

// modelCard is a card as payers type it.
type modelCard struct{ pan, holder string }

// What becomes of a card its number says: these are approved at once, of these
// the bank asks a code, these it declines, and of the others it thinks until
// the walk has it decide.
var (
	pansApproved = []string{"4242424242424242", "5555555555554444"}
	panFinal     = "4000000000000010"
	panCode      = "4000002500003155"
	panDeclined  = "4000000000000002"
	panNoFunds   = "4000000000009995"
	panExpired   = "4000000000000069"
	panOverLimit = "4000000000000077"
	pansDeclined = map[string]string{
		panDeclined: acquirer.CardDeclined, panNoFunds: acquirer.InsufficientFunds,
		panExpired: acquirer.CardExpired, panOverLimit: acquirer.LimitExceeded,
	}
	panPending = "4111111111111111"
	panSlow    = "4000000000000028"
)

// The code that is right, one that is wrong, one that the bank takes its time
// to look at, and one that is too short.
const codeRight, codeWrong, codeSlow, codeShort = "123456", "000000", "7777", "12"

var _ acquirer.Acquirer = (*modelBank)(nil)

// For implements checkout.Acquirers: every trader's acquirer is this one.
func (b *modelBank) For(context.Context, int64) (acquirer.Acquirer, int64, error) { return b, 0, nil }

func (b *modelBank) Began(context.Context, int64) (acquirer.Acquirer, error) { return b, nil }

var errCutLine = errors.New("the line is cut")

// answer is a call to the bank: do is what it does about the charge, nil if it
// knows of none.
func (b *modelBank) answer(id uuid.UUID, question string, do func(c *modelCharge)) (acquirer.Answer, error) {
	delay := b.delayed(question)
	if delay != nil && delay.before {
		delay.wait()
	}
	answer, err := b.book(id, question, do)
	if delay != nil && !delay.before {
		delay.wait()
	}
	return answer, err
}

func (d *modelDelay) wait() {
	close(d.here)
	<-d.free
}

func (b *modelBank) book(id uuid.UUID, question string, do func(c *modelCharge)) (acquirer.Answer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	call := modelBankCall{id: id, question: question, answer: acquirer.Answer{State: acquirer.Unknown}}
	if b.line != lineCutBefore {
		do(b.charges[id])
		if c := b.charges[id]; c != nil {
			call.answer = acquirer.Answer{State: c.state, Reason: c.reason, Codes: c.codes}
		}
	}
	call.heard = b.line == lineWhole
	b.calls = append(b.calls, call)
	if !call.heard {
		return acquirer.Answer{}, errCutLine
	}
	return call.answer, nil
}

// delayed is the delay of a call, if it is to have one.
func (b *modelBank) delayed(question string) *modelDelay {
	b.mu.Lock()
	defer b.mu.Unlock()
	delay := b.delay
	if question != askedNothing {
		return nil
	}
	b.delay = nil
	return delay
}

// hold has the next card or code come late.
func (b *modelBank) hold(before bool) *modelDelay {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.delay = &modelDelay{before: before, here: make(chan struct{}), free: make(chan struct{})}
	return b.delay
}

// Authorize implements acquirer.Acquirer.
func (b *modelBank) Authorize(
	_ context.Context, a acquirer.Attempt, entered card.Card, _ acquirer.CVV,
) (acquirer.Answer, error) {
	return b.answer(a.ID, askedNothing, func(c *modelCharge) {
		if c == nil {
			b.charges[a.ID] = newModelCharge(entered.PAN.Digits(), money.Fiat(a.Amount), a.Currency)
		}
	})
}

func newModelCharge(pan, amount, currency string) *modelCharge {
	c := &modelCharge{pan: pan, amount: amount, currency: currency, state: acquirer.Pending, slow: pan == panSlow}
	switch reason, declined := pansDeclined[pan]; {
	case declined:
		c.state, c.reason = acquirer.Declined, reason
	case pan == pansApproved[0], pan == pansApproved[1]:
		c.state = acquirer.Approved
	case pan == panFinal:
		c.state, c.final = acquirer.Approved, true
	case pan == panCode:
		c.state = acquirer.CodeNeeded
	}
	return c
}

// undecided: the bank thinks, or waits for a code.
func (c *modelCharge) undecided() bool {
	return c.state == acquirer.Pending || c.state == acquirer.CodeNeeded
}

// SubmitCode implements acquirer.Acquirer. A code has no form outside its
// package; reflection sees what would go out.
func (b *modelBank) SubmitCode(
	_ context.Context, id uuid.UUID, number int32, code acquirer.Code,
) (acquirer.Answer, error) {
	digits := reflect.ValueOf(code).Field(0).Elem().String()
	return b.answer(id, askedNothing, func(c *modelCharge) {
		if c == nil || !c.undecided() || number <= c.codes {
			return
		}
		c.codes = number
		switch {
		case c.state == acquirer.CodeNeeded && digits == codeRight:
			c.state = acquirer.Approved
		case digits == codeSlow:
			c.state = acquirer.Pending
		}
	})
}

// ResendCode implements acquirer.Acquirer.
func (b *modelBank) ResendCode(_ context.Context, id uuid.UUID, number int32) (acquirer.Answer, error) {
	return b.answer(id, askedResend, func(c *modelCharge) {
		if c != nil {
			c.resends = max(c.resends, number)
		}
	})
}

// Result implements acquirer.Acquirer.
func (b *modelBank) Result(_ context.Context, id uuid.UUID) (acquirer.Answer, error) {
	return b.answer(id, askedResult, func(*modelCharge) {})
}

// Void implements acquirer.Acquirer. What was never heard of never begins.
func (b *modelBank) Void(_ context.Context, id uuid.UUID) (acquirer.Answer, error) {
	return b.answer(id, askedVoid, func(c *modelCharge) {
		switch {
		case c == nil:
			b.charges[id] = &modelCharge{state: acquirer.Voided}
		case c.state == acquirer.Declined, c.final:
		case c.slow && c.undecided():
			c.slow = false
		default:
			c.state = acquirer.Voided
		}
	})
}

// cut sets where the line is cut from now on.
func (b *modelBank) cut(where modelLine) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.line = where
}

// busy reports whether there was a call since called was last asked.
func (b *modelBank) busy() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.calls) > 0
}

// called are the calls since it was last asked, and makes the line whole.
func (b *modelBank) called() []modelBankCall {
	b.mu.Lock()
	defer b.mu.Unlock()
	calls := b.calls
	b.calls, b.line = nil, lineWhole
	return calls
}

// someDeskPayment picks a card payment whose payer is past the card, now and
// then a payment of another kind.
func someDeskPayment(w *modelWalk, s modelStep) *modelPayment {
	if s.n[1]%8 == 0 {
		return pickRecord(w, s.n[0], w.model.payments, func(p *modelPayment) bool {
			return p.status == "pending" && p.checkout == nil
		})
	}
	return pickRecord(w, s.n[0], w.model.byCard(), func(p *modelPayment) bool {
		return p.status == "pending" && p.phaseShown() != phaseDetails
	})
}

// deskOf is a payment's trader, now and then somebody else.
func (w *modelWalk) deskOf(s modelStep, p *modelPayment) *modelTrader {
	if s.n[2]%12 == 0 {
		return pickModel(w.model.traders, s.n[3])
	}
	return p.requisite.trader
}

// refuseDesk is why a step of a trader's desk is refused, whatever step it is;
// wrong is what is said of a payment that no card is entered for.
func (p *modelPayment) refuseDesk(trader *modelTrader, wrong string) string {
	switch {
	case trader != p.requisite.trader:
		return "not_found"
	case p.status != "pending":
		return "payment_not_pending"
	case p.checkout == nil, p.phaseShown() == phaseDetails:
		return wrong
	}
	return ""
}

// requestCode has a trader ask the payer for the code. Once one was given that
// is a resend.
func (w *modelWalk) requestCode(s modelStep, p *modelPayment) {
	w.atDesk(s, p, w.checkouts.RequestCode, func() (string, func()) {
		return unless(p.checkout.phase != phaseConfirm || !p.checkout.asked, "checkout_wrong_step"), p.checkout.askForCode
	})
}

// noCode has a trader say that there is no code to wait for.
func (w *modelWalk) noCode(s modelStep, p *modelPayment) {
	w.atDesk(s, p, w.checkouts.MarkCodeNotNeeded, func() (string, func()) { return "", p.checkout.noCode })
}

func (w *modelWalk) atDesk(s modelStep, p *modelPayment,
	call func(context.Context, caller.Caller, int64) (payment.Payment, error), step func() (want string, apply func()),
) {
	trader := w.deskOf(s, p)
	want := p.refuseDesk(trader, "checkout_wrong_step")
	var apply func()
	if want == "" {
		want, apply = step()
	}
	ctx, injury := w.injured()
	got, err := call(ctx, trader.Caller, p.id)
	w.stepped(p, injury, err, want, func() {
		w.tell(w.now.op, p.origin())
		apply()
		if err == nil {
			p.same(got)
		}
	})
}

// stepped judges a step that answers with no view; a payment without a checkout
// refuses it.
func (w *modelWalk) stepped(p *modelPayment, i *injury, err error, want string, part modelPart) {
	switch {
	case p.checkout != nil:
		w.steppedView(p, i, checkout.View{}, err, want, part)
	case i.fired:
		w.aborted(i, err)
	default:
		w.tell("desk "+want, w.now.op)
		wantCode(err, want)
	}
}

// resend is the merchant's asking for the code again.
func (w *modelWalk) resend(s modelStep, p *modelPayment) {
	merchant := w.merchantOf(p.merchantID)
	if s.n[2]%12 == 0 {
		merchant = pickModel(w.model.merchants, s.n[3])
	}
	var want string
	switch {
	case merchant.ID != p.merchantID:
		want = "cashbox_access_denied"
	case p.status != "pending", p.checkout == nil:
		want = "code_resend_wrong_step"
	default:
		want = p.refuseResend(w.model.now)
	}
	name := p.uuid
	if s.n[4]%2 == 0 {
		name = strconv.FormatInt(p.id, 10)
	}
	ctx, injury := w.injured()
	got, err := w.checkouts.Resend(ctx, merchant.Caller, name)
	w.resent(p, injury, err, want, "merchant", func() {
		c := p.checkout
		sameFields("the resend of "+p.origin().String(), []modelField{
			{"phase", got.Phase, phaseCode}, {"attemptsLeft", got.ResendsLeft(), modelResends - c.resends},
			{"codeResendCount", got.Resends, c.resends}, {"codeResendLastBy", got.ResentBy, c.resentBy},
			{"codeResendLastAt", got.ResentAt, c.resentAt},
			{"nextAllowedAt", got.NextAllowedAt(), c.resentAt.Add(modelResendPause)},
		})
	})
}

// resent is what it came to that somebody asked for the code again. A payer's
// asking counts as the merchant's.
func (w *modelWalk) resent(p *modelPayment, i *injury, err error, want, asker string, same func()) {
	w.stepped(p, i, err, want, func() {
		w.tell("resent by "+asker, p.origin())
		by := asker
		if by == "payer" {
			by = "merchant"
		}
		w.model.resend(p, by)
		if err == nil {
			same()
		}
	})
}

// payerResend is the payer's asking for the code again.
func (w *modelWalk) payerResend(_ modelStep, p *modelPayment) {
	var want string
	switch {
	case p.checkout == nil:
		want = "not_found"
	case p.closed(w.model.now):
		want = "checkout_closed"
	default:
		want = p.refuseResend(w.model.now)
	}
	ctx, injury := w.injured()
	err := w.checkouts.ResendByPayer(ctx, w.linkOf(p))
	w.resent(p, injury, err, want, "payer", func() {})
}

// traderResend is the trader's; the merchant is told.
func (w *modelWalk) traderResend(s modelStep, p *modelPayment) {
	trader := w.deskOf(s, p)
	want := p.refuseDesk(trader, "code_resend_wrong_step")
	if want == "" {
		want = p.refuseResend(w.model.now)
	}
	ctx, injury := w.injured()
	got, err := w.checkouts.RequestResend(ctx, trader.Caller, p.id)
	w.resent(p, injury, err, want, "trader", func() { p.same(got) })
}
