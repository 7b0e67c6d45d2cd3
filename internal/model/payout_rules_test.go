package model_test

import (
	"math/big"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
)

type modelPayout struct {
	modelStepped
	id, merchantID int64
	uuid           string
	box            *modelBox
	// returnOf is the payment whose money it returns to its payer, or nil.
	returnOf                 *int64
	order, method, callback  string
	currency                 string
	address, recipient       string
	amount                   int64
	proof                    *string
	expires                  time.Time
	fiat                     *big.Rat
	markup                   string
	spot, frozen             int64
	trader                   *modelTrader
	gaveBack                 []*modelTrader
	traderPart, platformPart int64
	modelHistory
	modelNews
}

func (p *modelPayout) open() bool { return p.status == "waiting" || p.status == "processing" }

// position: open payouts freeze; a completed one has divided what was frozen;
// the others stand nowhere. One that returns money holds its worth of its
// trader, who has what came; if they do not send it, the cashbox gets that.
func (p *modelPayout) position() map[ledger.Account]int64 {
	available := ledger.Available(ledger.Cashbox, p.box.id)
	switch {
	case p.returnOf != nil && p.status == "processing":
		return map[ledger.Account]int64{ledger.Available(ledger.Trader, p.trader.ID): -p.frozen, p.holder(): p.frozen}
	case p.returnOf != nil && p.status == "failed":
		return map[ledger.Account]int64{ledger.Available(ledger.Trader, p.trader.ID): -p.frozen, available: p.frozen}
	case p.returnOf != nil:
		return nil
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
		"id": p.uuid, "orderId": p.order, "amount": fiatText(p.amount), "currency": p.currency,
		"method": p.method, "frozenUsdt": usdtText(p.cost()),
	}, p.uuid
}

// cost is what a payout costs its cashbox: nothing where it returns money.
func (p *modelPayout) cost() int64 {
	if p.returnOf != nil {
		return 0
	}
	return p.frozen
}

// quotePayout: spot = amount / base, rounded down; frozen = amount / base × (1
// + markup/100), rounded up.
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

// expectPayout says what becomes of a valid creation: the order id first, then
// the cashbox, then its balance.
func (m *gatewayModel) expectPayout(a modelPayoutAsk) modelExpectation {
	if p := m.payoutKeys[a.key()]; p != nil {
		return modelExpectation{replay: true, mismatch: a.mismatch(p)}
	}
	box, wrong := m.merchants[a.merchant].payingBox(a.method)
	if wrong != "" {
		return modelExpectation{code: "validation_failed", fields: []string{wrong}}
	}
	code := unless(m.affordable(box, a.method, a.amount) > 0, "insufficient_cashbox_balance")
	return modelExpectation{box: box, code: code}
}

// payingBox: a key's own cashbox, or the first of an unbound key's merchant
// that pays out by the method. Without one the field that is wrong.
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
		modelStepped: a.modelStepped, id: id, uuid: uuid, merchantID: m.merchants[a.merchant].ID, box: box, order: a.order,
		method: a.method, currency: "RUB", callback: a.callback, address: a.address, recipient: a.recipient, amount: a.amount,
		expires: m.now.Add(method.validity), fiat: m.rates["RUB"].fiat, markup: method.markup,
	}
	p.spot, p.frozen = quotePayout(p.amount, p.fiat, p.markup)
	m.begin(p, actor, "waiting")
	m.payoutKeys[a.key()] = p
	m.payouts = append(m.payouts, p)
	return p
}

// refuseTake is why a trader cannot take a payout, "" if they can: they pay by
// the method, have not taken as many as they may, it waits, and it is not
// overdue.
func (m *gatewayModel) refuseTake(p *modelPayout, trader *modelTrader) string {
	switch {
	case !trader.pays[p.method]:
		return "not_found"
	case m.taken(trader) >= trader.takes:
		return "payin_take_limit"
	case p.status != "waiting" || !p.expires.After(m.now):
		return "payin_not_waiting"
	case slices.Contains(p.gaveBack, trader):
		return "not_found"
	}
	return ""
}

// taken counts what a trader has taken and not ended.
func (m *gatewayModel) taken(trader *modelTrader) int {
	return len(those(m.payouts, func(p *modelPayout) bool { return p.status == "processing" && p.trader == trader }))
}

// giveBack lets any trader take a payout again, but for one who gave it back
// themselves. Of it nothing moves but its status.
func (m *gatewayModel) giveBack(p *modelPayout, actor string, reason *string) {
	m.carry(p, "waiting", actor, reason)
	p.reason = nil // it is for operators, who read the history
	if p.trader != nil && actor == p.trader.Caller.Actor() {
		p.gaveBack = append(p.gaveBack, p.trader)
	}
	p.trader, p.traderPart, p.platformPart = nil, 0, 0
}

// take gives a payout to a trader: they will get spot and their percent of it,
// but no more than there is, the platform the rest.
func (m *gatewayModel) take(p *modelPayout, trader *modelTrader) {
	share := floorUSDT(new(big.Rat).Mul(big.NewRat(p.spot, 1e8), percentOf(trader.share)))
	p.trader, p.traderPart = trader, p.spot+min(share, p.frozen-p.spot)
	p.platformPart = p.frozen - p.traderPart
	m.carry(p, "processing", trader.Caller.Actor(), nil)
}

