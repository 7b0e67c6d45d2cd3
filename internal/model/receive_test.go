package model_test

import (
	"math/big"
	"time"

	"github.com/shopspring/decimal"
)

// modelPolicy says what becomes of another amount than asked for: kind "" is exact, near is how many
// hundredths off are near enough, gains whose the difference is, "" the trader's.
type modelPolicy struct {
	kind  string
	near  int64
	gains string
}

// modelPolicies are by method, so that each kind comes up.
var modelPolicies = map[string]modelPolicy{
	"sbp": {"tolerance", 150, "platform"}, "card": {kind: "received"}, "c2c": {"tolerance", 5000, "trader"},
}

func optionalModel(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func nullModel(hundredths int64) decimal.NullDecimal {
	return decimal.NullDecimal{Decimal: decimal.New(hundredths, -2), Valid: hundredths > 0}
}

// modelArrival is what came of a payment: in hundredths, 0 where nobody said. asItCame settles it for that. difference is what the
// platform gets of what is near enough.
type modelArrival struct {
	received   int64
	asItCame   bool
	difference int64
}

// arrive is an amount that comes; nil is nobody's word on one.
func (p *modelPayment) arrive(came *modelArrival) {
	if came == nil {
		came = &modelArrival{}
	}
	p.modelArrival = *came
	p.price()
}

// price is what the payment is worth, and the platform's difference: at the base rate, rounded towards 0.
func (p *modelPayment) price() {
	settled := p.amount
	if p.asItCame {
		settled = p.received
	}
	p.quote, p.difference = quoteModel(settled, p.fiat, p.markup, p.share), 0
	off, policy := p.received-p.amount, p.box.methods[p.method].policy
	if p.received > 0 && !p.asItCame && policy.gains == "platform" && max(off, -off) <= policy.near {
		p.difference = floorUSDT(new(big.Rat).Quo(big.NewRat(max(off, -off), 100), p.fiat))
		if off < 0 {
			p.difference = -p.difference
		}
	}
}

// modelLate is how long after its time a payment can still be completed.
const modelLate = 24 * time.Hour

// confirmable is why the payment's trader may not complete it, or the reason that it is completed for: one that has expired may
// be, for a day, unless another open payment has its requisite and its amount or what is said, and unless it is paid by a card.
func (p *modelPayment) confirmable(m *gatewayModel, said int64) (refusal string, reason *string) {
	if p.status == "pending" {
		return "", nil
	}
	if p.status != "failed" || p.reason == nil || *p.reason != "expired" || p.checkout != nil || !m.now.Before(p.at.Add(modelLate)) {
		return "payment_not_pending", nil
	}
	for _, amount := range []int64{p.amount, said} {
		if hold, held := m.held(modelSlot{p.requisite.id, amount}); held && hold.free.IsZero() && hold.payment != p.id {
			return "payment_amount_taken", nil
		}
	}
	return "", new("late")
}

// beyond is why the payment's trader may not complete it though it is confirmable: they have less than it takes beyond what is
// held for it, which counts where it is late or more came than was asked for.
func (p *modelPayment) beyond(m *gatewayModel, to string, late bool, came *modelArrival) (refusal string) {
	if !late && (came == nil || came.received <= p.amount) {
		return ""
	}
	before, after := p.position(), *p
	after.status = to
	after.arrive(came)
	for account, amount := range after.position() {
		if change := amount - before[account]; change < 0 && !account.Reserved && m.accounts[account]+change < 0 {
			return "insufficient_trader_balance"
		}
	}
	return ""
}

// modelTold is what an event tells of money: what came, where it is said, and that the payment's time had run out.
type modelTold struct {
	received *string
	late     bool
	decided  string
}

// tellMore adds to a payment's meta what came, and whether late.
func (*modelPayment) tellMore(meta map[string]any, e modelEvent) {
	meta["receivedAmount"] = e.received
	if e.decided != "" {
		meta["case"] = e.decided
	}
	if e.late {
		meta["late"] = true
	}
}

// coming is what an amount that comes makes of a payment that takes it, or why it does not.
func (p *modelPayment) coming(m *gatewayModel, came int64, late bool) (arrival modelArrival, to, want string) {
	policy, total := p.box.methods[p.method].policy, p.counted()+came
	arrival, to = modelArrival{received: total, asItCame: policy.kind == "received"}, "completed"
	if p.unavailable && total > p.amount {
		return arrival, to, "validation_failed"
	}
	if !arrival.asItCame && max(total-p.amount, p.amount-total) > policy.near {
		to = "appeal"
	}
	return arrival, to, p.beyond(m, to, late, &arrival)
}

// receive is a trader's word that the payment has come, and how much of it: from nearly nothing to twice what was asked, and
// often a little off.
func (w *modelWalk) receive(s modelStep, p *modelPayment) {
	trader := p.requisite.trader
	if s.n[1]%6 == 0 {
		trader = pickModel(w.model.traders, s.n[3])
	}
	came := max(1, p.amount+int64(s.n[2]%401)-200)
	if s.n[3]%4 == 0 {
		came = 1 + int64(s.n[2])%(2*p.amount)
	}
	if p.counted() > 0 && s.n[3]%3 == 0 {
		came = max(1, p.missing())
	}
	refusal, reason := p.confirmable(w.model, came)
	arrival, to, want := p.coming(w.model, came, reason != nil)
	switch {
	case trader != p.requisite.trader:
		want = "not_found"
	case p.checkout != nil:
		want = "validation_failed"
	case refusal != "":
		want = refusal
	}
	ctx, injury := w.injured()
	said := fiatText(came)
	got, err := w.service.ConfirmReceived(ctx, trader.Caller, p.id, &said)
	w.moved(p, injury, got, err, refusedAs{"receive ", want}, func() {
		what := "received near"
		if arrival.asItCame {
			what = "received as it came"
		}
		decided := ""
		if to == "appeal" {
			what, decided = "received another amount", "open"
		}
		w.tell(what, p.origin(), " ", said)
		w.model.moveWith(p, to, trader.Caller.Actor(), reason, nil, &arrival, decided)
		if decided != "" {
			p.expires = w.model.now.Add(modelCase)
		}
	})
}
