package model_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
)

// modelCase is how long another amount waits for a decision, and then for the
// rest.
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

// wholeArrival is the word that what a payment waited for has come; nil where
// nothing had before.
func (p *modelPayment) wholeArrival() *modelArrival {
	if p.counted() == 0 {
		return nil
	}
	return &modelArrival{received: p.amount, asItCame: p.box.methods[p.method].policy.kind == "received"}
}

// decideCase is a decision about another amount that came, of an operator or of
// the merchant: it is taken, or the rest is waited for, or it goes back to the
// payer.
func (w *modelWalk) decideCase(s modelStep, p *modelPayment) {
	d := payment.CaseDecision{
		PaymentID: p.id, Decision: pickModel([]string{payment.TakeWhatCame, payment.WaitForRest, payment.ReturnIt}, s.n[2]),
	}
	if d.Decision == payment.ReturnIt {
		method := pickModel([]string{"sbp", "c2c"}, s.n[3])
		d.To = &payout.Recipient{
			Method: method, Address: pickModel(modelRecipients[method], s.n[3]/2), Recipient: "Payer " + strconv.Itoa(s.n[5]%10),
		}
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
	hold, held := m.held(slot) // also one that only rests
	trader := ledger.Available(ledger.Trader, p.requisite.trader.ID)
	switch {
	case !p.isCase():
		return "payment_no_case"
	case decision == payment.TakeWhatCame:
		return p.beyond(m, "completed", false, &came)
	case decision == payment.WaitForRest && p.received >= p.amount:
		return "validation_failed"
	case decision == payment.WaitForRest:
		return unless(!held || hold.payment == p.id, "payment_amount_taken")
	case p.currency != "RUB" || p.received < 1_00: // the least that is paid out, and in roubles alone
		return "validation_failed"
	}
	// What was held for the payment is free by then, and may be short where
	// debits were forced.
	return unless(m.accounts[trader]+p.hold >= p.returnWorth(), "insufficient_trader_balance")
}

// returnWorth is what is held of the trader while they send back what came: its
// worth at the payment's rate, without a markup.
func (p *modelPayment) returnWorth() int64 {
	return floorUSDT(new(big.Rat).Quo(big.NewRat(p.received, 100), p.fiat))
}

// adoptReturn takes the payout that sends back what came into the model: its
// trader has been sending it since it was made, and nobody earns by it.
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

// modelPolicy says what becomes of another amount than asked for: kind "" is
// exact, near is how many hundredths off are near enough, gains whose the
// difference is, "" the trader's.
type modelPolicy struct {
	kind  string
	near  int64
	gains string
}

// modelPolicies are by method, so that each kind comes up.
var modelPolicies = map[string]modelPolicy{
	"sbp": {"tolerance", 150_00, "platform"}, "card": {kind: "received"}, "c2c": {"tolerance", 5000, "trader"},
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

// modelArrival is what came of a payment: in hundredths, 0 where nobody said.
// asItCame settles it for that. difference is what the platform gets of what is
// near enough, where toPlatform says so.
type modelArrival struct {
	received             int64
	asItCame, toPlatform bool
	difference           int64
}

// arrive is an amount that comes; nil is nobody's word on one.
func (p *modelPayment) arrive(came *modelArrival) {
	if came == nil {
		came = &modelArrival{}
	}
	p.modelArrival = *came
	p.price()
}

// price is what the payment is worth, and the platform's difference: at the
// base rate, rounded towards 0.
func (p *modelPayment) price() {
	settled := p.amount
	if p.asItCame {
		settled = p.received
	}
	p.quote, p.difference = quoteModel(settled, p.fiat, p.markup, p.share), 0
	if off := p.received - p.amount; p.toPlatform {
		p.difference = floorUSDT(new(big.Rat).Quo(big.NewRat(max(off, -off), 100), p.fiat))
		if off < 0 {
			p.difference = -p.difference
		}
	}
}

// modelLate is how long after its time a payment can still be completed.
const modelLate = 24 * time.Hour

// confirmable is why the payment's trader may not complete it, or the reason
// that it is completed for: one that has expired may be, for a day, unless
// another open payment has its requisite and its amount or what is said, and
// unless it is paid by a card.
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

// beyond is why the payment's trader may not complete it though it is
// confirmable: they have less than it takes beyond what is held for it, which
// counts where it is late or more came than was asked for.
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

// modelTold is what an event tells of money: what came, where it is said, and
// that the payment's time had run out.
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

// coming is what an amount that comes makes of a payment that takes it, and for
// what reason, or why it does not.
func (p *modelPayment) coming(m *gatewayModel, came int64, late *string) (arrival modelArrival, to string, reason *string, want string) {
	policy, total := p.box.methods[p.method].policy, p.counted()+came
	arrival, to, reason = modelArrival{received: total, asItCame: policy.kind == "received"}, "completed", late
	if p.unavailable && total > p.amount {
		return arrival, to, reason, "validation_failed"
	}
	if disputed := p.appeal != nil && (p.appeal.status == "open" || p.appeal.status == "in_review"); disputed && total < p.amount {
		arrival.asItCame = false
	}
	if !arrival.asItCame && max(total-p.amount, p.amount-total) > policy.near {
		to = "appeal"
	} else if arrival.toPlatform = policy.gains == "platform"; p.uncovered(m, arrival) {
		arrival.toPlatform = false
		to, reason = "appeal", cmp.Or(late, new("difference_not_covered"))
	}
	return arrival, to, reason, p.beyond(m, to, late != nil, &arrival)
}

// uncovered: the platform would pay more than its part of the spread, and has
// less or nobody knows yet how much it is.
func (p *modelPayment) uncovered(m *gatewayModel, came modelArrival) bool {
	after := *p
	after.arrive(&came)
	gets := after.quote.platform + after.difference
	return gets < 0 && (p.unavailable || m.accounts[ledger.Available(ledger.Platform, 0)]+gets < 0)
}

// receive is a trader's word that the payment has come, and how much of it:
// from nearly nothing to twice what was asked, and often a little off.
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
	refusal, late := p.confirmable(w.model, came)
	arrival, to, reason, want := p.coming(w.model, came, late)
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
		if arrival.received <= p.amount && to == "appeal" && reason != nil && *reason != "late" {
			what = "received less than is covered"
		}
		w.tell(what, p.origin(), " ", said)
		w.model.say(p, &arrival)
		w.model.moveWith(p, to, trader.Caller.Actor(), reason, nil, &arrival, decided)
		if decided != "" {
			p.expires = w.model.now.Add(modelCase)
		}
	})
}

