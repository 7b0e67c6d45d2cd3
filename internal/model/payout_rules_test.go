package model_test

import (
	"math/big"
	"time"

	"gateway.example/internal/ledger"
)

type modelPayout struct {
	// step is the one that created it.
	step                     int
	id, merchantID           int64
	uuid                     string
	box                      *modelBox
	order, method, callback  string
	address, recipient       string
	amount                   int64
	status                   string
	reason, proof            *string
	at, expires, created     time.Time
	fiat                     *big.Rat
	markup                   string
	spot, frozen             int64
	trader                   *modelTrader
	traderPart, platformPart int64
	modelHistory
	modelNews
}

func (p *modelPayout) open() bool { return p.status == "waiting" || p.status == "processing" }

// position: open payouts freeze; a completed one has divided what was frozen; the others stand
// nowhere.
func (p *modelPayout) position() map[ledger.Account]int64 {
	available := ledger.Available(ledger.Cashbox, p.box.id)
	switch {
	case p.open():
		return map[ledger.Account]int64{available: -p.frozen, ledger.Reserved(ledger.Cashbox, p.box.id): p.frozen}
	case p.status == "completed":
		return map[ledger.Account]int64{
			available: -p.frozen, ledger.Available(ledger.Trader, p.trader.ID): p.traderPart,
			ledger.Available(ledger.Platform, 0): p.platformPart,
		}
	}
	return nil
}

func (p *modelPayout) origin() modelAddress {
	return modelAddress{p.merchantID, p.id, "payin", p.method, p.box, p.callback}
}

func (p *modelPayout) data() (map[string]any, any) {
	return map[string]any{
		"id": p.uuid, "orderId": p.order, "amount": fiatText(p.amount), "currency": "RUB", "method": p.method,
		"frozenUsdt": usdtText(p.frozen),
	}, p.uuid
}

// quotePayout: spot = amount / base, rounded down; frozen = amount / base × (1 + markup/100),
// rounded up.
func quotePayout(amount int64, fiat *big.Rat, markup string) (spot, frozen int64) {
	exact := new(big.Rat).Quo(big.NewRat(amount, 100), fiat)
	marked := new(big.Rat).Mul(exact, new(big.Rat).Add(big.NewRat(1, 1), percentOf(markup)))
	return floorUSDT(exact), ceilUSDT(marked)
}

func ceilUSDT(r *big.Rat) int64 {
	floor := floorUSDT(r)
	if big.NewRat(floor, 1e8).Cmp(r) < 0 {
		return floor + 1
	}
	return floor
}

// modelPayoutExpectation is what the creation of a payout must answer.
type modelPayoutExpectation struct {
	// code is the refusal's, "" for none; fields are those a validation finds wrong.
	code     string
	fields   []string
	replay   *modelPayout
	mismatch []string
	box      *modelBox
}

// expectPayout says what becomes of a valid creation: the order id first, then the cashbox, then
// its balance.
func (m *gatewayModel) expectPayout(a modelPayoutAsk) modelPayoutExpectation {
	if p := m.payoutKeys[a.key()]; p != nil {
		return modelPayoutExpectation{replay: p, mismatch: a.mismatch(p)}
	}
	box, wrong := m.merchants[a.merchant].payingBox(a.method)
	if wrong != "" {
		return modelPayoutExpectation{code: "validation_failed", fields: []string{wrong}}
	}
	want := modelPayoutExpectation{box: box}
	if m.affordable(box, a.method, a.amount) < 1 {
		want.code = "insufficient_cashbox_balance"
	}
	return want
}

// payingBox: a key's own cashbox, or the first of an unbound key's merchant that pays out by the
// method. Without one the field that is wrong.
func (m *modelMerchant) payingBox(method string) (*modelBox, string) {
	pays := func(b *modelBox) bool { return b.payouts[method] != nil && b.payouts[method].enabled }
	if m.unbound {
		for _, box := range m.boxes {
			if pays(box) {
				return box, ""
			}
		}
		return nil, "currency"
	}
	switch box := m.boxes[0]; {
	case box.currency != "RUB":
		return nil, "currency"
	case !pays(box):
		return nil, "method"
	default:
		return box, ""
	}
}

