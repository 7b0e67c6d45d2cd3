package model_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
)

// someCheckout picks a card payment, by preference one that is wanted, or nil where there is none
// yet.
func (w *modelWalk) someCheckout(s modelStep, wanted func(*modelPayment) bool) *modelPayment {
	var list []*modelPayment
	for _, p := range w.model.payments {
		if p.checkout != nil {
			list = append(list, p)
		}
	}
	p := pickRecord(w, s.n[0], list, wanted, func(p *modelPayment) int { return p.step })
	if p != nil {
		w.touch(p)
	}
	return p
}

// in phases wants an open checkout in one of these phases.
func (w *modelWalk) inPhases(phases ...string) func(*modelPayment) bool {
	return func(p *modelPayment) bool { return p.refusePayer(w.model.now, phases...) == "" }
}

func (w *modelWalk) linkOf(p *modelPayment) string { return w.links.Token(uuid.MustParse(p.uuid)) }

// modelPANs are the cards that payers have, as often as they stand here.
var modelPANs = slices.Concat(pansApproved, slices.Sorted(maps.Keys(pansDeclined)), []string{
	panFinal,
	panSlow,
	panCode,
	panCode,
	panCode,
	panCode,
	panCode,
	panCode,
	panPending,
	panPending,
	panPending,
	panPending,
	panPending,
})

func (w *modelWalk) cardOf(s modelStep) modelCard {
	return modelCard{pickModel(modelPANs, s.n[1]), pickModel([]string{"ANNA B", ""}, s.n[2])}
}

func (c modelCard) details() checkout.Details {
	return checkout.Details{
		Entry:   card.Entry{PAN: c.pan, ExpMonth: "12", ExpYear: "2099", Holder: c.holder},
		CVV:     "123",
		Address: "192.0.2.1",
	}
}

// cutBy is where a step cuts the line to the bank: mostly nowhere.
func cutBy(n int) modelLine {
	return []modelLine{0: lineCutBefore, 1: lineCutAfter, 11: lineWhole}[n%12]
}

// enter has a payer enter a card. The line may be cut before or after the bank booked it.
func (w *modelWalk) enter(s modelStep) error {
	p := w.someCheckout(s, w.inPhases(phaseDetails))
	if p == nil {
		return nil
	}
	entered, want := w.cardOf(s), p.refusePayer(w.model.now, phaseDetails)
	if s.n[4]%20 == 0 {
		return w.invalidCard(s, p, entered)
	}
	ctx, injury := w.injured(s)
	w.bank.cut(cutBy(s.n[3]))
	view, err := w.checkouts.SubmitDetails(ctx, w.linkOf(p), entered.details())
	calls := w.bank.called()
	if injury.fired {
		return w.cutShort(injury, p, view, err, w.entering(p, entered, calls)...)
	}
	if want != "" {
		w.tell("card "+want, p.origin())
		return errors.Join(errUnlessCode(err, want), errUnlessSilent(calls))
	}
	if err != nil || len(calls) != 1 {
		return fmt.Errorf("%s: a card is entered with %d calls of the bank: %w", p.origin(), len(calls), orNone(err))
	}
	if err := playParts(w.entering(p, entered, calls)); err != nil {
		return err
	}
	return w.sameView(p, view)
}

var modelCardFlaws = []struct {
	field string
	spoil func(*checkout.Details)
}{
	{"pan", func(d *checkout.Details) { d.PAN = "4242424242424241" }},
	{"pan", func(d *checkout.Details) { d.PAN = "" }},
	{"cvv", func(d *checkout.Details) { d.CVV = "12" }},
	{"expMonth", func(d *checkout.Details) { d.ExpMonth = "13" }},
	{"cardHolder", func(d *checkout.Details) { d.Holder = "4242 4242 4242 4242" }},
}

// invalidCard is a form filled in wrongly, which is said before anything else and comes to nothing.
func (w *modelWalk) invalidCard(s modelStep, p *modelPayment, entered modelCard) error {
	details, flaw := entered.details(), pickModel(modelCardFlaws, s.n[5])
	flaw.spoil(&details)
	w.tell("card invalid", flaw.field)
	_, err := w.checkouts.SubmitDetails(w.ctx, w.linkOf(p), details)
	return errors.Join(errUnlessInvalid(err, []string{flaw.field}), errUnlessSilent(w.bank.called()))
}

