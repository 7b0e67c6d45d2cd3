package model_test

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/testenv"
)

const (
	// modelAsked is after how long an attempt has surely been asked about
	// again: a call has its answer or will never have one after 15 s, and a
	// question is repeated at least as often.
	modelAsked = 16 * time.Second
	// modelRounds is in how many rounds everything has been asked about.
	modelRounds = 60
)

// decideCharge has the bank decide about a charge it thinks about, or ask for a
// code.
func (w *modelWalk) decideCharge(s modelStep, p *modelPayment) {
	charges := w.undecided(p)
	if len(charges) == 0 {
		return
	}
	c := pickModel(charges, s.n[1])
	outcome := pickModel([]string{
		"approves", "approves", "approves", "asks for a code", "asks for a code", "asks for a code", "declines",
		"declines", "approves for good", "undoes",
	}, s.n[2])
	w.tell("bank "+outcome, p.origin(), " while ", p.status)
	w.bank.mu.Lock()
	defer w.bank.mu.Unlock()
	switch outcome {
	case "approves":
		c.state = acquirer.Approved
	case "approves for good":
		c.state, c.final = acquirer.Approved, true
	case "asks for a code":
		c.state = acquirer.CodeNeeded
	case "declines":
		c.state, c.reason = acquirer.Declined, pickModel([]string{acquirer.CardDeclined, acquirer.InsufficientFunds}, s.n[3])
	case "undoes":
		c.state = acquirer.Voided
	}
}

// undecided are a payment's charges that the bank has yet to decide about.
func (w *modelWalk) undecided(p *modelPayment) []*modelCharge {
	var list []*modelCharge
	for _, a := range p.checkout.attempts {
		list = append(list, w.bank.charges[a.id])
	}
	return those(list, func(c *modelCharge) bool { return c != nil && c.undecided() })
}

// poll lets time pass and the bank be asked: mostly until it was asked about
// everything that is not settled. One time in six two replicas ask at once, and
// now and then the line is cut.
func (w *modelWalk) poll(s modelStep) {
	pause := pickModel([]time.Duration{0, time.Second, 3 * time.Second, modelAsked, modelAsked, modelAsked}, s.n[0])
	line := cutBy(s.n[1])
	w.tell("polled", pause, " line ", line)
	if pause == modelAsked && line == lineWhole {
		w.askAll(pickModel([]int{1, 1, 1, 1, 1, 2}, s.n[2]))
		return
	}
	w.pass(pause)
	w.askBank(line, 1)
}

// pause lets the time pass after which a payment's code may be sent again, or
// nearly.
func (w *modelWalk) pause(s modelStep) {
	by := modelResendPause
	if s.n[0]%4 == 0 {
		by -= time.Millisecond
	}
	w.tell("paused", by)
	w.pass(by)
}

func (w *modelWalk) pass(by time.Duration) {
	w.clock.Advance(by)
	w.model.now = w.clock.Now()
}

// askAll lets as much time pass as it takes for the bank to be asked about
// every attempt that is not settled.
func (w *modelWalk) askAll(replicas int) {
	open := w.model.unsettled()
	for range modelRounds {
		w.pass(modelAsked)
		asked := w.askBank(lineWhole, replicas)
		open = slices.DeleteFunc(open, func(a *modelAttempt) bool { return asked[a.id] || a.seldom(w.model.now) })
		if len(open) == 0 {
			return
		}
	}
	fail("%s: nobody asks about attempt %s", open[0].payment.origin(), open[0].id)
}

// askBank has the gateway ask the bank, wants the questions to be the right
// ones, and has the model hear the answers.
func (w *modelWalk) askBank(line modelLine, replicas int) (asked map[uuid.UUID]bool) {
	w.bank.cut(line)
	errs := testenv.AtOnce(replicas, func(int) error { return w.checkouts.Poll(w.ctx) })
	calls := w.bank.called()
	must(errs...)
	w.judgeQuestions(calls)
	asked = map[uuid.UUID]bool{}
	for _, call := range calls {
		asked[call.id] = true
	}
	w.hearAll(calls)
	return asked
}

// hearAll has the model hear all the answers.
func (w *modelWalk) hearAll(calls []modelBankCall) {
	for _, call := range calls {
		if call.heard && call.question != askedResend {
			w.hearBank(call)
		}
	}
}