// modelWord is a trader's word that an amount came, otherwise than as what a
// payment asked for.
type modelWord struct {
	requisite *modelRequisite
	amount    int64
	at        time.Time
}

// say notes a trader's word on what has come of a payment by now; nil is none.
func (m *gatewayModel) say(p *modelPayment, came *modelArrival) {
	if came == nil || p.counted() == 0 && came.received == p.amount {
		return
	}
	m.words = append(m.words, modelWord{p.requisite, came.received - p.counted(), m.now})
}

// untold reports whether a trader has said in the hour before a message that
// its amount came: it may be late.
func (s modelWord) untold(phone *modelPhone, n *modelMessage) bool {
	return s.requisite.trader == phone.trader && s.requisite.currency == "RUB" && s.amount == n.amount &&
		!s.at.Before(n.sent.ReceivedAt.Add(-time.Hour))
}

// modelMoney is money that came for no payment, and where it is: free, kept for
// a payment, or returned. payment is that it counts towards or was for last, 0
// is none, and meant is that to whose requisite it came.
type modelMoney struct {
	modelStepped
	id, amount, payment int64
	requisite           *modelRequisite
	meant               *modelPayment
	state               string
}

// look asks nothing: all money is looked at after each step.
func (*modelMoney) look(*modelWalk, *pgx.Batch) {}

// keep has a trader keep money that came to the requisite of some payment: what
// it waits for, about that, or any amount.
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
	w.model.words = append(w.model.words, modelWord{p.requisite, came, w.model.now})
	w.tell("money kept", fiatText(came), " at ", p.requisite.id)
}

// attach has money count towards the payment it is meant for, or towards any:
// its trader does, or an operator.
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
	refusal, late := "", (*string)(nil)
	switch {
	case p.status == "appeal":
	case p.status == "failed" && p.appeal != nil && p.appeal.status == "open":
		late = new("late")
	default:
		refusal, late = p.confirmable(m, a.amount)
	}
	arrival, to, reason, want := p.coming(m, a.amount, late)
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

// release is what becomes of money that counted towards a payment, once that
// has moved: it counts while the payment is completed, or waits with what came.
// Otherwise it goes back, where that was decided, or is free.
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
