package model_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"gateway.example/internal/payment"
)

// modelExpectation is what a creation must answer.
type modelExpectation struct {
	// code is the refusal's, "" for none; fields are those a validation
	// finds wrong.
	code     string
	fields   []string
	replay   bool
	mismatch []string
	box      *modelBox
	// offers are the requisites a new payment may get.
	offers []modelOffer
}

// modelMade is what a creation answers.
type modelMade[T any] struct {
	record   T
	replay   bool
	mismatch []string
}

// modelCreation is the creation of a record that is asked for.
type modelCreation[T any] struct {
	what   string
	expect func() modelExpectation
	call   func(ctx context.Context) (modelMade[T], error)
	// adopt takes a new record into the model; same compares one that was
	// there.
	adopt func(want modelExpectation, got T)
	same  func(got T)
}

// make has it made. Whoever does not learn what became of the call asks again,
// and must find what the lost answer told.
func (c modelCreation[T]) make(w *modelWalk) {
	want := c.expect()
	ctx, injury := w.injured()
	got, err := c.call(ctx)
	switch {
	case w.judged(injury, err, want.code):
		if injury.lost() {
			if got = given(c.call(w.ctx)); !got.replay {
				fail("the repeat of a lost answer created again")
			}
			got.replay = want.replay
		}
		c.judge(w, want, got)
	case !injury.fired:
		wantRefused(err, want.code, want.fields)
	}
}

func (c modelCreation[T]) judge(w *modelWalk, want modelExpectation, got modelMade[T]) {
	if got.replay != want.replay || !slices.Equal(got.mismatch, want.mismatch) {
		fail("replay %t, mismatch %v; want %t, %v", got.replay, got.mismatch, want.replay, want.mismatch)
	}
	if want.replay {
		w.tell(c.what+"replayed", "mismatch ", want.mismatch)
		c.same(got.record)
		return
	}
	c.adopt(want, got.record)
}

// rush has it made three times at once: one creates, the others answer with
// what it created.
func (c modelCreation[T]) rush(w *modelWalk) {
	want := c.expect()
	answers, errs := atOnce(3, func(int) (modelMade[T], error) { return c.call(w.ctx) })
	w.tell(c.what + "rushed")
	// The one that created is judged first; to the others it is there
	// already.
	first := max(slices.IndexFunc(answers, func(m modelMade[T]) bool { return !m.replay }), 0)
	for _, i := range []int{first, (first + 1) % 3, (first + 2) % 3} {
		if want.code != "" {
			wantRefused(errs[i], want.code, want.fields)
			continue
		}
		must(errs[i])
		c.judge(w, c.expect(), answers[i])
	}
}

func (w *modelWalk) create(s modelStep) { w.creation(w.ask(s)).make(w) }

func (w *modelWalk) repeat(s modelStep) {
	if a, ok := w.again(s); ok {
		w.creation(a).make(w)
	}
}

func (w *modelWalk) rush(s modelStep) { w.creation(w.ask(s)).rush(w) }

func (w *modelWalk) creation(a modelAsk) modelCreation[payment.Payment] {
	w.asks.payments = append(w.asks.payments, a)
	who := w.model.merchants[a.merchant].Caller
	return modelCreation[payment.Payment]{
		expect: func() modelExpectation { return w.model.expect(a) },
		call: func(ctx context.Context) (modelMade[payment.Payment], error) {
			c, err := w.service.Create(ctx, who, a.request())
			return modelMade[payment.Payment]{c.Payment, c.Replay, c.Mismatch}, err
		},
		same: func(got payment.Payment) { w.model.keys[a.key()].same(got) },
		// Its requisite must be one of those on offer.
		adopt: func(want modelExpectation, got payment.Payment) {
			i := slices.IndexFunc(want.offers, func(o modelOffer) bool { return o.requisite.id == *got.RequisiteID })
			if i < 0 {
				fail("payment %d took requisite %d, which does not qualify", got.ID, *got.RequisiteID)
			}
			p := w.model.create(a, want.box, want.offers[i], got.ID, got.UUID.String(), who.Actor())
			w.touch(p)
			w.tell("created", "payment ", p.id, " on requisite ", p.requisite.id, fmt.Sprintf(" %+v", a))
			p.same(got)
		},
	}
}

