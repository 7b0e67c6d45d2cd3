package model_test

import (
	"math/big"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/ledger"
)

// The model: what the contract says of payments, payouts, deposits and their
// money, once more, as simply as memory allows. It shares no arithmetic and no
// query with the gateway. USDT are whole numbers of 0.00000001, fiat amounts of
// 0.01.

type gatewayModel struct {
	now        time.Time
	merchants  []*modelMerchant
	traders    []*modelTrader
	requisites []*modelRequisite
	phones     []*modelPhone
	rates      map[string]modelRate
	limits     map[string][2]int64
	// payments in the order of creation.
	payments []*modelPayment
	// moneys is what came and belonged to no payment at first.
	moneys []*modelMoney
	// words is what traders said has come otherwise than was asked for.
	words []modelWord
	keys  map[modelKey]*modelPayment
	slots map[modelSlot]modelHold
	// payouts and deposits in the order of creation.
	payouts     []*modelPayout
	payoutKeys  map[modelKey]*modelPayout
	deposits    []*modelDeposit
	depositKeys map[modelKey]*modelDeposit
	appeals     []*modelAppeal
	// leaves are the withdrawals in the order of their requests, and
	// handOvers the lists of them.
	leaves    []*modelLeave
	leaveKeys map[modelKey]*modelLeave
	handOvers []modelHandOver
	// outside is what came from outside, less what left, besides by
	// deposits and withdrawals.
	outside int64
	// attempts are the tries to charge cards, by the id their acquirer
	// knows them by.
	attempts map[uuid.UUID]*modelAttempt
	// settings counts the changes of settings that are on record.
	settings int
	accounts map[ledger.Account]int64
}

// modelKey is what an order id is unique in: merchant and effective method, of
// a withdrawal its owner. Of a deposit it is the merchant's idempotency key.
type modelKey struct {
	merchant       int
	channel, order string
}

type modelSlot struct {
	requisite, amount int64
}

// modelHold says who reserved a slot, and from when on it is free again: zero
// while it is held.
type modelHold struct {
	payment int64
	free    time.Time
}

type modelPayment struct {
	modelStepped
	id, merchantID        int64
	uuid                  string
	box                   *modelBox
	order, method         string
	currency, callback    string
	amount                int64
	provider              *string
	expires               time.Time
	claimed               *time.Time
	requisite             *modelRequisite
	markup, source, share string
	fiat                  *big.Rat
	unavailable           bool
	quote                 modelQuote
	hold                  int64
	modelArrival
	// appeal is nil until there is one; checkout is nil unless the payment
	// is paid by entering a card.
	appeal   *modelAppeal
	checkout *modelCheckout
	// told is whether a message of a bank has confirmed the whole of it.
	told bool
	modelHistory
	modelNews
}

type modelQuote struct{ spot, amount, profit, trader, platform int64 }

func (m *gatewayModel) openAccounts(available ledger.Account) {
	m.accounts[available] = 0
	available.Reserved = true
	if available.Owner != ledger.External {
		m.accounts[available] = 0
	}
}

// quoteModel: spot = amount / base, amountUsdt = amount / (base × (1 +
// markup/100)), both rounded down; the spread is their difference; the trader
// gets their percent of spot, but no more than the spread, and the platform the
// rest.
func quoteModel(amount int64, fiat *big.Rat, markup, share string) modelQuote {
	money := big.NewRat(amount, 100)
	marked := new(big.Rat).Mul(fiat, new(big.Rat).Add(big.NewRat(1, 1), percentOf(markup)))
	q := modelQuote{spot: floorUSDT(new(big.Rat).Quo(money, fiat)), amount: floorUSDT(new(big.Rat).Quo(money, marked))}
	q.profit = q.spot - q.amount
	q.trader = min(q.profit, floorUSDT(new(big.Rat).Mul(big.NewRat(q.spot, 1e8), percentOf(share))))
	q.platform = q.profit - q.trader
	return q
}

func percentOf(percent string) *big.Rat {
	r, ok := new(big.Rat).SetString(percent)
	if !ok {
		panic("not a number: " + percent)
	}
	return r.Quo(r, big.NewRat(100, 1))
}

func floorUSDT(r *big.Rat) int64 {
	r = new(big.Rat).Mul(r, big.NewRat(1e8, 1))
	return new(big.Int).Quo(r.Num(), r.Denom()).Int64()
}

// due: a completed payment without a rate waits for its settlement.
func (p *modelPayment) due() bool { return p.status == "completed" && p.unavailable }

// position is where the payment's money stands by its status: pending, appeal
// and due hold; completed is settled.
func (p *modelPayment) position() map[ledger.Account]int64 {
	trader := ledger.Available(ledger.Trader, p.requisite.trader.ID)
	switch {
	case p.status == "pending", p.status == "appeal", p.due():
		return map[ledger.Account]int64{trader: -p.hold, ledger.Reserved(ledger.Trader, p.requisite.trader.ID): p.hold}
	case p.status == "completed":
		return map[ledger.Account]int64{
			trader: -(p.quote.spot - p.quote.trader + p.difference), ledger.Available(ledger.Cashbox, p.box.id): p.quote.amount,
			ledger.Available(ledger.Platform, 0): p.quote.platform + p.difference,
		}
	}
	return nil
}

