package model_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/checkout"
	"gateway.example/internal/fault"
)

// A call of a checkout has parts, each of which happens wholly or not at all.

// modelPart is a part of a call that happens wholly or not at all.
type modelPart func()

func playParts(parts []modelPart) {
	for _, part := range parts {
		part()
	}
}

// entering are the parts of entering a card: it is committed that the bank is
// about to be called, and then its answer.
func (w *modelWalk) entering(p *modelPayment, entered modelCard, calls []modelBankCall) []modelPart {
	begin := func() {
		id := w.attemptBegun(p, calls)
		w.tell("card entered", p.origin(), " ", id, " ending in ", entered.pan[12:])
		w.model.enterCard(p, id, entered, w.now.id)
	}
	return append([]modelPart{begin}, w.hearing(calls)...)
}

// attemptBegun is the id of the attempt just begun: what the bank was told, or
// what was written down for it.
func (w *modelWalk) attemptBegun(p *modelPayment, calls []modelBankCall) (id uuid.UUID) {
	if len(calls) > 0 {
		id = calls[0].id
	} else {
		must(w.check.QueryRow(w.ctx, "select attempt_id from checkout where merchant_id = $1 and payment_id = $2",
			p.merchantID, p.id).Scan((*[16]byte)(&id)))
	}
	if w.model.attempts[id] != nil {
		fail("%s: attempt %s is begun again", p.origin(), id)
	}
	return id
}

// hearing are the answers of the bank that were heard, each a part of its own.
func (w *modelWalk) hearing(calls []modelBankCall) []modelPart {
	var parts []modelPart
	for _, call := range calls {
		if !call.heard {
			w.tell("line cut", call.question)
			continue
		}
		parts = append(parts, func() { w.hearBank(call) })
	}
	return parts
}

// hearBank has the model hear an answer, and tells what came of it.
func (w *modelWalk) hearBank(call modelBankCall) {
	a := w.model.attempts[call.id]
	if a == nil {
		fail("the bank is called about attempt %s, which nobody began", call.id)
	}
	p, before := a.payment, a.status
	w.touch(p)
	from, rejected, declined, lost := p.status, p.checkout.rejected, p.checkout.declined, p.checkout.lastError
	w.model.hear(a, call.answer, call.question)
	switch last := p.checkout.lastError; {
	case p.status != from && p.reason != nil:
		w.tell("bank "+from+"-"+p.status+" "+*p.reason, p.origin())
	case p.status != from:
		w.tell("bank "+from+"-"+p.status, p.origin())
	case p.checkout.rejected > rejected:
		w.tell("code rejected", p.origin())
	case p.checkout.declined > declined:
		w.tell("card declined", p.origin(), ", another may be tried")
	case a.status != before:
		w.tell("attempt "+a.status, p.origin(), " ", p.status)
	case last != nil && last != lost:
		w.tell("code lost", p.origin())
	}
}

// cutShort judges a call in the middle of which something went wrong: of its
// parts the first so many happened, each wholly. Which did the database tells;
// whether it has them right is compared afterwards.
func (w *modelWalk) cutShort(i *injury, p *modelPayment, view checkout.View, err error, parts ...modelPart) {
	must(i.failed)
	played := 0
	for played < len(parts) && w.ahead(p) {
		parts[played]()
		played++
	}
	switch {
	case played == 0 && err == nil:
		fail("%s: succeeded although it was cut short", p.origin())
	case i.lost() && err != nil && !errors.Is(err, fault.ErrOutcomeUnknown):
		wantUnknown(err)
	case i.lost():
		w.tell("lost " + w.now.op)
	case played == 0:
		w.tell("aborted "+w.now.op, i.kind, " at ", i.seen)
	default:
		w.tell("cut short "+w.now.op, played, " of ", len(parts), " parts")
	}
	if err == nil && view.Payment.ID > 0 {
		w.sameView(p, view)
	}
}

// ahead reports whether something has happened to a card payment in the
// database that has not yet in the model.
func (w *modelWalk) ahead(p *modelPayment) bool {
	var phase, found string
	must(w.check.QueryRow(w.ctx, `
		select coalesce(case when p.status <> 'pending' or not c.attempt_over then c.phase end, 'awaiting_payer_details'),
			format('%s %s %s %s %s %s', p.event_sequence, coalesce(c.code_asked, false)::text,
			coalesce(c.codes_rejected, 0), coalesce(c.resends, 0), coalesce('"' || c.last_error || '"', 'null'),
			(select count(*) from card_attempt a where a.merchant_id = p.merchant_id and a.payment_id = p.id))
		from payment p left join checkout c on c.merchant_id = p.merchant_id and c.payment_id = p.id
		where p.merchant_id = $1 and p.id = $2`, p.merchantID, p.id).Scan(&phase, &found))
	c := p.checkout
	same := found == fmt.Sprintf("%d %t %d %d %s %d", len(p.events), c.asked, c.rejected, c.resends, said(c.lastError),
		len(c.attempts))
	return !same || phase != p.wantPhase(phase)
}

// coding are the parts of giving a code.
func (w *modelWalk) coding(p *modelPayment, calls []modelBankCall) []modelPart {
	begin := func() {
		w.tell("code given", p.origin(), " in ", p.checkout.phase)
		p.checkout.giveCode()
	}
	return append([]modelPart{begin}, w.hearing(calls)...)
}

