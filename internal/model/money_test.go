package model_test

import (
	"github.com/jackc/pgx/v5"

	"gateway.example/internal/payment"
)

// modelMoney is money that came for no payment, and where it is: free, kept for a payment, or returned. payment is that it counts
// towards or was for last, 0 is none, and meant is that to whose requisite it came.
type modelMoney struct {
	modelStepped
	id, amount, payment int64
	requisite           *modelRequisite
	meant               *modelPayment
	state               string
}

// look asks nothing: all money is looked at after each step.
func (*modelMoney) look(*modelWalk, *pgx.Batch) {}

// keep has a trader keep money that came to the requisite of some payment: what it waits for, about that, or any amount.
func (w *modelWalk) keep(s modelStep, p *modelPayment) {
	came := max(1, p.missing())
	switch s.n[2] % 3 {
	case 0:
		came = 1 + int64(s.n[3])%(2*p.amount)
	case 1:
		came = max(1, came+int64(s.n[3]%401)-200)
	}
	got := given(w.service.KeepMoney(w.ctx, p.requisite.trader.Caller, p.requisite.id, payment.Came{Amount: new(fiatText(came))}))
	w.model.moneys = append(w.model.moneys, &modelMoney{modelStepped{s.id}, got.ID, came, 0, p.requisite, p, "free"})
	w.tell("money kept", fiatText(came), " at ", p.requisite.id)
}

// attach has money count towards the payment it is meant for, or towards any: its trader does, or an operator.
func (w *modelWalk) attach(s modelStep, a *modelMoney) {
	m := w.model
	p := m.payments[s.n[1]%len(m.payments)]
	if s.n[1]%4 > 0 {
		p = a.meant
	}
	w.touch(p)
	who := a.requisite.trader.Caller
	if s.n[3]%3 == 0 {
		who = modelOperator
	}
	refusal, reason := "", (*string)(nil)
	switch {
	case p.status == "appeal":
	case p.status == "failed" && p.appeal != nil && p.appeal.status == "open":
		reason = new("late")
	default:
		refusal, reason = p.confirmable(m, a.amount)
	}
	arrival, to, want := p.coming(m, a.amount, reason != nil)
	switch {
	case p.requisite.trader != a.requisite.trader:
		want = "not_found"
	case a.state != "free":
		want = "arrival_taken"
	case p.checkout != nil || p.currency != a.requisite.currency:
		want = "validation_failed"
	case refusal != "":
		want = refusal
	}
	ctx, injury := w.injured()
	got, err := w.service.Attach(ctx, who, a.id, p.id)
	w.moved(p, injury, got, err, refusedAs{"attach ", want}, func() {
		w.tell("money attached", p.origin(), " ", to)
		decided := unless(to == "completed", "open")
		m.moveWith(p, to, who.Actor(), reason, nil, &arrival, decided)
		if decided != "" {
			p.expires = m.now.Add(modelCase)
		}
		a.state, a.payment = "kept", p.id
	})
}

// release is what becomes of money that counted towards a payment, once that has moved: it counts while the payment is completed, or
// waits with what came. Otherwise it goes back, where that was decided, or is free.
func (m *gatewayModel) release(p *modelPayment, decided string) {
	if p.status == "completed" || p.counted() > 0 {
		return
	}
	for _, a := range m.moneys {
		if a.payment == p.id && a.state == "kept" {
			a.state = "free"
			if decided == "returned" {
				a.state = "returned"
			}
		}
	}
}