// modelPosition is a record whose money stands where its status says.
type modelPosition interface {
	position() map[ledger.Account]int64
}

// shift changes a record and moves its money from where it stood to where it
// stands then.
func (m *gatewayModel) shift(p modelPosition, change func()) {
	for account, amount := range p.position() {
		m.accounts[account] -= amount
	}
	change()
	for account, amount := range p.position() {
		m.accounts[account] += amount
	}
}

// move carries a payment to another status: one event, the reservation, the
// money, its appeal if it has one, and its card.
func (m *gatewayModel) move(p *modelPayment, to, actor string, reason, provider *string) {
	m.moveWith(p, to, actor, reason, provider, nil, "")
}

// moveWith is move by somebody's word on what came, and how a case stands after
// it. What counted towards a payment that ends unpaid is told.
func (m *gatewayModel) moveWith(
	p *modelPayment, to, actor string, reason, provider *string, came *modelArrival, decided string,
) {
	slot := p.slot()
	if had := p.counted(); came == nil && had > 0 && (to == "failed" || to == "cancelled") {
		came, decided = &modelArrival{received: had}, "ended"
	}
	told := modelTold{late: reason != nil && *reason == "late", decided: decided}
	if came != nil {
		told.received = new(fiatText(came.received))
	}
	m.shift(p, func() {
		p.events = append(p.events, modelEvent{
			from: p.status, to: to, reason: reason, at: m.now, card: p.checkout.shown(), modelTold: told,
		})
		p.moves = append(p.moves, modelMove{actor, p.status, to, reason, m.now})
		p.appeal.follow(p.status, to, m.now)
		p.status, p.reason, p.at = to, reason, m.now
		p.arrive(came)
	})
	m.release(p, decided)
	if provider != nil {
		p.provider = provider
	}
	if to == "pending" {
		p.expires = m.now.Add(p.box.methods[p.method].validity)
	}
	if hold, held := m.held(slot); p.slot() != slot && held && hold.payment == p.id {
		if delete(m.slots, slot); p.status == "failed" || p.status == "cancelled" {
			m.slots[slot] = modelHold{p.id, m.now.Add(modelRest)}
		}
	}
	m.moveSlot(p)
	p.checkout.follow(to)
}

// modelRest is how long a requisite keeps an amount free of others after a
// payment ended unpaid.
const modelRest = 15 * time.Minute

// moveSlot ends a reservation, or takes it again if it is free. One that is
// over does not come back otherwise. A desk that takes cards has none.
func (m *gatewayModel) moveSlot(p *modelPayment) {
	if p.checkout != nil {
		return
	}
	slot := p.slot()
	hold, held := m.held(slot)
	own := held && hold.payment == p.id
	switch {
	case p.status == "completed" && own:
		delete(m.slots, slot)
	case (p.status == "failed" || p.status == "cancelled") && own:
		m.slots[slot] = modelHold{p.id, m.now.Add(modelRest)}
	case p.status == "pending" && (own || !held):
		m.slots[slot] = modelHold{payment: p.id}
	}
}

func (p *modelPayment) slot() modelSlot { return modelSlot{p.requisite.id, p.missing()} }

// held is the reservation of a slot, unless it is over: at the very instant
// already.
func (m *gatewayModel) held(slot modelSlot) (modelHold, bool) {
	hold, kept := m.slots[slot]
	return hold, kept && (hold.free.IsZero() || hold.free.After(m.now))
}

// expired: the time of a payment is over at the very instant already. A case
// that was appealed waits for its decision.
func (m *gatewayModel) expired(p *modelPayment) bool {
	return (p.status == "pending" || p.isCase() && p.appeal == nil) && !p.expires.After(m.now)
}

// modelClaimWait is how long a payment waits at least once its payer says that
// they have paid.
const modelClaimWait = 15 * time.Minute

// claim is the payer's saying for the first time that they have paid. Merchants
// who asked for it are told.
func (m *gatewayModel) claim(p *modelPayment) {
	now := m.now
	p.claimed = &now
	if until := now.Add(modelClaimWait); until.After(p.expires) {
		p.expires = until
	}
	if p.box.tells {
		event := modelEvent{from: p.status, to: p.status, at: now, claim: true}
		if came := p.counted(); came > 0 {
			event.received = new(fiatText(came))
		}
		p.events = append(p.events, event)
	}
}

func (m *gatewayModel) expire(p *modelPayment) {
	reason := "expired"
	m.move(p, "failed", "system", &reason, nil)
}

func (m *gatewayModel) settle(p *modelPayment) {
	m.shift(p, func() {
		p.fiat, p.unavailable = m.rates[p.currency].fiat, false
		p.price()
	})
}

// fresh: from the instant it turns stale, a rate is only the last one known.
func (m *gatewayModel) fresh(currency string) bool {
	rate, known := m.rates[currency]
	return known && (rate.stale.IsZero() || rate.stale.After(m.now))
}

type modelOffer struct {
	requisite *modelRequisite
	markup    string
	source    string
	quote     modelQuote
}

