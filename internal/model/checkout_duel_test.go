package model_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// modelEnder is somebody who wants to end a card payment at the same moment as
// its acquirer.
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
	ended := func() string { return unless(p.status == "pending", "payment_not_pending") }
	move := func(to, actor string) func() { return func() { w.model.move(p, to, actor, nil, nil) } }
	return []modelEnder{
		{
			who: "payer", apply: move("cancelled", "payer"),
			refusal: func() string { return unless(!p.closed(w.model.now), "checkout_closed") },
			call:    func() error { return testenv.ErrOf(w.checkouts.Cancel(w.ctx, w.linkOf(p))) },
		},
		{
			who: "trader's no", refusal: ended, apply: move("cancelled", trader.Actor()),
			call: func() error { return testenv.ErrOf(w.service.Cancel(w.ctx, trader, p.id, nil)) },
		},
		{
			who: "trader's yes", refusal: ended, apply: move("completed", trader.Actor()),
			call: func() error { return testenv.ErrOf(w.service.Confirm(w.ctx, trader, p.id)) },
		},
	}
}

// duelBank has the bank's word on a charge come at the same moment as somebody
// else ends the payment, or as the application says that one is completed whose
// charge is to be undone.
func (w *modelWalk) duelBank(s modelStep, p *modelPayment) {
	last := p.checkout.last()
	if last == nil {
		return
	}
	charge := w.bank.charges[last.id]
	switch {
	case charge == nil, last.status != attemptUnderWay && last.status != attemptTakenBack:
		return
	case p.status == "failed" || p.status == "cancelled":
		if !charge.final { // else who comes first decides whether it is an operator's
			w.duelWord(s, p)
		}
		return
	case p.status != "pending", last.status == attemptTakenBack:
		return
	case s.n[2]%5 < 2:
		w.duelClock(s, p, charge)
		return
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
	w.tell("bank against "+ender.who+" "+map[bool]string{true: "lost", false: "won"}[ended == nil], p.origin(), " ", charge.state)
	calls := w.bank.called()
	must(polled)
	hear := func() { w.hearAll(calls) }
	if ended == nil && w.declinedBefore(p) {
		w.tell("bank declined before "+ender.who, p.origin())
		hear()
		hear = func() {}
	}
	ender.judge(ended, hear)
}

// declinedBefore reports whether a card was declined that the model does not
// know of yet, while its payment was pending: another could have been tried, so
// that somebody else could still end it.
func (w *modelWalk) declinedBefore(p *modelPayment) (before bool) {
	must(w.check.QueryRow(w.ctx, "select declined > $3 from checkout where merchant_id = $1 and payment_id = $2",
		p.merchantID, p.id, p.checkout.declined).Scan(&before))
	return before
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

// judge: who got through came first, and the others' parts come after theirs;
// who was refused came after them.
func (e modelEnder) judge(err error, others ...modelPart) {
	if err == nil {
		if refusal := e.refusal(); refusal != "" {
			fail("%s gets through, who should be refused as %q", e.who, refusal)
		}
		e.apply()
		playParts(others)
		return
	}
	playParts(others)
	wantCode(err, e.refusal())
}

// duelClock has the bank's approval come at the very instant at which the
// payment expires. What else is news at the bank is heard before, so that all
// other payments that expire do so whatever comes first.
func (w *modelWalk) duelClock(s modelStep, p *modelPayment, charge *modelCharge) {
	if w.askAll(1); p.status != "pending" {
		return
	}
	if charge.undecided() {
		charge.state = acquirer.Approved
	}
	w.pass(max(p.expires.Sub(w.model.now), modelAsked))
	due := those(w.model.payments, w.model.expired)
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
	must(expired, polled, expire()) // the first passed by what the poll was just changing
	status := ""
	must(w.check.QueryRow(w.ctx, "select status from payment where merchant_id = $1 and id = $2", p.merchantID, p.id).
		Scan(&status))
	calls := w.bank.called()
	bankFirst := status == "completed"
	w.tell("bank against clock "+map[bool]string{true: "won", false: "lost"}[bankFirst], p.origin())
	if bankFirst {
		other := func(c modelBankCall) bool { return w.model.attempts[c.id].payment != p }
		w.hearAll(slices.DeleteFunc(slices.Clone(calls), other))
		calls = slices.DeleteFunc(calls, func(c modelBankCall) bool { return !other(c) })
		due = slices.DeleteFunc(due, func(other *modelPayment) bool { return other == p })
	}
	if count != len(due) {
		fail("expired %d, not %d", count, len(due))
	}
	for _, other := range due {
		w.model.expire(other)
	}
	w.hearAll(calls)
}

// duelWord has the application say that a payment is completed while its charge
// is about to be undone. It is completed in either case; and undone in either
// order, the charge is an operator's.
func (w *modelWalk) duelWord(s modelStep, p *modelPayment) {
	w.pass(modelAsked)
	moved, polled := w.whilePolling(pickModel(pollMoments, s.n[4]), func() error {
		_, _, err := w.service.UpdateStatus(w.ctx, modelApplication, p.id, payment.Update{Status: "completed"})
		return err
	})
	w.tell("bank against application", p.origin())
	w.model.move(p, "completed", "application", nil, nil)
	must(moved, polled)
	w.hearAll(w.bank.called())
}

// duelCard has a payer enter an approved card, or give the right code, at the
// same moment as somebody ends the payment.
func (w *modelWalk) duelCard(s modelStep, p *modelPayment) {
	entered := modelCard{pickModel(pansApproved, s.n[2]), ""}
	call := func() error { return testenv.ErrOf(w.checkouts.SubmitDetails(w.ctx, w.linkOf(p), entered.details())) }
	parts := func(calls []modelBankCall) []modelPart { return w.entering(p, entered, calls) }
	what, want := "card", p.refusePayer(w.model.now, phaseDetails)
	if p.phaseShown() != phaseDetails {
		call = func() error { return testenv.ErrOf(w.checkouts.SubmitCode(w.ctx, w.linkOf(p), codeRight)) }
		parts = func(calls []modelBankCall) []modelPart { return w.coding(p, calls) }
		what, want = "code", p.refusePayer(w.model.now, phaseBank, phaseCode)
	}
	ender := pickModel(w.enders(p), s.n[1])
	calls := []func() error{call, ender.call}
	errs := testenv.AtOnce(2, func(i int) error { return calls[i]() })
	called, ended := errs[0], errs[1]
	w.tell(what+" against "+ender.who, p.origin(), fmt.Sprint(" ", codeOf(called), " ", codeOf(ended)))
	if want != "" || called != nil {
		if wantCode(called, cmp.Or(want, "checkout_closed"), "checkout_closed"); want == "" {
			must(ended)
		}
		ender.judge(ended)
		return
	}
	// The card was on its way before the payment ended; its answer came
	// after that if anybody else ended it.
	all := parts(w.bank.called())
	all[0]()
	others := all[1:]
	if ended == nil && w.declinedBefore(p) {
		w.tell("bank declined before "+ender.who, p.origin())
		playParts(others)
		others = nil
	}
	ender.judge(ended, others...)
}

// enterBoth has two cards entered at once: the first is taken, and the other as
// things stand after it.
func (w *modelWalk) enterBoth(s modelStep, p *modelPayment) {
	cards := []modelCard{{pickModel(modelPANs, s.n[1]), "ANNA B"}, {pansApproved[0], ""}}
	if cards[0].pan == cards[1].pan {
		cards[1].pan = pansApproved[1]
	}
	want := p.refusePayer(w.model.now, phaseDetails)
	errs := testenv.AtOnce(len(cards), func(i int) error {
		return testenv.ErrOf(w.checkouts.SubmitDetails(context.WithoutCancel(w.ctx), w.linkOf(p), cards[i].details()))
	})
	w.tell("card entered twice", p.origin())
	taken := 0
	for _, call := range w.bank.called() {
		if wrong := p.refusePayer(w.model.now, phaseDetails); wrong != "" {
			fail("%s: a card is taken that is to be refused as %q", p.origin(), wrong)
		}
		i := slices.IndexFunc(cards, func(c modelCard) bool { return c.pan == w.bank.charges[call.id].pan })
		taken++
		playParts(w.entering(p, cards[i], []modelBankCall{call}))
		must(errs[i])
	}
	if want == "" && taken == 0 {
		fail("%s: neither of two cards is taken: %w", p.origin(), errors.Join(errs...))
	}
	for _, err := range errs {
		if err == nil {
			taken--
		} else {
			wantCode(err, "checkout_wrong_step", "checkout_closed")
		}
	}
	if taken != 0 {
		fail("%s: %d cards charged without an answer", p.origin(), taken)
	}
}
