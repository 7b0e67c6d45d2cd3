package model_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
)

// modelEnder is somebody who wants to end a card payment at the same moment as its acquirer.
type modelEnder struct {
	who  string
	call func() error
	// refusal is what they are told, as things stand in the model.
	refusal func() string
	apply   func()
}

// enders are who can end a pending payment of their own accord.
func (w *modelWalk) enders(p *modelPayment) []modelEnder {
	trader := p.requisite.trader.Caller
	over := func(code string, isOver func() bool) func() string {
		return func() string {
			if isOver() {
				return code
			}
			return ""
		}
	}
	ended := over("payment_not_pending", func() bool { return p.status != "pending" })
	move := func(to, actor string) func() { return func() { w.model.move(p, to, actor, nil, nil) } }
	return []modelEnder{
		{
			who:     "payer",
			refusal: over("checkout_closed", func() bool { return p.closed(w.model.now) }),
			apply:   move("cancelled", "payer"),
			call:    func() error { return errOf(w.checkouts.Cancel(w.ctx, w.linkOf(p))) },
		},
		{
			who: "trader's no", refusal: ended, apply: move("cancelled", trader.Actor()),
			call: func() error { return errOf(w.service.Cancel(w.ctx, trader, p.id, nil)) },
		},
		{
			who: "trader's yes", refusal: ended, apply: move("completed", trader.Actor()),
			call: func() error { return errOf(w.service.Confirm(w.ctx, trader, p.id)) },
		},
	}
}

// duelBank has the bank's word on a charge come at the same moment as somebody else ends the
// payment, or as the application says that one is completed whose charge is to be undone.
func (w *modelWalk) duelBank(s modelStep) error {
	p := w.someCheckout(s, func(p *modelPayment) bool {
		last := p.checkout.last()
		return last != nil &&
			(last.status == attemptTakenBack || last.status == attemptUnderWay && len(w.undecided(p)) > 0)
	})
	if p == nil || p.checkout.last() == nil {
		return nil
	}
	last := p.checkout.last()
	charge := w.bank.charges[last.id]
	switch {
	case charge == nil, last.status != attemptUnderWay && last.status != attemptTakenBack:
		return nil
	case p.status == "failed" || p.status == "cancelled":
		if charge.final {
			return nil // who comes first decides whether it is an operator's
		}
		return w.duelWord(s, p)
	case p.status != "pending", last.status == attemptTakenBack:
		return nil
	case s.n[2]%5 < 2:
		return w.duelClock(s, p, charge)
	}
	if charge.undecided() {
		charge.state = acquirer.Approved
		if s.n[3]%3 > 0 { // after a declined card another could be tried, which is more to judge
			charge.state, charge.reason = acquirer.Declined, acquirer.CardDeclined
		}
	}
	w.pass(modelAsked)
	ender := pickModel(w.enders(p), s.n[1])
	ended, polled := w.whilePolling(pickModel(pollMoments, s.n[4]), ender.call)
	w.tell("bank against "+ender.who+" "+wonOrLost(ended), p.origin(), " ", charge.state)
	calls := w.bank.called()
	declined, err := w.declinedBefore(p)
	if err == nil && declined && ended == nil {
		w.tell("bank declined before "+ender.who, p.origin())
		err = w.hearAll(calls)
		calls = nil
	}
	return errors.Join(polled, err, w.judgeEnder(ender, ended, w.hearAllOf(calls)))
}

// declinedBefore reports whether a card was declined that the model does not know of yet, while its
// payment was pending: another could have been tried, so that somebody else could still end it.
func (w *modelWalk) declinedBefore(p *modelPayment) (before bool, err error) {
	err = w.check.QueryRow(w.ctx, "select declined > $3 from checkout where merchant_id = $1 and payment_id = $2",
		p.merchantID, p.id, p.checkout.declined).Scan(&before)
	return before, err
}

// A pollMoment is when a call is made that races with a poll of the bank.
type pollMoment int

const (
	withPoll     pollMoment = iota // at the same moment as the poll begins
	onceAsked                      // as soon as the bank has had a question
	onceAnswered                   // after the poll, so that the bank surely comes first
)

// The first two mostly have the other come first.
var pollMoments = []pollMoment{withPoll, onceAsked, onceAnswered, onceAnswered}

