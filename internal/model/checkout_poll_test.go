package model_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/acquirer"
)

const (
	// modelAsked is after how long an attempt has surely been asked about again: a call has its
	// answer or will never have one after 15 s, and a question is repeated at least as often.
	modelAsked = 16 * time.Second
	// modelRounds is in how many rounds everything has been asked about.
	modelRounds = 60
)

// decideCharge has the bank decide about a charge it thinks about, or ask for a code.
func (w *modelWalk) decideCharge(s modelStep) error {
	p := w.someCheckout(s, func(p *modelPayment) bool { return len(w.undecided(p)) > 0 })
	if p == nil {
		return nil
	}
	charges := w.undecided(p)
	if len(charges) == 0 {
		return nil
	}
	c := pickModel(charges, s.n[1])
	outcome := pickModel(
		[]string{
			"approves",
			"approves",
			"approves",
			"asks for a code",
			"asks for a code",
			"asks for a code",
			"declines",
			"declines",
			"approves for good",
			"undoes",
		},
		s.n[2],
	)
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
		c.state, c.reason = acquirer.Declined, pickModel(
			[]string{acquirer.CardDeclined, acquirer.InsufficientFunds},
			s.n[3],
		)
	case "undoes":
		c.state = acquirer.Voided
	}
	return nil
}

// undecided are a payment's charges that the bank has yet to decide about.
func (w *modelWalk) undecided(p *modelPayment) []*modelCharge {
	var list []*modelCharge
	for _, a := range p.checkout.attempts {
		if c := w.bank.charges[a.id]; c != nil && c.undecided() {
			list = append(list, c)
		}
	}
	return list
}

// poll lets time pass and the bank be asked: mostly until it was asked about everything that is not
// settled. One time in six two replicas ask at once, and now and then the line is cut.
func (w *modelWalk) poll(s modelStep) error {
	pause := pickModel([]time.Duration{0, time.Second, 3 * time.Second, modelAsked, modelAsked, modelAsked}, s.n[0])
	line := cutBy(s.n[1])
	w.tell("polled", pause, " line ", line)
	if pause == modelAsked && line == lineWhole {
		return w.askAll(pickModel([]int{1, 1, 1, 1, 1, 2}, s.n[2]))
	}
	w.pass(pause)
	_, err := w.askBank(line, 1)
	return err
}

// pause lets the time pass after which a payment's code may be sent again, or nearly.
func (w *modelWalk) pause(s modelStep) error {
	by := modelResendPause
	if s.n[0]%4 == 0 {
		by -= time.Millisecond
	}
	w.tell("paused", by)
	w.pass(by)
	return nil
}

func (w *modelWalk) pass(by time.Duration) {
	w.clock.Advance(by)
	w.model.now = w.clock.Now()
}

// askAll lets as much time pass as it takes for the bank to be asked about every attempt that is
// not settled.
func (w *modelWalk) askAll(replicas int) error {
	open := w.model.unsettled()
	for range modelRounds {
		w.pass(modelAsked)
		asked, err := w.askBank(lineWhole, replicas)
		if err != nil {
			return err
		}
		open = slices.DeleteFunc(open, func(a *modelAttempt) bool { return asked[a.id] || a.rested })
		if len(open) == 0 {
			return nil
		}
	}
	return fmt.Errorf("%s: nobody asks about attempt %s", open[0].payment.origin(), open[0].id)
}

// askBank has the gateway ask the bank, and wants the questions to be the right ones.
func (w *modelWalk) askBank(line modelLine, replicas int) (map[uuid.UUID]bool, error) {
	w.bank.cut(line)
	errs := make([]error, replicas)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = w.checkouts.Poll(w.ctx) })
	}
	wg.Wait()
	calls := w.bank.called()
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("poll: %w", err)
	}
	asked := map[uuid.UUID]bool{}
	if err := w.judgeQuestions(calls); err != nil {
		return nil, err
	}
	for _, call := range calls {
		asked[call.id] = true
	}
	return asked, w.hearAll(calls)
}

// hearAll has the model hear all the answers.
func (w *modelWalk) hearAll(calls []modelBankCall) error {
	for _, call := range calls {
		if !call.heard || call.question == askedResend {
			continue
		}
		if err := w.hearBank(call); err != nil {
			return err
		}
	}
	return nil
}

// rest: of a charge that the bank has not decided about for long, while its payment was completed
// on somebody's word, the gateway may stop asking. Whether it has the database tells.
func (w *modelWalk) rest(a *modelAttempt, answer acquirer.Answer) error {
	if !a.restable(w.model.now) || answer.State != acquirer.Pending && answer.State != acquirer.CodeNeeded {
		return nil
	}
	var status string
	err := w.check.QueryRow(w.ctx, "select status from card_attempt where merchant_id = $1 and id = $2::text::uuid",
		a.payment.merchantID, a.id.String()).Scan(&status)
	if status == "approved" {
		w.tell("attempt rests", a.payment.origin())
		a.status, a.rested = attemptCharged, true
	}
	return err
}

// judgeQuestions wants the bank asked to undo what must not stand, and nothing else: of the others
// it is asked how they stand, and to undo those it never heard of. It knows of the resends by then.
func (w *modelWalk) judgeQuestions(calls []modelBankCall) error {
	unknown := map[uuid.UUID]bool{}
	for _, call := range calls {
		a := w.model.attempts[call.id]
		if a == nil {
			return fmt.Errorf("the bank is asked about attempt %s, which nobody began", call.id)
		}
		p := a.payment
		undo := a.status == attemptTakenBack || p.status == "failed" || p.status == "cancelled"
		settled := a.status != attemptTakenBack && a.status != attemptUnderWay
		switch known := unknown[call.id]; {
		case settled:
			return fmt.Errorf(
				"%s: attempt %s is %s and the bank is asked %q",
				p.origin(),
				a.id,
				a.status,
				call.question,
			)
		case call.question == askedVoid && !undo && !known, call.question == askedResult && undo:
			return fmt.Errorf(
				"%s: %s and attempt %s %s: the bank is asked %q",
				p.origin(),
				p.status,
				a.id,
				a.status,
				call.question,
			)
		case call.question == askedVoid:
			delete(unknown, call.id)
		case call.question == askedResult && call.heard && call.answer.State == acquirer.Unknown:
			unknown[call.id] = true
		case call.question == askedResult && call.heard && !w.toldOfResends(a):
			return fmt.Errorf("%s: the bank was not told of resend %d", p.origin(), p.checkout.resends)
		}
	}
	for id := range unknown {
		return fmt.Errorf("attempt %s never arrived, and is not undone", id)
	}
	return nil
}

func (w *modelWalk) toldOfResends(a *modelAttempt) bool {
	c := a.payment.checkout
	return a != c.last() || c.resends == a.resent || int(w.bank.charges[a.id].resends) == c.resends
}
