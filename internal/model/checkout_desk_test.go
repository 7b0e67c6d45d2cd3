package model_test

import (
	"context"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/payment"
)

// someDeskPayment picks a card payment whose payer is past the card, now and then a payment of
// another kind, and its trader, now and then somebody else.
func (w *modelWalk) someDeskPayment(s modelStep) (*modelPayment, *modelTrader) {
	var p *modelPayment
	if s.n[1]%8 == 0 {
		p = pickRecord(w, s.n[0], w.model.payments,
			func(p *modelPayment) bool { return p.status == "pending" && p.checkout == nil })
	} else {
		p = w.someCheckout(s,
			func(p *modelPayment) bool { return p.status == "pending" && p.phaseShown() != phaseDetails })
	}
	switch {
	case p == nil:
		return nil, nil
	case s.n[2]%12 == 0:
		return p, pickModel(w.model.traders, s.n[3])
	}
	return p, p.requisite.trader
}

// refuseDesk is why a step of a trader's desk is refused, whatever step it is; wrong is what is
// said of a payment that no card is entered for.
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

// requestCode has a trader ask the payer for the code. Once one was given that is a resend.
func (w *modelWalk) requestCode(s modelStep) error {
	return w.atDesk(s, w.checkouts.RequestCode, func(p *modelPayment) (string, func()) {
		if p.checkout.phase == phaseConfirm && p.checkout.asked {
			return "checkout_wrong_step", nil
		}
		return "", p.checkout.askForCode
	})
}

// noCode has a trader say that there is no code to wait for.
func (w *modelWalk) noCode(s modelStep) error {
	return w.atDesk(s, w.checkouts.MarkCodeNotNeeded,
		func(p *modelPayment) (string, func()) { return "", p.checkout.noCode })
}

func (w *modelWalk) atDesk(
	s modelStep, call func(context.Context, caller.Caller, int64) (payment.Payment, error),
	step func(*modelPayment) (string, func()),
) error {
	p, trader := w.someDeskPayment(s)
	if p == nil {
		return nil
	}
	want := p.refuseDesk(trader, "checkout_wrong_step")
	var apply func()
	if want == "" {
		want, apply = step(p)
	}
	ctx, injury := w.injured(s)
	got, err := call(ctx, trader.Caller, p.id)
	if p.checkout == nil {
		return w.refusedDesk(injury, err, want)
	}
	return w.steppedView(p, injury, checkout.View{}, err, want, func() error {
		w.tell(w.now.op, p.origin())
		apply()
		if err == nil {
			return w.same(p, got)
		}
		return nil
	})
}

// refusedDesk judges a call about a payment that has no checkout.
func (w *modelWalk) refusedDesk(i *injury, err error, want string) error {
	if i.fired {
		return w.abortedAsItShould(i, err)
	}
	w.tell("desk "+want, w.now.op)
	return errUnlessCode(err, want)
}

// resend is the merchant's asking for the code again.
func (w *modelWalk) resend(s modelStep) error {
	p, _ := w.someDeskPayment(s)
	if p == nil {
		return nil
	}
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
	ctx, injury := w.injured(s)
	got, err := w.checkouts.Resend(ctx, merchant.Caller, name)
	return w.resent(p, injury, err, want, "merchant", "merchant", func() error { return p.sameResend(got) })
}

// resent is what it came to that somebody asked for the code again, which counts as the merchant's or the
// trader's.
func (w *modelWalk) resent(
	p *modelPayment, injury *injury, err error, want, asker, by string, same func() error,
) error {
	if p.checkout == nil {
		return w.refusedDesk(injury, err, want)
	}
	return w.steppedView(p, injury, checkout.View{}, err, want, func() error {
		w.tell("resent by "+asker, p.origin())
		w.model.resend(p, by)
		if err == nil {
			return same()
		}
		return nil
	})
}

// payerResend is the payer's asking for the code again, which counts as the merchant's.
func (w *modelWalk) payerResend(s modelStep) error {
	p, _ := w.someDeskPayment(s)
	if p == nil {
		return nil
	}
	var want string
	switch {
	case p.checkout == nil:
		want = "not_found"
	case p.closed(w.model.now):
		want = "checkout_closed"
	default:
		want = p.refuseResend(w.model.now)
	}
	ctx, injury := w.injured(s)
	err := w.checkouts.ResendByPayer(ctx, w.linkOf(p))
	return w.resent(p, injury, err, want, "payer", "merchant", func() error { return nil })
}

// sameResend compares the answer to a merchant's resend.
func (p *modelPayment) sameResend(got checkout.State) error {
	c := p.checkout
	next := c.resentAt.Add(modelResendPause)
	return sameFields("the resend of "+p.origin().String(), []modelField{
		{"phase", string(got.Phase), phaseCode},
		{"attemptsLeft", strconv.Itoa(int(got.ResendsLeft())), strconv.Itoa(modelResends - c.resends)},
		{"codeResendCount", strconv.Itoa(int(got.Resends)), strconv.Itoa(c.resends)},
		{"codeResendLastBy", deref(got.ResentBy), deref(c.resentBy)},
		{"codeResendLastAt", got.ResentAt.UTC().String(), c.resentAt.String()},
		{"nextAllowedAt", got.NextAllowedAt().UTC().String(), next.String()},
	})
}

// traderResend is the trader's; the merchant is told.
func (w *modelWalk) traderResend(s modelStep) error {
	p, trader := w.someDeskPayment(s)
	if p == nil {
		return nil
	}
	want := p.refuseDesk(trader, "code_resend_wrong_step")
	if want == "" {
		want = p.refuseResend(w.model.now)
	}
	ctx, injury := w.injured(s)
	got, err := w.checkouts.RequestResend(ctx, trader.Caller, p.id)
	return w.resent(p, injury, err, want, "trader", "trader", func() error { return w.same(p, got) })
}