// modelCodes are the codes that payers give, as often as they stand here. The last is none in form.
var modelCodes = []string{
	codeRight,
	codeRight,
	codeWrong,
	codeWrong,
	codeWrong,
	codeWrong,
	codeWrong,
	codeWrong,
	codeWrong,
	codeSlow,
	"",
	codeShort,
}

// giveCode has a payer give a code, asked for or not, or none.
func (w *modelWalk) giveCode(s modelStep) error {
	wanted := w.inPhases(phaseCode)
	if s.n[3]%4 == 0 {
		wanted = w.inPhases(phaseBank)
	}
	p := w.someCheckout(s, wanted)
	if p == nil {
		return nil
	}
	otp := pickModel(modelCodes, s.n[1])
	want, changes := p.refuseCode(otp, w)
	ctx, injury := w.injured(s)
	w.bank.cut(cutBy(s.n[2] % 6))
	view, err := w.checkouts.SubmitCode(ctx, w.linkOf(p), otp)
	calls := w.bank.called()
	parts := []modelPart{}
	if changes {
		parts = w.coding(p, calls)
	}
	switch {
	case injury.fired && want != "validation_failed":
		return w.cutShort(injury, p, view, err, parts...)
	case injury.fired:
		return nil
	case want != "":
		w.tell("code "+want, p.origin())
		return errors.Join(errUnlessCode(err, want), errUnlessSilent(calls))
	case err != nil:
		return fmt.Errorf("%s: a code: %w", p.origin(), err)
	case !changes:
		w.tell("code not needed", p.origin())
	}
	if err := playParts(parts); err != nil {
		return err
	}
	return w.sameView(p, view)
}

// refuseCode is why a code is refused, and whether, if it is not, it is handed over: without one
// nothing changes, unless one was asked for.
func (p *modelPayment) refuseCode(otp string, w *modelWalk) (want string, changes bool) {
	switch closed := p.closed(w.model.now); {
	case otp == codeShort, otp == "" && !closed && p.phaseShown() == phaseCode:
		return "validation_failed", false
	case otp == "":
		return p.refusePayer(w.model.now, phaseBank, phaseConfirm), false
	default:
		return p.refusePayer(w.model.now, phaseBank, phaseCode), true
	}
}

// payerCancel is the payer's taking back of the payment.
func (w *modelWalk) payerCancel(s modelStep) error {
	p := w.someCheckout(s, func(p *modelPayment) bool { return !p.closed(w.model.now) })
	if p == nil {
		return nil
	}
	ctx, injury := w.injured(s)
	want := ""
	if p.closed(w.model.now) {
		want = "checkout_closed"
	}
	view, err := w.checkouts.Cancel(ctx, w.linkOf(p))
	return w.steppedView(p, injury, view, err, want, func() error {
		w.tell("payer cancelled", p.origin())
		w.model.move(p, "cancelled", "payer", nil, nil)
		return nil
	})
}

// look reads a checkout by its link, or by one that is none.
func (w *modelWalk) look(s modelStep) error {
	p := w.someCheckout(s, func(p *modelPayment) bool { return p.checkout.last() != nil })
	if p == nil {
		return nil
	}
	w.tell("looked", p.origin())
	view, err := w.checkouts.Get(w.ctx, w.linkOf(p))
	if err != nil {
		return err
	}
	return errors.Join(w.sameView(p, view), w.forbiddenLinks(s, p))
}

// forbiddenLinks are links that are none: a stranger's guess, and that of a payment without a
// checkout.
func (w *modelWalk) forbiddenLinks(s modelStep, p *modelPayment) error {
	token := w.linkOf(p)
	links := []string{"", "A" + token[1:], token[:len(token)-1]}
	if other := w.model.payments[s.n[1]%len(w.model.payments)]; other.checkout == nil {
		links = append(links, w.linkOf(other))
	}
	link := pickModel(links, s.n[2])
	if link == token {
		return nil
	}
	var wrong []error
	for _, call := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := w.checkouts.Get(ctx, link); return err },
		func(ctx context.Context) error {
			_, err := w.checkouts.SubmitDetails(ctx, link, w.cardOf(s).details())
			return err
		},
		func(ctx context.Context) error { _, err := w.checkouts.SubmitCode(ctx, link, codeRight); return err },
		func(ctx context.Context) error { _, err := w.checkouts.Cancel(ctx, link); return err },
		func(ctx context.Context) error { return w.checkouts.ResendByPayer(ctx, link) },
	} {
		wrong = append(wrong, errUnlessCode(call(w.ctx), "not_found"))
	}
	return errors.Join(wrong...)
}
