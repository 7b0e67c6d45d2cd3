package model_test

import (
	"context"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/payment"
)

// someDeskPayment picks a card payment whose payer is past the card, now and then a payment of another kind.
func someDeskPayment(w *modelWalk, s modelStep) *modelPayment {
	if s.n[1]%8 == 0 {
		return pickRecord(w, s.n[0], w.model.payments, func(p *modelPayment) bool {
			return p.status == "pending" && p.checkout == nil
		})
	}
	return pickRecord(w, s.n[0], w.model.byCard(), func(p *modelPayment) bool {
		return p.status == "pending" && p.phaseShown() != phaseDetails
	})
}

// deskOf is a payment's trader, now and then somebody else.
func (w *modelWalk) deskOf(s modelStep, p *modelPayment) *modelTrader {
	if s.n[2]%12 == 0 {
		return pickModel(w.model.traders, s.n[3])
	}
	return p.requisite.trader
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
func (w *modelWalk) requestCode(s modelStep, p *modelPayment) {
	w.atDesk(s, p, w.checkouts.RequestCode, func() (string, func()) {
		return unless(p.checkout.phase != phaseConfirm || !p.checkout.asked, "checkout_wrong_step"), p.checkout.askForCode
	})
}

// noCode has a trader say that there is no code to wait for.
func (w *modelWalk) noCode(s modelStep, p *modelPayment) {
	w.atDesk(s, p, w.checkouts.MarkCodeNotNeeded, func() (string, func()) { return "", p.checkout.noCode })
}

func (w *modelWalk) atDesk(s modelStep, p *modelPayment,
	call func(context.Context, caller.Caller, int64) (payment.Payment, error), step func() (want string, apply func()),
) {
	trader := w.deskOf(s, p)
	want := p.refuseDesk(trader, "checkout_wrong_step")
	var apply func()
	if want == "" {
		want, apply = step()
	}
	ctx, injury := w.injured()
	got, err := call(ctx, trader.Caller, p.id)
	w.stepped(p, injury, err, want, func() {
		w.tell(w.now.op, p.origin())
		apply()
		if err == nil {
			p.same(got)
		}
	})
}

// stepped judges a step that answers with no view; a payment without a checkout refuses it.
func (w *modelWalk) stepped(p *modelPayment, i *injury, err error, want string, part modelPart) {
	switch {
	case p.checkout != nil:
		w.steppedView(p, i, checkout.View{}, err, want, part)
	case i.fired:
		w.aborted(i, err)
	default:
		w.tell("desk "+want, w.now.op)
		wantCode(err, want)
	}
}

// resend is the merchant's asking for the code again.
func (w *modelWalk) resend(s modelStep, p *modelPayment) {
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
	ctx, injury := w.injured()
	got, err := w.checkouts.Resend(ctx, merchant.Caller, name)
	w.resent(p, injury, err, want, "merchant", func() { p.sameResend(got) })
}

// resent is what it came to that somebody asked for the code again. A payer's asking counts as the merchant's.
func (w *modelWalk) resent(p *modelPayment, i *injury, err error, want, asker string, same func()) {
	w.stepped(p, i, err, want, func() {
		w.tell("resent by "+asker, p.origin())
		by := asker
		if by == "payer" {
			by = "merchant"
		}
		w.model.resend(p, by)
		if err == nil {
			same()
		}
	})
}

// payerResend is the payer's asking for the code again.
func (w *modelWalk) payerResend(_ modelStep, p *modelPayment) {
	var want string
	switch {
	case p.checkout == nil:
		want = "not_found"
	case p.closed(w.model.now):
		want = "checkout_closed"
	default:
		want = p.refuseResend(w.model.now)
	}
	ctx, injury := w.injured()
	err := w.checkouts.ResendByPayer(ctx, w.linkOf(p))
	w.resent(p, injury, err, want, "payer", func() {})
}

// sameResend compares the answer to a merchant's resend.
func (p *modelPayment) sameResend(got checkout.State) {
	c := p.checkout
	sameFields("the resend of "+p.origin().String(), []modelField{
		{"phase", got.Phase, phaseCode}, {"attemptsLeft", got.ResendsLeft(), modelResends - c.resends},
		{"codeResendCount", got.Resends, c.resends}, {"codeResendLastBy", got.ResentBy, c.resentBy},
		{"codeResendLastAt", got.ResentAt, c.resentAt},
		{"nextAllowedAt", got.NextAllowedAt(), c.resentAt.Add(modelResendPause)},
	})
}

// traderResend is the trader's; the merchant is told.
func (w *modelWalk) traderResend(s modelStep, p *modelPayment) {
	trader := w.deskOf(s, p)
	want := p.refuseDesk(trader, "code_resend_wrong_step")
	if want == "" {
		want = p.refuseResend(w.model.now)
	}
	ctx, injury := w.injured()
	got, err := w.checkouts.RequestResend(ctx, trader.Caller, p.id)
	w.resent(p, injury, err, want, "trader", func() { p.same(got) })
}