// judgeQuestions wants the bank asked to undo what must not stand, and nothing
// else: of the others it is asked how they stand, and to undo those it never
// heard of. It knows of the resends by then.
func (w *modelWalk) judgeQuestions(calls []modelBankCall) {
	unknown := map[uuid.UUID]bool{}
	for _, call := range calls {
		a := w.model.attempts[call.id]
		if a == nil {
			fail("the bank is asked about attempt %s, which nobody began", call.id)
		}
		p := a.payment
		undo := a.status == attemptTakenBack || p.status == "failed" || p.status == "cancelled"
		settled := a.status != attemptTakenBack && a.status != attemptUnderWay
		switch known := unknown[call.id]; {
		case settled:
			fail("%s: attempt %s is %s and the bank is asked %q", p.origin(), a.id, a.status, call.question)
		case call.question == askedVoid && !undo && !known, call.question == askedResult && undo:
			fail("%s: %s and attempt %s %s: the bank is asked %q", p.origin(), p.status, a.id, a.status,
				call.question)
		case call.question == askedVoid:
			delete(unknown, call.id)
		case call.question == askedResult && call.heard && call.answer.State == acquirer.Unknown:
			unknown[call.id] = true
		case call.question == askedResult && call.heard && a == p.checkout.last() && p.checkout.resends != a.resent &&
			int(w.bank.charges[a.id].resends) != p.checkout.resends:
			fail("%s: the bank was not told of resend %d", p.origin(), p.checkout.resends)
		}
	}
	for id := range unknown {
		fail("attempt %s never arrived, and is not undone", id)
	}
}

// What the contract says of card payments: decisions, "Checkout", and the
// package comment of internal/checkout, "Who wins".

const (
	phaseDetails = "awaiting_payer_details"
	phaseBank    = "awaiting_trader_bank_sms"
	phaseCode    = "awaiting_payer_otp"
	phaseConfirm = "awaiting_trader_confirm"

	// modelResends is how often a code is sent again, modelResendPause how
	// long apart; the third wrong code is the last.
	modelResends     = 3
	modelResendPause = 45 * time.Second
	modelWrongCodes  = 3
	// modelCards is how many cards may be tried for a payment.
	modelCards = 3
	// modelRests is for how long an acquirer is asked about a charge whose
	// payment was completed on somebody's word.
	modelRests = 24 * time.Hour
)

// modelCheckout is how far a card payment's payer has come.
type modelCheckout struct {
	phase string
	// again is whether the payment was set back to pending after its last
	// card, and waits for another. If it ends without one, the phase shown
	// is the one it waits in or the last one before: the gateway shows
	// either.
	again bool
	// asked is whether the payer was asked for a code with this card.
	asked             bool
	rejected, resends int
	// declined counts cards that were.
	declined  int
	resentBy  *string
	resentAt  *time.Time
	lastError *string
	// attempts are all that were begun; the last is the one the checkout is
	// about.
	attempts []*modelAttempt
	// last4 and holder are of the card entered last; sealed is whether more
	// of it than its last four digits is kept.
	last4, holder string
	sealed        bool
}

// modelAttempt is one try to have a card charged.
type modelAttempt struct {
	// step is the one that entered the card.
	step    int
	payment *modelPayment
	id      uuid.UUID
	status  string
	// sent counts the codes handed over; handing is while it is not known
	// whether the last one arrived. followed is the code after which the
	// acquirer last asked for another that the payer was told of: 0 is the
	// first asking, -1 none.
	sent, followed int32
	handing        bool
	// resent is how many resends there had been when the card was entered.
	resent int
	begun  time.Time
	// heard is whether the acquirer said once that it has the card.
	heard bool
	// listed is whether an operator was told to look into it.
	listed bool
}

// How attempts stand. Under way, their acquirer is asked how they stand; taken
// back, it is told to undo them.
const (
	attemptUnderWay  = "under way"
	attemptTakenBack = "taken back"
	attemptCharged   = "charged"
	attemptDeclined  = "declined"
	attemptVoided    = "voided"
	attemptLost      = "lost"
	attemptConflict  = "conflict"
)

// cardMethod reports whether payments of a method are paid by entering a card.
func cardMethod(method string) bool { return method == "quasi_ecom" || method == "mtstpay" }

func (c *modelCheckout) last() *modelAttempt {
	if len(c.attempts) == 0 {
		return nil
	}
	return c.attempts[len(c.attempts)-1]
}

