package model_test

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
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

// decideCase is a decision about another amount that came, of an operator or of the merchant: it is taken, or the rest is waited
// for, or it goes back to the payer.
func (w *modelWalk) decideCase(s modelStep, p *modelPayment) {
	d := payment.CaseDecision{
		PaymentID: p.id, Decision: pickModel([]string{payment.TakeWhatCame, payment.WaitForRest, payment.ReturnIt}, s.n[2]),
	}
	if d.Decision == payment.ReturnIt {
		d.To = modelPayer(s)
	}
	who := modelOperator
	if s.n[4]%2 == 0 {
		who = caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 9, MerchantID: p.merchantID}
	}
	came := modelArrival{received: p.received, asItCame: d.Decision == payment.TakeWhatCame}
	want := w.model.refuseDecision(p, d.Decision, came)
	ctx, injury := w.injured()
	got, err := w.service.DecideCase(ctx, who, d)
	w.moved(p, injury, got, err, refusedAs{"case " + d.Decision + " ", want}, func() {
		w.tell("case "+d.Decision, p.origin())
		switch d.Decision {
		case payment.TakeWhatCame:
			w.model.moveWith(p, "completed", who.Actor(), nil, nil, &came, "taken")
		case payment.WaitForRest:
			w.model.moveWith(p, "pending", who.Actor(), nil, nil, &came, "waiting")
			p.expires = w.model.now.Add(modelCase)
		default:
			w.model.moveWith(p, "failed", who.Actor(), new("returned"), nil, &came, "returned")
			w.adoptReturn(s, p, who.Actor(), d.To)
		}
	})
}

// refuseDecision is why a case cannot be decided so, "" if it can.
func (m *gatewayModel) refuseDecision(p *modelPayment, decision string, came modelArrival) string {
	slot := modelSlot{p.requisite.id, p.amount - p.received}
	hold, held := m.held(slot)
	trader := ledger.Available(ledger.Trader, p.requisite.trader.ID)
	switch {
	case !p.isCase():
		return "payment_no_case"
	case decision == payment.TakeWhatCame:
		return p.beyond(m, "completed", false, &came)
	case decision == payment.WaitForRest && p.received >= p.amount:
		return "validation_failed"
	case decision == payment.WaitForRest:
		return unless(!held || !hold.free.IsZero() || hold.payment == p.id, "payment_amount_taken")
	case p.currency != "RUB" || p.received < 1_00: // the least that is paid out, and in roubles alone
		return "validation_failed"
	}
	// What was held for the payment is free by then, and may be short where debits were forced.
	return unless(m.accounts[trader]+p.hold >= p.returnWorth(), "insufficient_trader_balance")
}

// returnWorth is what is held of the trader while they send back what came: its worth at the payment's rate, without a markup.
func (p *modelPayment) returnWorth() int64 {
	return floorUSDT(new(big.Rat).Quo(big.NewRat(p.received, 100), p.fiat))
}

// modelPayer is to whom money goes back.
func modelPayer(s modelStep) *payout.Recipient {
	method := pickModel([]string{"sbp", "c2c"}, s.n[3])
	return &payout.Recipient{
		Method: method, Address: pickModel(modelRecipients[method], s.n[3]/2), Recipient: "Payer " + strconv.Itoa(s.n[5]%10),
	}
}

// adoptReturn takes the payout that sends back what came into the model: its trader has been sending it since it was made, and
// nobody earns by it.
func (w *modelWalk) adoptReturn(s modelStep, of *modelPayment, actor string, to *payout.Recipient) {
	m := w.model
	p := &modelPayout{
		modelStepped: modelStepped{s.id}, merchantID: of.merchantID, box: of.box, returnOf: &of.id, currency: of.currency,
		order: fmt.Sprintf("return-%s-%d", of.uuid, len(of.events)), method: to.Method, callback: of.callback,
		address: to.Address, recipient: to.Recipient, amount: of.received,
		expires: m.now.Add(modelCase), fiat: of.fiat, markup: "0", spot: of.returnWorth(), trader: of.requisite.trader,
	}
	p.frozen, p.traderPart = p.spot, p.spot
	must(w.check.QueryRow(w.ctx, "select id, uuid::text from payin where merchant_id = $1 and order_id = $2", p.merchantID, p.order).
		Scan(&p.id, &p.uuid))
	m.begin(p, actor, "waiting")
	m.carry(p, "processing", actor, nil)
	merchant := slices.IndexFunc(m.merchants, func(merchant *modelMerchant) bool { return merchant.ID == p.merchantID })
	m.payoutKeys[modelKey{merchant, p.method, p.order}] = p
	m.payouts = append(m.payouts, p)
	w.touch(p)
}

// tellMore adds to a payout's meta the payment whose money it returns.
func (p *modelPayout) tellMore(meta map[string]any, _ modelEvent) {
	if p.returnOf != nil {
		meta["returnOf"] = p.returnOf
	}
}

// holder is the account that holds what an open payout is worth.
func (p *modelPayout) holder() ledger.Account {
	if p.returnOf != nil {
		return ledger.Reserved(ledger.Trader, p.trader.ID)
	}
	return ledger.Reserved(ledger.Cashbox, p.box.id)
}

// returnPosition: a payout that returns money holds its worth of its trader, who has what came; if they do not send it, the
// cashbox gets that.
func (p *modelPayout) returnPosition() map[ledger.Account]int64 {
	available := ledger.Available(ledger.Trader, p.trader.ID)
	switch p.status {
	case "processing":
		return map[ledger.Account]int64{available: -p.frozen, ledger.Reserved(ledger.Trader, p.trader.ID): p.frozen}
	case "failed":
		return map[ledger.Account]int64{available: -p.frozen, ledger.Available(ledger.Cashbox, p.box.id): p.frozen}
	}
	return nil
}
