package model_test

import (
	"context"
	"fmt"
	"math/big"
	"strconv"

	"gateway.example/internal/ledger"
	"gateway.example/internal/payout"
)

func (w *modelWalk) payOut(s modelStep) { w.payOutCreation(w.payoutAsk(s)).make(w) }

func (w *modelWalk) payOutAgain(s modelStep) {
	if a, ok := w.payoutAgain(s); ok {
		w.payOutCreation(a).make(w)
	}
}

func (w *modelWalk) payOutCreation(a modelPayoutAsk) modelCreation[payout.Payin] {
	w.asks.payouts = append(w.asks.payouts, a)
	who := w.model.merchants[a.merchant].Caller
	judge := func(p *modelPayout, got payout.Payin) {
		w.touch(p)
		p.same(got)
	}
	return modelCreation[payout.Payin]{
		what:   "payout ",
		expect: func() modelExpectation { return w.model.expectPayout(a) },
		call: func(ctx context.Context) (modelMade[payout.Payin], error) {
			c, err := w.payouts.Create(ctx, who, a.request())
			return modelMade[payout.Payin]{c.Payin, c.Replay, c.Mismatch}, err
		},
		same: func(got payout.Payin) { judge(w.model.payoutKeys[a.key()], got) },
		adopt: func(want modelExpectation, got payout.Payin) {
			p := w.model.createPayout(a, want.box, got.ID, got.UUID.String(), who.Actor())
			w.tell("payout created", p.origin(), fmt.Sprintf(" %+v freezes %d", a, p.frozen))
			judge(p, got)
		},
	}
}

// rushPayouts makes several creations at once: the same one, of which one creates, or different ones.
func (w *modelWalk) rushPayouts(s modelStep) {
	a := w.payoutAsk(s)
	if want := w.model.expectPayout(a); s.n[0]%2 == 0 && want.box != nil {
		w.rushForMoney(a, want.box)
		return
	}
	w.payOutCreation(a).rush(w)
}

// rushForMoney makes four equal payouts at once on a cashbox that has money for about two of them.
func (w *modelWalk) rushForMoney(a modelPayoutAsk, box *modelBox) {
	a.amount = max(w.model.worth(box, a.method)*2/5, 1_00)
	a.literal = fiatText(a.amount)
	fit := min(w.model.affordable(box, a.method, a.amount), 4)
	var creations []modelCreation[payout.Payin]
	for i := range 4 {
		a.order = fmt.Sprintf("rush-%d-%d", a.step, i)
		creations = append(creations, w.payOutCreation(a))
	}
	answers, errs := atOnce(4, func(i int) (modelMade[payout.Payin], error) { return creations[i].call(w.ctx) })
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

// worth is what a cashbox's available USDT pay out by a method, in hundredths of the fiat.
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

// The second of each method's recipients differs in the visible digits too. Cards, and an account of 20 digits.
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
