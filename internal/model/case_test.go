package model_test

import (
	"time"

	"gateway.example/internal/payment"
)

// modelCase is how long another amount waits for a decision, and then for the rest.
const modelCase = 24 * time.Hour

// counted is what has come of a payment so far and counts towards it still.
func (p *modelPayment) counted() int64 {
	if p.status == "pending" || p.status == "appeal" {
		return p.received
	}
	return 0
}

// isCase: another amount came, and somebody has to decide.
func (p *modelPayment) isCase() bool { return p.status == "appeal" && p.received > 0 }

// missing is what a payment still waits for.
func (p *modelPayment) missing() int64 {
	if p.status == "pending" {
		return p.amount - p.received
	}
	return p.amount
}

// wholeArrival is the word that what a payment waited for has come; nil where nothing had before.
func (p *modelPayment) wholeArrival() *modelArrival {
	if p.counted() == 0 {
		return nil
	}
	return &modelArrival{received: p.amount, asItCame: p.box.methods[p.method].policy.kind == "received"}
}

func (w *modelWalk) someCase(s modelStep) *modelPayment {
	return pickRecord(w, s.n[0], w.model.payments, func(p *modelPayment) bool { return s.n[1]%5 == 0 || p.isCase() })
}

// decideCase is an operator's decision about another amount that came: it is taken, or the rest is waited for.
func (w *modelWalk) decideCase(s modelStep, p *modelPayment) {
	d := payment.CaseDecision{PaymentID: p.id, Decision: pickModel([]string{payment.TakeWhatCame, payment.WaitForRest}, s.n[2])}
	came := modelArrival{received: p.received, asItCame: d.Decision == payment.TakeWhatCame}
	slot := modelSlot{p.requisite.id, p.amount - p.received}
	hold, held := w.model.held(slot)
	want := ""
	switch {
	case !p.isCase():
		want = "payment_no_case"
	case came.asItCame:
		want = p.beyond(w.model, "completed", false, &came)
	case p.received >= p.amount:
		want = "validation_failed"
	case held && hold.free.IsZero() && hold.payment != p.id:
		want = "payment_amount_taken"
	}
	ctx, injury := w.injured()
	got, err := w.service.DecideCase(ctx, modelOperator, d)
	if want != "" && !injury.fired {
		w.tell("case "+want, p.origin())
		wantCode(err, want)
		return
	}
	w.moved(p, injury, got, err, func() {
		w.tell("case "+d.Decision, p.origin())
		if came.asItCame {
			w.model.moveWith(p, "completed", modelOperator.Actor(), nil, nil, &came, "taken")
			return
		}
		w.model.moveWith(p, "pending", modelOperator.Actor(), nil, nil, &came, "waiting")
		p.expires = w.model.now.Add(modelCase)
	})
}
