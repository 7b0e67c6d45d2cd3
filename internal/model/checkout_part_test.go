package model_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/checkout"
	"gateway.example/internal/fault"
)

// A call of a checkout has parts, each of which happens wholly or not at all.

func errUnlessSilent(calls []modelBankCall) error {
	if len(calls) > 0 {
		return fmt.Errorf("the bank is called though nothing came of it: %+v", calls)
	}
	return nil
}

// modelPart is a part of a call that happens wholly or not at all.
type modelPart func() error

func playParts(parts []modelPart) error {
	for _, part := range parts {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// entering are the parts of entering a card: it is committed that the bank is about to be called,
// and then its answer.
func (w *modelWalk) entering(p *modelPayment, entered modelCard, calls []modelBankCall) []modelPart {
	begin := func() error {
		id, err := w.attemptBegun(p, calls)
		if err != nil {
			return err
		}
		w.tell("card entered", p.origin(), " ", id, " ending in ", entered.pan[12:])
		w.model.enterCard(p, id, entered, w.now.id)
		return nil
	}
	return append([]modelPart{begin}, w.hearing(calls)...)
}

// attemptBegun is the id of the attempt just begun: what the bank was told, or what was written
// down for it.
func (w *modelWalk) attemptBegun(p *modelPayment, calls []modelBankCall) (id uuid.UUID, err error) {
	if len(calls) > 0 {
		id = calls[0].id
	} else {
		err = w.check.QueryRow(w.ctx, "select attempt_id::text from checkout where merchant_id = $1 and payment_id = $2",
			p.merchantID, p.id).
			Scan(textOf(&id))
	}
	if w.model.attempts[id] != nil {
		err = fmt.Errorf("%s: attempt %s is begun again", p.origin(), id)
	}
	return id, err
}

// hearing are the answers of the bank that were heard, each a part of its own.
func (w *modelWalk) hearing(calls []modelBankCall) []modelPart {
	var parts []modelPart
	for _, call := range calls {
		if !call.heard {
			w.tell("line cut", call.question)
			continue
		}
		parts = append(parts, func() error { return w.hearBank(call) })
	}
	return parts
}

// hearBank has the model hear an answer, and tells what came of it.
func (w *modelWalk) hearBank(call modelBankCall) error {
	a := w.model.attempts[call.id]
	if a == nil {
		return fmt.Errorf("the bank is called about attempt %s, which nobody began", call.id)
	}
	p, before := a.payment, a.status
	w.touch(p)
	from, rejected, declined, lost := p.status, p.checkout.rejected, p.checkout.declined, p.checkout.lastError
	w.model.hear(a, call.answer, call.question)
	switch last := p.checkout.lastError; {
	case p.status != from:
		w.tell(strings.TrimSpace("bank "+from+"-"+p.status+" "+orEmpty(p.reason)), p.origin())
	case p.checkout.rejected > rejected:
		w.tell("code rejected", p.origin())
	case p.checkout.declined > declined:
		w.tell("card declined, another may be tried", p.origin())
	case a.status != before:
		w.tell("attempt "+a.status, p.origin(), " ", p.status)
	case last != nil && last != lost:
		w.tell("code lost", p.origin())
	}
	return nil
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// cutShort judges a call in the middle of which something went wrong: of its parts the first so
// many happened, each wholly. Which did the database tells; whether it has them right is compared
// afterwards.
func (w *modelWalk) cutShort(i *injury, p *modelPayment, view checkout.View, err error, parts ...modelPart) error {
	if i.failed != nil {
		return i.failed
	}
	played := 0
	for _, part := range parts {
		ahead, failed := w.ahead(p)
		if failed != nil {
			return failed
		}
		if !ahead {
			break
		}
		if failed := part(); failed != nil {
			return failed
		}
		played++
	}
	switch {
	case played == 0 && err == nil:
		return fmt.Errorf("%s: succeeded although it was cut short", p.origin())
	case i.lost() && err != nil && !errors.Is(err, fault.ErrOutcomeUnknown):
		return errUnlessUnknown(err)
	case i.lost():
		w.tell("lost " + w.now.op)
	case played == 0:
		w.tell("aborted "+w.now.op, i.kind, " at ", i.seen)
	default:
		w.tell("cut short "+w.now.op, played, " of ", len(parts), " parts")
	}
	if err == nil && view.Payment.ID > 0 {
		return w.sameView(p, view)
	}
	return nil
}

// ahead reports whether something has happened to a card payment in the database that has not yet
// in the model.
func (w *modelWalk) ahead(p *modelPayment) (bool, error) {
	var phase, found string
	err := w.check.QueryRow(w.ctx, `
		select case when p.status = 'pending' and c.attempt_over then 'awaiting_payer_details' else coalesce(c.phase, 'awaiting_payer_details') end,
			format('%s %s %s %s %s %s', p.event_sequence, coalesce(c.code_asked, false),
			coalesce(c.codes_rejected, 0), coalesce(c.resends, 0), coalesce(c.last_error, '-'),
			(select count(*) from card_attempt a where a.merchant_id = p.merchant_id and a.payment_id = p.id))
		from payment p left join checkout c on c.merchant_id = p.merchant_id and c.payment_id = p.id
		where p.merchant_id = $1 and p.id = $2`, p.merchantID, p.id).Scan(&phase, &found)
	c, last := p.checkout, "-"
	if c.lastError != nil {
		last = *c.lastError
	}
	asked := map[bool]string{false: "f", true: "t"}[c.asked]
	same := found == fmt.Sprint(len(p.events), " ", asked, " ", c.rejected, c.resends, " ", last, " ", len(c.attempts))
	return !same || phase != p.wantPhase(phase), err
}

// coding are the parts of giving a code.
func (w *modelWalk) coding(p *modelPayment, calls []modelBankCall) []modelPart {
	begin := func() error {
		w.tell("code given", p.origin(), " in ", p.checkout.phase)
		p.checkout.giveCode()
		return nil
	}
	return append([]modelPart{begin}, w.hearing(calls)...)
}

// steppedView judges a step of one part that answers with a view.
func (w *modelWalk) steppedView(
	p *modelPayment, i *injury, view checkout.View, err error, want string, part modelPart,
) error {
	switch {
	case i.fired && want != "":
		return w.cutShort(i, p, view, err)
	case i.fired:
		return w.cutShort(i, p, view, err, part)
	case want != "":
		w.tell(w.now.op+" "+want, p.origin())
		return errUnlessCode(err, want)
	case err != nil:
		return fmt.Errorf("%s: %w", p.origin(), err)
	}
	if err := part(); err != nil || view.Payment.ID == 0 {
		return err
	}
	return w.sameView(p, view)
}

// sameView compares what a payer is shown with the model.
func (w *modelWalk) sameView(p *modelPayment, v checkout.View) error {
	c, last4 := p.checkout, ""
	if v.Card != nil {
		last4 = v.Card.Last4
	}
	return errors.Join(w.same(p, v.Payment), sameFields("the view of "+p.origin().String(), []modelField{
		{"phase", string(v.Phase), p.wantPhase(string(v.Phase))},
		{"lastError", deref(v.LastError), deref(c.lastError)},
		{"attemptsLeft", strconv.Itoa(int(v.ResendsLeft())), strconv.Itoa(modelResends - c.resends)},
		{"cards left", strconv.Itoa(v.CardsLeft), strconv.Itoa(p.cardsLeft())},
		{"isTerminal", strconv.FormatBool(v.Terminal), strconv.FormatBool(p.status != "pending")},
		{"cardLast4", last4, c.last4},
	}))
}

// What an acquirer says, taken in: the package comment of internal/checkout, "Who wins".

// conflict ends an attempt as an operator's to look into.
func (a *modelAttempt) conflict() { a.status, a.listed = attemptConflict, true }

// hear takes in an answer of an acquirer: voided is whether it was to undo the attempt, inquired
// whether it was asked how it stands. To a card or a code it was just given it answers neither.
func (m *gatewayModel) hear(a *modelAttempt, answer acquirer.Answer, question string) {
	switch status := a.payment.status; {
	case a.status == attemptTakenBack:
		a.hearUnpaid(answer, question)
		// The money is gone back, or never came, although somebody completed the payment once more.
		if (a.status == attemptVoided || a.status == attemptDeclined) && status == "completed" &&
			a == a.payment.checkout.last() {
			a.conflict()
		}
	case a.status == attemptVoided || a.status == attemptDeclined || a.status == attemptLost:
		if answer.State == acquirer.Approved { // it took money of which nobody knows
			a.conflict()
		}
	case a.status != attemptUnderWay: // what has ended stays ended
	case status == "pending":
		m.hearPending(a, answer, question)
	case status == "completed" || status == "appeal":
		a.hearStanding(answer, status)
	default:
		a.hearUnpaid(answer, question)
	}
}

// hearPending: while the payment is pending its acquirer's word decides.
func (m *gatewayModel) hearPending(a *modelAttempt, answer acquirer.Answer, question string) {
	p := a.payment
	switch answer.State {
	case acquirer.Approved:
		a.status = attemptCharged
		m.move(p, "completed", "acquirer", nil, nil)
	case acquirer.Declined:
		m.decline(a, answer.Reason)
	case acquirer.Voided:
		if question != askedVoid { // undone without our asking
			m.decline(a, acquirer.CardDeclined)
			return
		}
		a.status = attemptLost
		c := p.checkout
		c.phase, c.lastError, c.sealed = phaseDetails, modelText("acquirer_unavailable"), false
	case acquirer.Pending, acquirer.CodeNeeded:
		m.hearUndecided(a, answer, question)
	case acquirer.Unknown: // it is told to see that the attempt never begins
	}
}

// decline: the last card that may be tried fails its payment when it is declined. After any other
// the payment waits for the next, and no more is kept of the card than what is shown of it.
func (m *gatewayModel) decline(a *modelAttempt, reason string) {
	a.status = attemptDeclined
	c := a.payment.checkout
	c.lastError = &reason
	if c.declined++; c.declined >= modelCards {
		m.move(a.payment, "failed", "acquirer", &reason, nil)
		return
	}
	c.phase, c.sealed = phaseDetails, false
}

// hearUndecided: a code that never arrived is typed again; each time the acquirer asks for a code
// the payer is asked once, and asked after a code, that one was wrong.
func (m *gatewayModel) hearUndecided(a *modelAttempt, answer acquirer.Answer, question string) {
	c := a.payment.checkout
	missing := a.handing && answer.Codes < a.sent
	a.handing = missing && question != askedResult
	if answer.State == acquirer.CodeNeeded && answer.Codes > a.followed {
		if !missing && answer.Codes == 0 {
			c.askForCode()
		}
		if !missing && answer.Codes > 0 {
			m.rejectCode(a.payment)
		}
		a.followed = answer.Codes
	}
	if missing && question == askedResult {
		c.phase, c.lastError = phaseCode, modelText("acquirer_unavailable")
	}
}

func (m *gatewayModel) rejectCode(p *modelPayment) {
	c := p.checkout
	c.askForCode()
	c.rejected++
	c.lastError = modelText("code_rejected")
	if c.rejected >= modelWrongCodes {
		m.move(p, "failed", "acquirer", modelText("code_rejected"), nil)
	}
}

// hearStanding: the payment was completed on somebody's word, to which the acquirer must come too,
// or is under appeal, which decides nothing.
func (a *modelAttempt) hearStanding(answer acquirer.Answer, status string) {
	switch answer.State {
	case acquirer.Approved:
		a.status = attemptCharged
	case acquirer.Declined, acquirer.Voided:
		if a.status = attemptVoided; status == "completed" {
			a.conflict()
		}
	case acquirer.Pending, acquirer.CodeNeeded, acquirer.Unknown:
	}
}

// hearUnpaid: the payment ended without money, or was taken back. What stands is undone; what
// cannot be is an operator's.
func (a *modelAttempt) hearUnpaid(answer acquirer.Answer, question string) {
	switch {
	case answer.State == acquirer.Declined:
		a.status = attemptDeclined
	case answer.State == acquirer.Voided:
		a.status = attemptVoided
	case answer.State == acquirer.Approved && question == askedVoid:
		a.conflict()
	}
}

// seldom: the payment was completed on somebody's word so long ago that the acquirer is asked now and
// then only.
func (a *modelAttempt) seldom(now time.Time) bool {
	standing := a.payment.status == "completed" || a.payment.status == "appeal"
	return a.status == attemptUnderWay && standing && now.After(a.begun.Add(modelRests))
}

// unsettled are the attempts of which an acquirer has yet to be asked something soon.
func (m *gatewayModel) unsettled() []*modelAttempt {
	var open []*modelAttempt
	for _, p := range m.byCard() {
		for _, a := range p.checkout.attempts {
			if (a.status == attemptUnderWay || a.status == attemptTakenBack) && !a.seldom(m.now) {
				open = append(open, a)
			}
		}
	}
	return open
}

// enterLate has a payer enter a card that is long on its way, to the bank or back from it:
// meanwhile somebody may end the payment, and the bank is asked how the attempt stands. What it
// says then holds, whatever comes late.
func (w *modelWalk) enterLate(s modelStep) error {
	p := w.someCheckout(s, w.inPhases(phaseDetails))
	if p == nil || p.refusePayer(w.model.now, phaseDetails) != "" {
		return nil
	}
	entered := w.cardOf(s)
	delay := w.bank.hold(s.n[3]%2 == 0)
	var view checkout.View
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		view, err = w.checkouts.SubmitDetails(w.ctx, w.linkOf(p), entered.details())
	}()
	select {
	case <-delay.here:
	case <-done:
		return fmt.Errorf("%s: a card does not come to the bank: %w", p.origin(), orNone(err))
	}
	w.tell(map[bool]string{true: "card late", false: "answer late"}[delay.before], p.origin())
	calls := w.bank.called()
	meanwhile := w.whileOnItsWay(s, p, w.entering(p, entered, calls)[0])
	close(delay.free)
	<-done
	if err := errors.Join(meanwhile, err); err != nil {
		return err
	}
	if err := playParts(w.hearing(append(calls, w.bank.called()...))); err != nil {
		return err
	}
	return w.sameView(p, view)
}

// whileOnItsWay is what happens while a card just entered is on its way.
func (w *modelWalk) whileOnItsWay(s modelStep, p *modelPayment, begin modelPart) error {
	if err := begin(); err != nil {
		return err
	}
	if enders := w.enders(p); s.n[4]%6 < len(enders) {
		ender := enders[s.n[4]%6]
		if err := w.judgeEnder(ender, ender.call(), func() error { return nil }); err != nil {
			return err
		}
	}
	w.pass(modelAsked)
	return errOf(w.askBank(lineWhole, 1))
}
