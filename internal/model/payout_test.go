package model_test

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payout"
)

func (w *modelWalk) payOut(s modelStep) { w.payOutCreation(w.payoutAsk(s)).make(w) }

func (w *modelWalk) payOutAgain(s modelStep) {
	if a, ok := w.payoutAgain(s); ok {
		w.payOutCreation(a).make(w)
	}
}

func (w *modelWalk) payOutCreation(a modelPayoutAsk) modelCreation[payout.Payout] {
	w.asks.payouts = append(w.asks.payouts, a)
	who := w.model.merchants[a.merchant].Caller
	judge := func(p *modelPayout, got payout.Payout) {
		w.touch(p)
		p.same(got)
	}
	return modelCreation[payout.Payout]{
		what:   "payout ",
		expect: func() modelExpectation { return w.model.expectPayout(a) },
		call: func(ctx context.Context) (modelMade[payout.Payout], error) {
			c, err := w.payouts.Create(ctx, who, a.request())
			return modelMade[payout.Payout]{c.Payout, c.Replay, c.Mismatch}, err
		},
		same: func(got payout.Payout) { judge(w.model.payoutKeys[a.key()], got) },
		adopt: func(want modelExpectation, got payout.Payout) {
			p := w.model.createPayout(a, want.box, got.ID, got.UUID.String(), who.Actor())
			w.tell("payout created", p.origin(), fmt.Sprintf(" %+v freezes %d", a, p.frozen))
			judge(p, got)
		},
	}
}

// rushPayouts makes several creations at once: the same one, of which one
// creates, or different ones.
func (w *modelWalk) rushPayouts(s modelStep) {
	a := w.payoutAsk(s)
	if want := w.model.expectPayout(a); s.n[0]%2 == 0 && want.box != nil {
		w.rushForMoney(a, want.box)
		return
	}
	w.payOutCreation(a).rush(w)
}

// rushForMoney makes four equal payouts at once on a cashbox that has money for
// about two of them.
func (w *modelWalk) rushForMoney(a modelPayoutAsk, box *modelBox) {
	a.amount = max(w.model.worth(box, a.method)*2/5, 1_00)
	a.literal = fiatText(a.amount)
	fit := min(w.model.affordable(box, a.method, a.amount), 4)
	var creations []modelCreation[payout.Payout]
	for i := range 4 {
		a.order = fmt.Sprintf("rush-%d-%d", a.step, i)
		creations = append(creations, w.payOutCreation(a))
	}
	answers, errs := atOnce(4, func(i int) (modelMade[payout.Payout], error) { return creations[i].call(w.ctx) })
	w.tell("payout rushed for money", fit, " of 4 fit")
	made := int64(0)
	for i, creation := range creations {
		if errs[i] != nil {
			wantCode(errs[i], "insufficient_cashbox_balance")
			continue
		}
		made++
		creation.judge(w, modelExpectation{box: box}, answers[i])
	}
	if made != fit {
		fail("%d payouts made, not %d", made, fit)
	}
}

// worth is what a cashbox's available USDT pay out by a method, in hundredths
// of the fiat.
func (m *gatewayModel) worth(box *modelBox, method string) int64 {
	available := big.NewRat(max(m.accounts[ledger.Available(ledger.Cashbox, box.id)], 0), 1e6)
	exact := available.Mul(available, m.rates["RUB"].fiat)
	exact.Quo(exact, new(big.Rat).Add(big.NewRat(1, 1), percentOf(box.payouts[method].markup)))
	return new(big.Int).Quo(exact.Num(), exact.Denom()).Int64()
}

// modelPayoutAsk is a payout somebody asks for: always of a valid shape.
type modelPayoutAsk struct {
	modelAsker
	order, method string
	literal       string
	amount        int64
	callback      string
	address       string
	recipient     string
	// padded puts spaces around the order id and the recipient.
	padded bool
}

// modelPayoutCounters are who pays out how: mostly what is enabled.
var modelPayoutCounters = []struct {
	merchant int
	method   string
}{
	{0, "sbp"}, {0, "c2c"}, {1, "sbp"}, {2, "sbp"}, {2, "c2c"}, {0, "sbp"}, {1, "sbp"}, {2, "sbp"}, {2, "c2c"}, {0, "c2c"},
	// Not enabled, and of a merchant without roubles.
	{1, "c2c"}, {3, "sbp"},
}

var modelPayoutAmounts = []struct {
	literal string
	amount  int64
}{
	{"1000", 1_000_00}, {"500.00", 500_00}, {"99.99", 99_99}, {"1", 1_00}, {"777.77", 777_77}, {"3333.33", 3_333_33},
	{"0250.5", 250_50}, {"60000", 60_000_00},
}

// The second of each method's recipients differs in the visible digits too.
// Cards, and an account of 20 digits.
var modelRecipients = map[string][]string{
	"sbp": {"+79001234567", "+79161112233"},
	"c2c": {"4111111111111111", "5555555555554444", "40817810099910004312"},
}