// expect says what becomes of a valid creation: the order id first, then what
// is enabled, limits, rate, requisite.
func (m *gatewayModel) expect(a modelAsk) modelExpectation {
	if p := m.keys[a.key()]; p != nil {
		return modelExpectation{replay: true, mismatch: a.mismatch(p)}
	}
	merchant := m.merchants[a.merchant]
	box, code := merchant.boxFor(a.method, a.currency)
	if code != "" {
		return modelExpectation{code: code}
	}
	if limit, limited := m.limits[a.currency]; limited && (a.amount < limit[0] || a.amount > limit[1]) {
		return modelExpectation{code: "merchant_collect_amount_outside_platform_limits"}
	}
	offers := m.offers(a, merchant, box)
	if len(offers) == 0 {
		return modelExpectation{code: "collect_requisites_not_available"}
	}
	return modelExpectation{box: box, offers: offers}
}

// boxFor: a key's own cashbox, or the first enabled one of an unbound key's
// merchant.
func (m *modelMerchant) boxFor(method, currency string) (*modelBox, string) {
	takes := func(b *modelBox) bool {
		return b.currency == currency && b.methods[method] != nil && b.methods[method].enabled
	}
	if m.unbound {
		for _, box := range m.boxes {
			if box.collect && takes(box) {
				return box, ""
			}
		}
		return nil, "merchant_collect_method_disabled"
	}
	box := m.boxes[0]
	switch {
	case !box.collect:
		return nil, "merchant_collect_disabled"
	case !takes(box):
		return nil, "merchant_collect_method_disabled"
	}
	return box, ""
}

// offers finds the requisites that qualify. Which of them is taken stays open:
// each process goes by its own memory of their use, which payments made at the
// same time or lost on the way change, too. The order has tests of its own,
// where the choice is.
func (m *gatewayModel) offers(a modelAsk, merchant *modelMerchant, box *modelBox) []modelOffer {
	rate, known := m.rates[a.currency]
	if !known {
		return nil
	}
	var offers []modelOffer
	for _, r := range m.requisites {
		if !m.qualifies(r, a) {
			continue
		}
		markup, source := firstPercent(a.percent, box.methods[a.method].margin, merchant.percent, r.trader.percent,
			modelMarkup)
		quote := quoteModel(a.amount, rate.fiat, markup, r.trader.share)
		if m.accounts[ledger.Available(ledger.Trader, r.trader.ID)] < quote.spot-quote.trader {
			continue
		}
		offers = append(offers, modelOffer{r, markup, source, quote})
	}
	return offers
}

// qualifies judges all but the trader's means.
func (m *gatewayModel) qualifies(r *modelRequisite, a modelAsk) bool {
	if r.currency != a.currency || r.method != a.method || !r.active || a.amount < r.min || a.amount > r.max {
		return false
	}
	if _, held := m.held(modelSlot{r.id, a.amount}); held {
		return false
	}
	count, sum, open := int64(0), int64(0), int64(0)
	for _, p := range m.payments {
		// What ended unpaid does not count.
		if p.requisite == r && p.status != "failed" && p.status != "cancelled" &&
			modelDay(p.created) == modelDay(m.now) {
			count, sum = count+1, sum+p.amount
		}
	}
	for slot, hold := range m.slots {
		if slot.requisite == r.id && hold.free.IsZero() {
			open++
		}
	}
	return (r.daily == 0 || count < r.daily) && (r.dailySum == 0 || sum+a.amount <= r.dailySum) &&
		(r.open == 0 || open < r.open)
}

// modelDay is a day of the requisites' zone: Moscow, three hours ahead.
func modelDay(at time.Time) string { return at.Add(3 * time.Hour).Format(time.DateOnly) }

// firstPercent picks the markup: the body's, the cashbox method's, the
// merchant's, the trader's, the configured one.
func firstPercent(ranked ...string) (percent, source string) {
	for i, percent := range ranked {
		if percent != "" {
			return percent, []string{"body", "cashbox_method", "merchant", "trader", "configuration"}[i]
		}
	}
	return "", ""
}

// create makes the payment that took the offer.
func (m *gatewayModel) create(a modelAsk, box *modelBox, o modelOffer, id int64, name, actor string) *modelPayment {
	p := &modelPayment{
		modelStepped: a.modelStepped, id: id, uuid: name, merchantID: m.merchants[a.merchant].ID, box: box, order: a.order,
		method: a.method, currency: a.currency, callback: a.callback, amount: a.amount,
		expires: m.now.Add(box.methods[a.method].validity), requisite: o.requisite, markup: o.markup, source: o.source,
		share: o.requisite.trader.share, fiat: m.rates[a.currency].fiat, unavailable: !m.fresh(a.currency),
		quote: o.quote, hold: o.quote.spot - o.quote.trader,
	}
	m.begin(p, actor, "pending")
	if cardMethod(p.method) {
		p.checkout = &modelCheckout{phase: phaseDetails}
	} else {
		m.slots[p.slot()] = modelHold{payment: id}
	}
	m.keys[a.key()] = p
	m.payments = append(m.payments, p)
	return p
}
