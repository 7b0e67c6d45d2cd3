package model_test

import (
	"math/big"

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
	if p.received > 0 && !p.asItCame && p.box.methods[p.method].policy.gains == "platform" {
		off := p.received - p.amount
		p.difference = floorUSDT(new(big.Rat).Quo(big.NewRat(max(off, -off), 100), p.fiat))
		if off < 0 {
			p.difference = -p.difference
		}
	}
}

// receive is a trader's word that the payment has come, and how much of it: from nearly nothing to twice what was asked, and
// often a little off.
func (w *modelWalk) receive(s modelStep, p *modelPayment) {
	trader, policy := p.requisite.trader, p.box.methods[p.method].policy
	if s.n[1]%6 == 0 {
		trader = pickModel(w.model.traders, s.n[3])
	}
	came := max(1, p.amount+int64(s.n[2]%401)-200)
	if s.n[3]%4 == 0 {
		came = 1 + int64(s.n[2])%(2*p.amount)
	}
	off := max(came-p.amount, p.amount-came)
	want, arrival := "", modelArrival{received: came, asItCame: policy.kind == "received"}
	switch {
	case trader != p.requisite.trader:
		want = "not_found"
	case p.checkout != nil:
		want = "validation_failed"
	case p.status != "pending":
		want = "payment_not_pending"
	case !arrival.asItCame && off > policy.near:
		want = "validation_failed"
	}
	ctx, injury := w.injured()
	said := fiatText(came)
	got, err := w.service.ConfirmReceived(ctx, trader.Caller, p.id, &said)
	if want != "" && !injury.fired {
		w.tell("receive "+want, p.origin())
		wantCode(err, want)
		return
	}
	w.moved(p, injury, got, err, func() {
		what := "received near"
		if arrival.asItCame {
			what = "received as it came"
		}
		w.tell(what, p.origin(), " ", said)
		w.model.move(p, "completed", trader.Caller.Actor(), nil, nil)
		p.events[len(p.events)-1].received = &said
		w.model.shift(p, func() { p.arrive(&arrival) })
	})
}