func (w *modelWalk) payoutAsk(s modelStep) modelPayoutAsk {
	counter, amount := pickModel(modelPayoutCounters, s.n[1]), pickModel(modelPayoutAmounts, s.n[2])
	return modelPayoutAsk{
		modelAsker: modelAsker{modelStepped{s.id}, counter.merchant}, order: "payout-" + strconv.Itoa(s.n[5]),
		method: counter.method, literal: amount.literal, amount: amount.amount,
		callback: w.hooks.address(s.n[4] % 2), address: pickModel(modelRecipients[counter.method], s.n[3]),
		recipient: pickModel([]string{"Ivan Petrov", "Анна Ё."}, s.n[3]/10),
	}
}

// payoutAgain is an earlier ask once more, or nearly.
func (w *modelWalk) payoutAgain(s modelStep) (modelPayoutAsk, bool) {
	a, ok := askedBefore(w, s, w.asks.payouts)
	other := w.payoutAsk(s)
	a.step = s.id
	switch s.n[5] % 8 {
	case 0:
		a.amount, a.literal = other.amount, other.literal
	case 1:
		a.callback = other.callback
	case 2:
		a.method, a.address = other.method, other.address
	case 3:
		a.merchant = other.merchant
	case 4:
		a.padded = true
	case 5:
		if ok {
			a.address, a.recipient = pickModel(modelRecipients[a.method], s.n[3]), other.recipient
		}
	}
	return a, ok
}

func (a modelPayoutAsk) key() modelKey { return modelKey{a.merchant, a.method, a.order} }

func (a modelPayoutAsk) mismatch(p *modelPayout) []string {
	return differing([]modelField{
		{"amount", a.amount, p.amount}, {"callbackUri", a.callback, p.callback}, {"address", a.address, p.address},
		{"recipient", a.recipient, p.recipient},
	})
}

func (a modelPayoutAsk) request() payout.Request {
	r := payout.Request{
		OrderID: a.order, Amount: a.literal, Currency: "RUB", CallbackURI: a.callback,
		Method: a.method, Address: a.address, Recipient: a.recipient,
	}
	if a.padded {
		r.OrderID, r.Recipient = "\t"+a.order+" ", " "+a.recipient+"\n"
	}
	return r
}

// modelKept is a record that a step can be about: by the number of the step
// that made it.
type modelKept interface {
	comparable
	modelRecord
	maker() int
}

// pickRecord picks one of a list for the step to be about: two times in three
// of those that are wanted, if any. What the step was about when it was first
// played it is about again.
func pickRecord[T modelKept](w *modelWalk, n int, list []T, wanted func(T) bool) T {
	from := list
	if w.now.ref == 0 && n%3 > 0 {
		from = those(list, wanted)
	}
	if len(from) == 0 {
		from = list
	}
	i := w.refer(n/3, len(from), func(i int) int { return from[i].maker() })
	if i < 0 {
		var none T
		return none
	}
	w.touch(from[i])
	return from[i]
}

func (w *modelWalk) take(s modelStep, p *modelPayout) {
	trader := pickModel(w.model.traders, s.n[1])
	ctx, injury := w.injured()
	offer, err := w.payouts.Take(ctx, trader.Caller, p.uuid)
	if w.judged(injury, err, w.model.refuseTake(p, trader)) {
		w.taken(p, trader)
		p.judgeOffer(injury, offer)
	}
}

func (w *modelWalk) taken(p *modelPayout, trader *modelTrader) {
	w.movedPayout(p, "processing")
	w.model.take(p, trader)
}

// reward is what a trader is promised for a payout: nothing for a return, which
// gives them what is theirs already.
func (p *modelPayout) reward() int64 {
	if p.returnOf != nil {
		return 0
	}
	return p.traderPart
}

// judgeOffer wants a trader shown the whole requisite of the payout they took,
// and what they get for it.
func (p *modelPayout) judgeOffer(i *injury, offer payout.Offer) {
	if i.lost() {
		return
	}
	sameFields(p.origin(), []modelField{
		{"address", offer.Address, p.address}, {"recipient", offer.Recipient, p.recipient},
		{"reward", offer.RewardUSDT.Shift(8), p.reward()},
	})
	p.same(offer.Payout)
}

// movedPayout tells of a move that is about to be made in the model.
func (w *modelWalk) movedPayout(p *modelPayout, to string) {
	what := "payout "
	if p.returnOf != nil {
		what = "return "
	}
	w.tell(what+p.status+"-"+to, p.origin())
}

// takeBoth has two traders take a payout at once: one of those who can gets it.
func (w *modelWalk) takeBoth(s modelStep, p *modelPayout) {
	takers := []*modelTrader{pickModel(w.model.traders, s.n[1]), pickModel(w.model.traders, s.n[1]+1)}
	var rivals []modelRival
	for _, trader := range takers {
		rivals = append(rivals, w.taking(p, trader))
	}
	w.tell("payout taken by two", p.origin())
	rivalsAtOnce(rivals)
}

