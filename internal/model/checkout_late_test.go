package model_test

import (
	"errors"
	"fmt"

	"gateway.example/internal/checkout"
)

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
	_, err := w.askBank(lineWhole, 1)
	return err
}