// shown is what readers are shown of a payment, as far as the contract decides
// it.
func (p *modelPayment) shown() modelFields {
	return modelFields{
		"ID": p.id, "UUID": p.uuid, "MerchantID": p.merchantID, "CashboxID": p.box.id, "OrderID": p.order, "Method": p.method,
		"Currency": p.currency, "Amount": fiat(p.amount), "ReceivedAmount": nullModel(p.received), "Status": p.status,
		"StatusReason": p.reason, "StatusAt": p.at, "CreatedAt": p.created, "ExpiresAt": p.expires, "ClaimedAt": p.claimed,
		"EventSequence": len(p.events), "TraderID": p.requisite.trader.ID, "RequisiteID": p.requisite.id,
		"MarkupPercent": decimal.RequireFromString(p.markup), "BaseRate": rounded(p.fiat), "RateUnavailable": p.unavailable,
		"AmountUSDT": usdt(p.quote.amount), "ProfitUSDT": usdt(p.quote.profit),
		"SpreadTraderUSDT": usdt(p.quote.trader), "SpreadPlatformUSDT": usdt(p.quote.platform),
	}
}

// same compares a payment, as readers are shown it, with the model's.
func (p *modelPayment) same(got payment.Payment) { wantFields(p.origin(), got, p.shown()) }

// modelAsks are the creations asked for.
type modelAsks struct {
	payments []modelAsk
	payouts  []modelPayoutAsk
	deposits []modelDepositAsk
	leaves   []modelLeaveAsk
}

// modelStepped is the step that made something, or asked for it.
type modelStepped struct{ step int }

func (s modelStepped) maker() int { return s.step }

// modelAsker is the step that asked for something, and for which merchant.
type modelAsker struct {
	modelStepped
	merchant int
}

// modelAsk is a creation somebody asks for: always of a valid shape.
type modelAsk struct {
	modelAsker
	order            string
	method, currency string
	// literal is how amount, in hundredths, is written.
	literal, percent string
	amount           int64
	callback         string
	// nested asks through rubCollect.method; padded puts spaces around the
	// order id.
	nested, padded bool
}

// Few equal amounts, so that slots collide; the last are beyond some trader's
// means, and beyond every requisite.
var modelAmounts = []struct {
	literal string
	amount  int64
}{
	{"1000", 1_000_00}, {"500", 500_00}, {"1000.00", 1_000_00}, {"99.99", 99_99}, {"1000.5", 1_000_50}, {"1", 1_00},
	{"0500.0", 500_00}, {"7777.77", 7_777_77}, {"60000", 60_000_00}, {"1000000.01", 1_000_000_01},
}

// modelCounters are who asks for what: mostly what is enabled.
var modelCounters = []struct {
	merchant         int
	method, currency string
}{
	{0, "sbp", "RUB"}, {0, "card", "RUB"}, {1, "sbp", "RUB"}, {1, "sim", "RUB"}, {1, "card", "RUB"}, {2, "sbp", "RUB"},
	{2, "card", "RUB"}, {2, "c2c", "MNT"}, {2, "iban", "MNT"}, {0, "sbp", "RUB"}, {1, "sbp", "RUB"}, {2, "sbp", "RUB"},
	{0, "card", "RUB"}, {1, "card", "RUB"}, {2, "card", "RUB"}, {2, "iban", "MNT"},
	// Card checkout.
	{4, "quasi_ecom", "TRY"}, {2, "quasi_ecom", "TRY"}, {1, "mtstpay", "RUB"},
	// Never a rate, not enabled, of another currency.
	{3, "c2c", "KZT"}, {0, "sim", "RUB"}, {0, "c2c", "MNT"}, {2, "c2c", "KZT"}, {0, "mtstpay", "RUB"},
}