// endPayout carries a payout to a terminal status, of which the merchant is
// told.
func (m *gatewayModel) endPayout(p *modelPayout, to, actor string, reason, proof *string) {
	p.events = append(p.events, modelEvent{from: p.status, to: to, reason: reason, at: m.now})
	if proof != nil {
		p.proof = proof
	}
	m.carry(p, to, actor, reason)
}

func (p *modelPayout) look(w *modelWalk, b *pgx.Batch) {
	lookAtRow[db.Payout](b, "payin", p.id, p.shown(), modelFields{
		"CallbackURI": p.callback, "EventSequence": len(p.events), "BaseRate": rounded(p.fiat), "SpotUSDT": usdt(p.spot),
		"FrozenUSDT": usdt(p.frozen), "MarkupPercent": decimal.RequireFromString(p.markup),
		"TraderUSDT":   decimal.NullDecimal{Decimal: usdt(p.traderPart), Valid: p.trader != nil},
		"PlatformUSDT": decimal.NullDecimal{Decimal: usdt(p.platformPart), Valid: p.trader != nil},
	})
	lookAtHistory(b, "payin", p.merchantID, p.id, &p.modelHistory)
	lookAtEvents(w, b, p)
}

// shown is what readers are shown of a payout, as far as the contract decides
// it.
func (p *modelPayout) shown() modelFields {
	var trader *int64
	if p.trader != nil {
		trader = &p.trader.ID
	}
	return modelFields{
		"ID": p.id, "UUID": p.uuid, "MerchantID": p.merchantID, "CashboxID": p.box.id, "OrderID": p.order, "Method": p.method,
		"Currency": p.currency, "Amount": fiat(p.amount), "Recipient": p.recipient,
		"AddressMask": "•••• " + p.address[len(p.address)-4:], "Status": p.status, "StatusReason": p.reason,
		"ProofReference": p.proof, "StatusAt": p.at, "CreatedAt": p.created, "ExpiresAt": p.expires,
		"FrozenUSDT": usdt(p.cost()), "TraderID": trader, "ReturnOf": p.returnOf,
	}
}

// same compares a payout, as readers are shown it, with the model's.
func (p *modelPayout) same(got payout.Payout) { wantFields(p.origin(), got, p.shown()) }

// modelRival is one of two who want to move a payment or payout at the same
// time.
type modelRival struct {
	call func() error
	// refusal is why they could not, even alone; late is what the second of
	// two is told.
	refusal, late string
	// late comes before refusal: it is told where the other one was first.
	lateFirst bool
	apply     func()
}

// duelPayout has a merchant take back what a trader takes, or a trader complete
// what an operator ends as failed: one of the two gets through, if any.
func (w *modelWalk) duelPayout(s modelStep, p *modelPayout) {
	w.tell("payout duel", p.origin())
	if p.trader != nil {
		rivalsAtOnce(w.rivalsForProcessing(p))
		return
	}
	merchant := w.merchantOf(p.merchantID).Caller
	rivalsAtOnce([]modelRival{{
		refusal: unless(p.status == "waiting", "payin_not_waiting"), late: "payin_not_waiting",
		call:  func() error { return testenv.ErrOf(w.payouts.Cancel(w.ctx, merchant, p.uuid)) },
		apply: func() { w.endPayout(p, "cancelled", merchant.Actor(), nil, nil) },
	}, w.taking(p, pickModel(w.model.traders, s.n[1]))})
}

// rivalsAtOnce has two rivals call at the same time, and wants one of those who
// can to get through.
func rivalsAtOnce(rivals []modelRival) {
	errs := testenv.AtOnce(len(rivals), func(i int) error { return rivals[i].call() })
	able, moved := 0, 0
	for i, r := range rivals {
		switch {
		case r.refusal != "":
			if !r.lateFirst || errs[1-i] != nil || codeOf(errs[i]) != r.late {
				wantCode(errs[i], r.refusal)
			}
			continue
		case errs[i] != nil:
			wantCode(errs[i], r.late)
		default:
			if moved++; moved == 1 {
				r.apply()
			}
		}
		able++
	}
	if moved != min(able, 1) {
		fail("%d of %d at once got through", moved, able)
	}
}

// taking is a trader who wants to take a payout.
func (w *modelWalk) taking(p *modelPayout, trader *modelTrader) modelRival {
	refusal := w.model.refuseTake(p, trader)
	return modelRival{
		refusal: refusal, late: "payin_not_waiting",
		lateFirst: refusal == "not_found" && trader.pays[p.method], // they gave it back before
		call:      func() error { return testenv.ErrOf(w.payouts.Take(w.ctx, trader.Caller, p.uuid)) },
		apply:     func() { w.taken(p, trader) },
	}
}

func (w *modelWalk) rivalsForProcessing(p *modelPayout) []modelRival {
	const late = "payin_not_processing"
	refusal, proof := unless(p.status == "processing", late), new("at the same time")
	return []modelRival{{
		refusal: refusal, late: late, apply: func() { w.endPayout(p, "completed", p.trader.Caller.Actor(), nil, proof) },
		call: func() error { return testenv.ErrOf(w.payouts.Complete(w.ctx, p.trader.Caller, p.uuid, proof)) },
	}, {
		refusal: refusal, late: late, apply: func() { w.endPayout(p, "failed", modelOperator.Actor(), nil, nil) },
		call: func() error {
			return testenv.ErrOf(w.payouts.Resolve(w.ctx, modelOperator, p.uuid, payout.Resolution{Outcome: "failed"}))
		},
	}}
}