// steppedView judges a step of one part that answers with a view.
func (w *modelWalk) steppedView(
	p *modelPayment, i *injury, view checkout.View, err error, want string, part modelPart,
) {
	switch {
	case i.fired && want != "":
		w.cutShort(i, p, view, err)
	case i.fired:
		w.cutShort(i, p, view, err, part)
	case want != "":
		w.tell(w.now.op+" "+want, p.origin())
		wantCode(err, want)
	default:
		must(err)
		if part(); view.Payment.ID > 0 {
			w.sameView(p, view)
		}
	}
}

// sameView compares what a payer is shown with the model.
func (w *modelWalk) sameView(p *modelPayment, v checkout.View) {
	c, last4 := p.checkout, ""
	if v.Card != nil {
		last4 = v.Card.Last4
	}
	p.same(v.Payment)
	sameFields("the view of "+p.origin().String(), []modelField{
		{"phase", v.Phase, p.wantPhase(string(v.Phase))}, {"lastError", v.LastError, c.lastError},
		{"attemptsLeft", v.ResendsLeft(), modelResends - c.resends}, {"cards left", v.CardsLeft, p.cardsLeft()},
		{"isTerminal", v.Terminal, p.status != "pending"}, {"cardLast4", last4, c.last4},
	})
}

// What an acquirer says, taken in: the package comment of internal/checkout,
// "Who wins".

// conflict ends an attempt as an operator's to look into.
func (a *modelAttempt) conflict() { a.status, a.listed = attemptConflict, true }

// hear takes in an answer of an acquirer: voided is whether it was to undo the
// attempt, inquired whether it was asked how it stands. To a card or a code it
// was just given it answers neither.
func (m *gatewayModel) hear(a *modelAttempt, answer acquirer.Answer, question string) {
	a.heard = a.heard || answer.State == acquirer.Pending || answer.State == acquirer.CodeNeeded ||
		answer.State == acquirer.Approved
	switch status := a.payment.status; {
	case a.status == attemptTakenBack:
		a.hearUnpaid(answer, question)
		// The money is gone back, or never came, although somebody
		// completed the payment once more.
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
		if question != askedVoid && a.heard { // undone without our asking
			m.decline(a, acquirer.CardDeclined)
			return
		}
		a.status = attemptLost
		c := p.checkout
		c.phase, c.lastError, c.sealed = phaseDetails, new("acquirer_unavailable"), false
	case acquirer.Pending, acquirer.CodeNeeded:
		m.hearUndecided(a, answer, question)
	case acquirer.Unknown: // it is told to see that the attempt never begins
	}
}

// decline: the last card that may be tried fails its payment when it is
// declined. After any other the payment waits for the next, and no more is kept
// of the card than what is shown of it.
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

// hearUndecided: a code that never arrived is typed again; each time the
// acquirer asks for a code the payer is asked once, and asked after a code,
// that one was wrong.
func (m *gatewayModel) hearUndecided(a *modelAttempt, answer acquirer.Answer, question string) {
	c := a.payment.checkout
	missing := a.handing && answer.Codes < a.sent
	a.handing = missing && question != askedResult
	if answer.State == acquirer.CodeNeeded && answer.Codes > a.followed {
		if !missing && answer.Codes == 0 {
			c.askForCode()
		}
		if !missing && answer.Codes > 0 {
			c.askForCode()
			c.lastError = new("code_rejected")
			if c.rejected++; c.rejected >= modelWrongCodes {
				m.move(a.payment, "failed", "acquirer", new("code_rejected"), nil)
			}
		}
		a.followed = answer.Codes
	}
	if missing && question == askedResult {
		c.phase, c.lastError = phaseCode, new("acquirer_unavailable")
	}
}

// hearStanding: the payment was completed on somebody's word, to which the
// acquirer must come too, or is under appeal, which decides nothing.
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

// hearUnpaid: the payment ended without money, or was taken back. What stands
// is undone; what cannot be is an operator's.
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

// seldom: the payment was completed on somebody's word so long ago that the
// acquirer is asked now and then only.
func (a *modelAttempt) seldom(now time.Time) bool {
	standing := a.payment.status == "completed" || a.payment.status == "appeal"
	return a.status == attemptUnderWay && standing && now.After(a.begun.Add(modelRests))
}

// unsettled are the attempts of which an acquirer has yet to be asked something
// soon.
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

// enterLate has a payer enter a card that is long on its way, to the bank or
// back from it: meanwhile somebody may end the payment, and the bank is asked
// how the attempt stands. What it says then holds, whatever comes late.
func (w *modelWalk) enterLate(s modelStep, p *modelPayment) {
	if p.refusePayer(w.model.now, phaseDetails) != "" {
		return
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
		fail("%s: a card does not come to the bank: %w", p.origin(), orNone(err))
	}
	w.tell(map[bool]string{true: "card late", false: "answer late"}[delay.before], p.origin())
	calls := w.bank.called()
	meanwhile := caught(func() { w.whileOnItsWay(s, p, w.entering(p, entered, calls)[0]) })
	close(delay.free)
	<-done
	must(meanwhile, err)
	playParts(w.hearing(append(calls, w.bank.called()...)))
	w.sameView(p, view)
}

// whileOnItsWay is what happens while a card just entered is on its way.
func (w *modelWalk) whileOnItsWay(s modelStep, p *modelPayment, begin modelPart) {
	begin()
	if enders := w.enders(p); s.n[4]%6 < len(enders) {
		ender := enders[s.n[4]%6]
		ender.judge(ender.call())
	}
	w.pass(modelAsked)
	w.askBank(lineWhole, 1)
}