// taker is the payout's trader, now and then another.
func (w *modelWalk) taker(s modelStep, p *modelPayout) *modelTrader {
	if p.trader == nil || s.n[1]%6 == 0 {
		return pickModel(w.model.traders, s.n[3])
	}
	return p.trader
}

// finish is the word of a trader, mostly the one who took the payout: paid, or
// not to be paid.
func (w *modelWalk) finish(s modelStep, p *modelPayout) {
	trader, text := w.taker(s, p), new("word "+strconv.Itoa(s.n[4]%10))
	to, call := "completed", w.payouts.Complete
	reason, proof := (*string)(nil), text
	if s.n[2]%3 == 0 {
		if s.n[4]%3 == 0 { // only what was paid takes a word
			text = nil
		}
		to, call, reason, proof = "failed", w.payouts.Fail, text, nil
	}
	want := refuseTaker(p, trader)
	ctx, injury := w.injured()
	offer, err := call(ctx, trader.Caller, p.uuid, text)
	if w.judged(injury, err, want) {
		w.endPayout(p, to, trader.Caller.Actor(), reason, proof)
		p.judgeOffer(injury, offer)
	}
}

// refuseTaker is why a trader cannot end or give back a payout, "" if they can.
func refuseTaker(p *modelPayout, trader *modelTrader) string {
	if p.trader != trader {
		return "not_found"
	}
	return unless(p.status == "processing", "payin_not_processing")
}

// bound is why a payout stays its trader's: nobody else got the money that it
// returns.
func (p *modelPayout) bound() string { return unless(p.returnOf == nil, "payin_is_return") }

// giveBack lets go of a payout that was taken: its trader does, or an operator
// does it for them.
func (w *modelWalk) giveBack(s modelStep, p *modelPayout) {
	reason := new("cannot pay " + strconv.Itoa(s.n[4]%10))
	ctx, injury := w.injured()
	var err error
	who, want := modelOperator, cmp.Or(unless(p.status == "processing", "payin_not_processing"), p.bound())
	if s.n[2]%3 == 0 {
		_, err = w.payouts.Reclaim(ctx, who, p.uuid, payout.Resolution{Reason: reason})
	} else {
		trader := w.taker(s, p)
		who, want = trader.Caller, cmp.Or(refuseTaker(p, trader), p.bound())
		_, err = w.payouts.GiveBack(ctx, who, p.uuid, reason)
	}
	if w.judged(injury, err, want) {
		w.movedPayout(p, "waiting")
		w.model.giveBack(p, who.Actor(), reason)
	}
}

// reverse is an operator's turning a completed payout into a failed one,
// whatever became of its money.
func (w *modelWalk) reverse(s modelStep, p *modelPayout) {
	reason := new("never arrived " + strconv.Itoa(s.n[4]%10))
	ctx, injury := w.injured()
	_, err := w.payouts.Reverse(ctx, modelOperator, p.uuid, reason)
	if w.judged(injury, err, unless(p.status == "completed", "payin_not_completed")) {
		w.endPayout(p, "failed", modelOperator.Actor(), reason, nil)
	}
}

// withdraw is the merchant's taking a payout back, by their key or in their
// portal.
func (w *modelWalk) withdraw(s modelStep, p *modelPayout) {
	merchant := pickModel(w.model.merchants, s.n[1])
	if s.n[2]%6 > 0 {
		merchant = w.merchantOf(p.merchantID)
	}
	who := merchant.Caller
	if s.n[3]%2 == 0 {
		who = caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 9, MerchantID: merchant.ID}
	}
	want := unless(p.status == "waiting", "payin_not_waiting")
	if merchant.ID != p.merchantID {
		want = "cashbox_access_denied"
	}
	ctx, injury := w.injured()
	_, err := w.payouts.Cancel(ctx, who, p.uuid)
	if w.judged(injury, err, want) {
		w.endPayout(p, "cancelled", who.Actor(), nil, nil)
	}
}

// endPayout carries a payout to a terminal status.
func (w *modelWalk) endPayout(p *modelPayout, to, actor string, reason, proof *string) {
	w.movedPayout(p, to)
	w.model.endPayout(p, to, actor, reason, proof)
}

func (w *modelWalk) overdue(p *modelPayout) bool {
	return p.status == "processing" && !p.expires.After(w.model.now)
}

// resolve is an operator's word on a payout in processing, by preference one
// whose time is over.
func (w *modelWalk) resolve(s modelStep, p *modelPayout) {
	r := payout.Resolution{Outcome: pickModel([]string{"completed", "failed"}, s.n[1])}
	if s.n[3]%2 == 0 || r.Outcome == "completed" {
		r.Reason, r.ProofReference = new("looked into"), new("proof "+strconv.Itoa(s.n[3]%9))
	}
	if w.overdue(p) {
		w.tell("payout overdue", p.origin())
	}
	want := unless(p.status == "processing", "payin_not_processing")
	ctx, injury := w.injured()
	_, err := w.payouts.Resolve(ctx, modelOperator, p.uuid, r)
	if w.judged(injury, err, want) {
		w.endPayout(p, r.Outcome, modelOperator.Actor(), r.Reason, r.ProofReference)
	}
}
