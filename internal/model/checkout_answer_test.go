package model_test

import (
	"time"

	"gateway.example/internal/acquirer"
)

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

// restable: the payment was completed on somebody's word so long ago that the acquirer need not be
// asked any more.
func (a *modelAttempt) restable(now time.Time) bool {
	standing := a.payment.status == "completed" || a.payment.status == "appeal"
	return a.status == attemptUnderWay && standing && now.After(a.begun.Add(modelRests))
}

// unsettled are the attempts of which an acquirer has yet to be asked something.
func (m *gatewayModel) unsettled() []*modelAttempt {
	var open []*modelAttempt
	for _, p := range m.payments {
		if p.checkout == nil {
			continue
		}
		for _, a := range p.checkout.attempts {
			if a.status == attemptUnderWay || a.status == attemptTakenBack {
				open = append(open, a)
			}
		}
	}
	return open
}