// affordable is how many payouts of an amount a cashbox can freeze.
func (m *gatewayModel) affordable(box *modelBox, method string, amount int64) int64 {
	_, frozen := quotePayout(amount, m.rates["RUB"].fiat, box.payouts[method].markup)
	return max(m.accounts[ledger.Available(ledger.Cashbox, box.id)], 0) / frozen
}

func (m *gatewayModel) createPayout(a modelPayoutAsk, box *modelBox, id int64, uuid, actor string) *modelPayout {
	method := box.payouts[a.method]
	p := &modelPayout{
		step:       a.step,
		id:         id,
		uuid:       uuid,
		merchantID: m.merchants[a.merchant].ID,
		box:        box,
		order:      a.order,
		method:     a.method,
		callback:   a.callback,
		address:    a.address,
		recipient:  a.recipient,
		amount:     a.amount,
		at:         m.now,
		created:    m.now,
		expires:    m.now.Add(method.validity),
		fiat:       m.rates["RUB"].fiat,
		markup:     method.markup,
	}
	p.spot, p.frozen = quotePayout(p.amount, p.fiat, p.markup)
	p.begin(actor, "waiting", m.now)
	m.shift(p, func() { p.status = "waiting" })
	m.payoutKeys[a.key()] = p
	m.payouts = append(m.payouts, p)
	return p
}

// refuseTake is why a trader cannot take a payout, "" if they can: they pay by the method, have not
// taken as many as they may, it waits, and it is not overdue.
func (m *gatewayModel) refuseTake(p *modelPayout, trader *modelTrader) string {
	switch {
	case !trader.pays[p.method]:
		return "not_found"
	case m.taken(trader) >= trader.takes:
		return "payin_take_limit"
	case p.status != "waiting" || !p.expires.After(m.now):
		return "payin_not_waiting"
	}
	return ""
}

// taken counts what a trader has taken and not ended.
func (m *gatewayModel) taken(trader *modelTrader) int {
	count := 0
	for _, p := range m.payouts {
		if p.status == "processing" && p.trader == trader {
			count++
		}
	}
	return count
}

// giveBack lets any trader take a payout again. Of it nothing moves but its status.
func (m *gatewayModel) giveBack(p *modelPayout, actor string, reason *string) {
	m.movePayout(p, "waiting", actor, reason)
	p.trader, p.traderPart, p.platformPart = nil, 0, 0
}

// take gives a payout to a trader: they will get spot and their percent of it, but no more than
// there is, the platform the rest.
func (m *gatewayModel) take(p *modelPayout, trader *modelTrader) {
	share := floorUSDT(new(big.Rat).Mul(big.NewRat(p.spot, 1e8), percentOf(trader.share)))
	p.trader, p.traderPart = trader, p.spot+min(share, p.frozen-p.spot)
	p.platformPart = p.frozen - p.traderPart
	m.movePayout(p, "processing", trader.Caller.Actor(), nil)
}

// endPayout carries a payout to a terminal status, of which the merchant is told.
func (m *gatewayModel) endPayout(p *modelPayout, to, actor string, reason, proof *string) {
	p.events = append(p.events, modelEvent{from: p.status, to: to, reason: reason, at: m.now})
	if proof != nil {
		p.proof = proof
	}
	m.movePayout(p, to, actor, reason)
}

func (m *gatewayModel) movePayout(p *modelPayout, to, actor string, reason *string) {
	p.moves = append(p.moves, modelMove{actor, p.status, to, reason, m.now})
	m.shift(p, func() { p.status, p.reason, p.at = to, reason, m.now })
}

// expiredPayouts are those whose time is over before anybody took them: at the very instant
// already.
func (m *gatewayModel) expiredPayouts() []*modelPayout {
	var over []*modelPayout
	for _, p := range m.payouts {
		if p.status == "waiting" && !p.expires.After(m.now) {
			over = append(over, p)
		}
	}
	return over
}

func (m *gatewayModel) expirePayout(p *modelPayout) { m.endPayout(p, "expired", "system", nil, nil) }