// cardCounter turns a step's number into one that asks for a card payment.
func cardCounter(n int) int {
	for !cardMethod(pickModel(modelCounters, n).method) || pickModel(modelCounters, n).merchant == 0 {
		n++
	}
	return n
}

// caseCounter turns a step's number into one that asks for a payment in roubles
// of which another amount is a case.
func caseCounter(n int) int {
	for c := pickModel(modelCounters, n); c.currency != "RUB" || cardMethod(c.method) || c.method == "card"; c = pickModel(modelCounters, n) {
		n++
	}
	return n
}

var modelPercents = []string{"", "", "", "0", "12.3456", "100"}

func (w *modelWalk) ask(s modelStep) modelAsk {
	counter, amount := pickModel(modelCounters, s.n[1]), pickModel(modelAmounts, s.n[2])
	return modelAsk{
		modelAsker: modelAsker{modelStepped{s.id}, counter.merchant}, order: "order-" + strconv.Itoa(s.n[5]),
		method: counter.method, currency: counter.currency, literal: amount.literal, amount: amount.amount,
		percent: pickModel(modelPercents, s.n[3]), callback: w.hooks.address(s.n[4] % 2), nested: s.n[4]%3 == 0,
	}
}

// askedBefore is an earlier ask that a step asks for once more, or nearly.
func askedBefore[T interface{ maker() int }](w *modelWalk, s modelStep, asks []T) (a T, ok bool) {
	i := w.refer(s.n[0], len(asks), func(i int) int { return asks[i].maker() })
	if i < 0 {
		return a, false
	}
	return asks[i], true
}

// again is an earlier ask once more, or nearly.
func (w *modelWalk) again(s modelStep) (modelAsk, bool) {
	a, ok := askedBefore(w, s, w.asks.payments)
	other := w.ask(s)
	a.step = s.id
	switch s.n[5] % 8 {
	case 0:
		a.amount, a.literal = other.amount, other.literal
	case 1:
		a.callback = other.callback
	case 2:
		a.method, a.currency = other.method, other.currency
	case 3:
		a.merchant = other.merchant
	case 4:
		a.nested, a.padded, a.percent = other.nested, true, other.percent
	}
	return a, ok
}

func pickModel[T any](list []T, n int) T { return list[n%len(list)] }

// refer finds what the present step is about: what it was about when it was
// first played, else one out of count by number, whose maker the step then
// notes. -1 is nothing.
func (w *modelWalk) refer(n, count int, maker func(int) int) int {
	if w.now.ref > 0 {
		for i := range count {
			if maker(i) == w.now.ref {
				return i
			}
		}
		return -1
	}
	if count == 0 {
		return -1
	}
	i := n / 4 % count
	if last := 12; n%4 > 0 && count > last { // three times in four one of the last dozen
		i = count - 1 - n/4%last
	}
	w.now.ref = maker(i)
	return i
}

func (a modelAsk) key() modelKey { return modelKey{a.merchant, a.method, a.order} }

func (a modelAsk) mismatch(p *modelPayment) []string {
	return differing([]modelField{
		{"amount", a.amount, p.amount}, {"currency", a.currency, p.currency}, {"callbackUri", a.callback, p.callback},
	})
}

func (a modelAsk) request() payment.Request {
	r := payment.Request{
		OrderID: a.order, Amount: a.literal, Currency: a.currency, CallbackURI: a.callback, Method: &a.method,
	}
	if a.percent != "" {
		r.RatePercent = &a.percent
	}
	if a.padded {
		r.OrderID = "  " + a.order + "\t"
	}
	if a.nested && (a.method == "sbp" || a.method == "card") {
		ignored := "sim"
		r.Method, r.RubCollectMethod = &ignored, &a.method
	}
	return r
}