// phaseShown: a pending payment without an attempt under way waits for a card;
// else the phase is the last one.
func (p *modelPayment) phaseShown() string {
	if last := p.checkout.last(); p.status == "pending" && (last == nil || last.status != attemptUnderWay) {
		return phaseDetails
	}
	return p.checkout.phase
}

// cardsLeft is how many more cards may be tried: at least one while the payment
// waits for it.
func (p *modelPayment) cardsLeft() int {
	left := max(0, modelCards-p.checkout.declined)
	if p.status == "pending" && p.phaseShown() == phaseDetails {
		left = max(1, left)
	}
	return left
}

// wantPhase is the phase that must be shown where got is.
func (p *modelPayment) wantPhase(got string) string {
	if p.checkout.again && p.status != "pending" && got == phaseDetails {
		return got
	}
	return p.phaseShown()
}

// closed: the payer's steps end with the payment, or at its expiry, at the very
// instant already.
func (p *modelPayment) closed(now time.Time) bool {
	return p.status != "pending" || !now.Before(p.expires)
}

// refusePayer is why a step of the payer is refused that is possible in some
// phases, "" if it is not.
func (p *modelPayment) refusePayer(now time.Time, phases ...string) string {
	switch {
	case p.closed(now):
		return "checkout_closed"
	case !slices.Contains(phases, p.phaseShown()):
		return "checkout_wrong_step"
	}
	return ""
}

// enterCard begins an attempt.
func (m *gatewayModel) enterCard(p *modelPayment, id uuid.UUID, card modelCard, step int) *modelAttempt {
	c := p.checkout
	a := &modelAttempt{
		step: step, payment: p, id: id, status: attemptUnderWay, followed: -1, resent: c.resends, begun: m.now,
	}
	c.phase, c.again, c.asked, c.lastError = phaseBank, false, false, nil
	c.last4, c.holder, c.sealed = card.pan[len(card.pan)-4:], card.holder, true
	c.attempts = append(c.attempts, a)
	m.attempts[id] = a
	return a
}

// giveCode hands a code over.
func (c *modelCheckout) giveCode() {
	c.phase, c.asked, c.lastError = phaseConfirm, true, nil
	c.last().sent++
	c.last().handing = true
}

func (c *modelCheckout) askForCode() { c.phase, c.asked = phaseCode, true }

func (c *modelCheckout) noCode() { c.phase, c.asked, c.lastError = phaseConfirm, false, nil }

// refuseResend: that none is left is said before that it is too early.
func (p *modelPayment) refuseResend(now time.Time) string {
	c := p.checkout
	switch {
	case p.method != "quasi_ecom", p.phaseShown() == phaseDetails:
		return "code_resend_wrong_step"
	case c.resends >= modelResends:
		return "code_resend_exhausted"
	case c.resentAt != nil && now.Before(c.resentAt.Add(modelResendPause)):
		return "code_resend_too_early"
	}
	return ""
}

// resend asks for the code again. Of a trader's the merchant is told.
func (m *gatewayModel) resend(p *modelPayment, by string) {
	c, now := p.checkout, m.now
	c.askForCode()
	c.lastError = nil
	c.resends++
	c.resentBy, c.resentAt = &by, &now
	if by == "trader" {
		p.events = append(p.events, modelEvent{from: p.status, to: p.status, at: now, resend: c.resends})
	}
}

// shown is what a webhook shows of the card, nil before one was entered.
func (c *modelCheckout) shown() map[string]any {
	switch {
	case c == nil || c.last4 == "":
		return nil
	case c.sealed && c.holder != "":
		return map[string]any{"cardLast4": c.last4, "cardHolder": c.holder}
	}
	return map[string]any{"cardLast4": c.last4}
}

// follow keeps a checkout in step with its payment, whoever moves that: a
// charge that completed it is taken back with it, but not by an appeal;
// completed after its last card came to nothing, it is an operator's to look
// into. Of a payer without a user id no card outlives the pending payment.
func (c *modelCheckout) follow(to string) {
	if c == nil {
		return
	}
	c.sealed = c.sealed && to == "pending"
	c.again = c.again || to == "pending" && c.last() != nil && c.last().status != attemptUnderWay
	if to == "completed" {
		if last := c.last(); last != nil &&
			slices.Contains([]string{attemptDeclined, attemptVoided, attemptLost}, last.status) {
			last.listed = true
		}
		return
	}
	for _, a := range c.attempts {
		if a.status == attemptCharged && to != "appeal" {
			a.status = attemptTakenBack
		}
	}
}