// whilePolling makes a call while the bank is asked.
func (w *modelWalk) whilePolling(when pollMoment, call func() error) (called, polled error) {
	var wg sync.WaitGroup
	done := make(chan struct{})
	wg.Go(func() {
		defer close(done)
		polled = w.checkouts.Poll(w.ctx)
	})
	wg.Go(func() {
		for when != withPoll && !closed(done) && (when == onceAnswered || !w.bank.busy()) {
			runtime.Gosched()
		}
		called = call()
	})
	wg.Wait()
	return called, polled
}

func closed(done chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func wonOrLost(err error) string {
	if err == nil {
		return "lost"
	}
	return "won"
}

func (w *modelWalk) hearAllOf(calls []modelBankCall) modelPart {
	return func() error { return w.hearAll(calls) }
}

// judgeEnder: who got through came first, and the others' part comes after theirs; who was refused
// came after it.
func (w *modelWalk) judgeEnder(e modelEnder, err error, others modelPart) error {
	if err == nil {
		if refusal := e.refusal(); refusal != "" {
			return fmt.Errorf("%s gets through, who should be refused as %q", e.who, refusal)
		}
		e.apply()
		return others()
	}
	if wrong := others(); wrong != nil {
		return wrong
	}
	return errUnlessCode(err, e.refusal())
}

// duelClock has the bank's approval come at the very instant at which the payment expires. What
// else is news at the bank is heard before, so that all other payments that expire do so whatever
// comes first.
func (w *modelWalk) duelClock(s modelStep, p *modelPayment, charge *modelCharge) error {
	if err := w.askAll(1); err != nil || p.status != "pending" {
		return err
	}
	if charge.undecided() {
		charge.state = acquirer.Approved
	}
	w.pass(max(p.expires.Sub(w.model.now), modelAsked))
	due := w.model.expired()
	for _, other := range due {
		w.touch(other)
	}
	var count int
	expire := func() error {
		n, err := w.service.Expire(w.ctx)
		count += n
		return err
	}
	when := withPoll
	if s.n[4]%6 == 0 {
		when = onceAsked
	}
	expired, polled := w.whilePolling(when, expire)
	expired = errors.Join(expired, expire()) // the first passed by what the poll was just changing
	status := ""
	err := w.check.QueryRow(w.ctx, "select status from payment where merchant_id = $1 and id = $2", p.merchantID, p.id).
		Scan(&status)
	if err := errors.Join(expired, polled, err); err != nil {
		return err
	}
	calls := w.bank.called()
	bankFirst := status == "completed"
	w.tell("bank against clock "+map[bool]string{true: "won", false: "lost"}[bankFirst], p.origin())
	if bankFirst {
		own := func(c modelBankCall) bool { return w.model.attempts[c.id].payment == p }
		if err := w.hearAll(
			slices.DeleteFunc(slices.Clone(calls), func(c modelBankCall) bool { return !own(c) }),
		); err != nil {
			return err
		}
		calls = slices.DeleteFunc(calls, own)
		due = slices.DeleteFunc(due, func(other *modelPayment) bool { return other == p })
	}
	if count != len(due) {
		return fmt.Errorf("expired %d, not %d", count, len(due))
	}
	for _, other := range due {
		w.model.expire(other)
	}
	return w.hearAll(calls)
}

// duelWord has the application say that a payment is completed while its charge is about to be
// undone. It is completed in either case; and undone in either order, the charge is an operator's.
func (w *modelWalk) duelWord(s modelStep, p *modelPayment) error {
	w.pass(modelAsked)
	application := caller.Caller{Kind: caller.Application}
	moved, polled := w.whilePolling(pickModel(pollMoments, s.n[4]), func() error {
		_, _, err := w.service.UpdateStatus(w.ctx, application, p.id, payment.Update{Status: "completed"})
		return err
	})
	w.tell("bank against application", p.origin())
	w.model.move(p, "completed", "application", nil, nil)
	return errors.Join(moved, polled, w.hearAll(w.bank.called()))
}

// duelCard has a payer enter an approved card, or give the right code, at the same moment as
// somebody ends the payment.
func (w *modelWalk) duelCard(s modelStep) error {
	p := w.someCheckout(s, w.inPhases(phaseDetails, phaseCode))
	if p == nil {
		return nil
	}
	entered := modelCard{pickModel(pansApproved, s.n[2]), ""}
	call := func() error { return errOf(w.checkouts.SubmitDetails(w.ctx, w.linkOf(p), entered.details())) }
	parts := func(calls []modelBankCall) []modelPart { return w.entering(p, entered, calls) }
	what, want := "card", p.refusePayer(w.model.now, phaseDetails)
	if p.phaseShown() != phaseDetails {
		call = func() error { return errOf(w.checkouts.SubmitCode(w.ctx, w.linkOf(p), codeRight)) }
		parts = func(calls []modelBankCall) []modelPart { return w.coding(p, calls) }
		what, want = "code", p.refusePayer(w.model.now, phaseBank, phaseCode)
	}
	ender := pickModel(w.enders(p), s.n[1])
	var called, ended error
	var wg sync.WaitGroup
	wg.Go(func() { called = call() })
	wg.Go(func() { ended = ender.call() })
	wg.Wait()
	w.tell(what+" against "+ender.who, p.origin(), fmt.Sprint(" ", codeOf(called), " ", codeOf(ended)))
	if want != "" {
		return errors.Join(errUnlessOneOf(called, want, "checkout_closed"),
			w.judgeEnder(ender, ended, func() error { return nil }))
	}
	if called != nil {
		return errors.Join(errUnlessCode(called, "checkout_closed"), ended,
			w.judgeEnder(ender, ended, func() error { return nil }))
	}
	// The card was on its way before the payment ended; its answer came after that if anybody else
	// ended it.
	all := parts(w.bank.called())
	if err := all[0](); err != nil {
		return err
	}
	declined, err := w.declinedBefore(p)
	if err == nil && declined && ended == nil {
		w.tell("bank declined before "+ender.who, p.origin())
		err = playParts(all[1:])
		all = all[:1]
	}
	return errors.Join(err, w.judgeEnder(ender, ended, func() error { return playParts(all[1:]) }))
}

func errUnlessOneOf(err error, codes ...string) error {
	if f := fault.As(err); f != nil && slices.Contains(codes, f.Code) {
		return nil
	}
	return fmt.Errorf("answers %q (%w), not one of %q", codeOf(err), orNone(err), codes)
}

// enterBoth has two cards entered at once: the first is taken, and the other as things stand after
// it.
func (w *modelWalk) enterBoth(s modelStep) error {
	p := w.someCheckout(s, w.inPhases(phaseDetails))
	if p == nil {
		return nil
	}
	cards := []modelCard{{pickModel(modelPANs, s.n[1]), "ANNA B"}, {pansApproved[0], ""}}
	if cards[0].pan == cards[1].pan {
		cards[1].pan = pansApproved[1]
	}
	want := p.refusePayer(w.model.now, phaseDetails)
	_, errs := atOnce(len(cards), func(i int) (checkout.View, error) {
		return w.checkouts.SubmitDetails(context.WithoutCancel(w.ctx), w.linkOf(p), cards[i].details())
	})
	w.tell("card entered twice", p.origin())
	calls := w.bank.called()
	taken := 0
	for _, call := range calls {
		if wrong := p.refusePayer(w.model.now, phaseDetails); wrong != "" {
			return fmt.Errorf("%s: a card is taken that is to be refused as %q", p.origin(), wrong)
		}
		i := slices.IndexFunc(cards, func(c modelCard) bool { return c.pan == w.bank.charges[call.id].pan })
		taken++
		if err := playParts(w.entering(p, cards[i], []modelBankCall{call})); err != nil || errs[i] != nil {
			return errors.Join(err, errs[i])
		}
	}
	if want == "" && taken == 0 {
		return fmt.Errorf("%s: neither of two cards is taken: %w", p.origin(), errors.Join(errs...))
	}
	for _, err := range errs {
		if err == nil {
			taken--
		} else if wrong := errUnlessOneOf(err, "checkout_wrong_step", "checkout_closed"); wrong != nil {
			return wrong
		}
	}
	if taken != 0 {
		return fmt.Errorf("%s: %d cards charged without an answer", p.origin(), taken)
	}
	return nil
}
