package model_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/payment"
)

func (w *modelWalk) create(s modelStep) error { return w.createAs(w.ask(s), s) }

func (w *modelWalk) repeat(s modelStep) error {
	a, ok := w.again(s)
	if !ok {
		return nil
	}
	return w.createAs(a, s)
}

func (w *modelWalk) createAs(a modelAsk, s modelStep) error {
	w.asks = append(w.asks, a)
	want := w.model.expect(a)
	ctx, injury := w.injured(s)
	who := w.model.merchants[a.merchant].Caller
	got, err := w.service.Create(ctx, who, a.request())
	switch {
	case injury.aborted():
		return w.abortedAsItShould(injury, err)
	case injury.lost():
		if wrong := errUnlessUnknown(err); wrong != nil {
			return wrong
		}
		return w.askAgain(a, want)
	}
	return w.judge(a, want, got, err)
}

// askAgain is what a merchant does who does not know what became of a call: it must find what the
// lost answer told.
func (w *modelWalk) askAgain(a modelAsk, want modelExpectation) error {
	w.tell("lost " + w.now.op)
	got, err := w.service.Create(w.ctx, w.model.merchants[a.merchant].Caller, a.request())
	if err != nil {
		return fmt.Errorf("repeat of a lost answer: %w", err)
	}
	if !got.Replay {
		return errors.New("the repeat of a lost answer created again")
	}
	got.Replay = want.replay != nil
	return w.judge(a, want, got, nil)
}

func (w *modelWalk) judge(a modelAsk, want modelExpectation, got payment.Created, err error) error {
	if want.code != "" || err != nil {
		w.tell(want.code, fmt.Sprintf("%+v", a))
		return errUnlessCode(err, want.code)
	}
	if got.Replay != (want.replay != nil) || !slices.Equal(got.Mismatch, want.mismatch) {
		return fmt.Errorf("replay %t, mismatch %v; want %t, %v", got.Replay, got.Mismatch, want.replay != nil,
			want.mismatch)
	}
	if want.replay != nil {
		w.tell("replayed", "payment ", want.replay.id, fmt.Sprint(" mismatch ", want.mismatch))
		return w.same(want.replay, got.Payment)
	}
	return w.adopt(a, want, got.Payment)
}

// adopt takes a new payment into the model if its requisite was one of those on offer.
func (w *modelWalk) adopt(a modelAsk, want modelExpectation, got payment.Payment) error {
	for _, offer := range want.offers {
		if got.RequisiteID != nil && offer.requisite.id == *got.RequisiteID {
			actor := w.model.merchants[a.merchant].Caller.Actor()
			p := w.model.create(a, want.box, offer, got.ID, got.UUID.String(), actor)
			w.touch(p)
			w.tell("created", "payment ", p.id, " on requisite ", offer.requisite.id, fmt.Sprintf(" %+v", a))
			return w.same(p, got)
		}
	}
	return fmt.Errorf("payment %d took requisite %d, which does not qualify", got.ID, *got.RequisiteID)
}

// rush makes the same creation several times at once: exactly one creates, the others answer with
// it.
func (w *modelWalk) rush(s modelStep) error {
	a := w.ask(s)
	w.asks = append(w.asks, a)
	want := w.model.expect(a)
	answers, errs := atOnce(3, func(int) (payment.Created, error) {
		return w.service.Create(w.ctx, w.model.merchants[a.merchant].Caller, a.request())
	})
	w.tell("rushed")
	// The one that created is judged first; to the others the payment is there already.
	first := max(slices.IndexFunc(answers, func(c payment.Created) bool { return c.Payment.ID > 0 && !c.Replay }), 0)
	if err := w.judge(a, want, answers[first], errs[first]); err != nil {
		return err
	}
	want = w.model.expect(a)
	for i := range answers {
		if i == first {
			continue
		}
		if err := w.judge(a, want, answers[i], errs[i]); err != nil {
			return fmt.Errorf("in a rush: %w", err)
		}
	}
	return nil
}

// some picks a payment for the step to be about, or nil where there is none yet.
func (w *modelWalk) some(n int) *modelPayment {
	i := w.refer(n, len(w.model.payments), func(i int) int { return w.model.payments[i].step })
	if i < 0 {
		return nil
	}
	w.touch(w.model.payments[i])
	return w.model.payments[i]
}

// same compares a payment, as readers are shown it, with the model's in everything the contract
// decides.
func (w *modelWalk) same(p *modelPayment, got payment.Payment) error {
	usdt := func(d decimal.Decimal) string { return d.Shift(8).String() }
	units := func(n int64) string { return strconv.FormatInt(n, 10) }
	return sameFields(p.origin().String(), []modelField{
		{"id", units(got.ID), units(p.id)},
		{"uuid", got.UUID.String(), p.uuid},
		{"merchant", units(got.MerchantID), units(p.merchantID)},
		{"cashbox", units(got.CashboxID), units(p.box.id)},
		{"orderId", got.OrderID, p.order},
		{"method", got.Method, p.method},
		{"currency", got.Currency, p.currency},
		{"amount", got.Amount.Shift(2).String(), units(p.amount)},
		{"status", string(got.Status), p.status},
		{"reason", deref(got.StatusReason), deref(p.reason)},
		{"statusUpdatedAt", got.StatusAt.UTC().String(), p.at.String()},
		{"createdAt", got.CreatedAt.UTC().String(), p.created.String()},
		{"expiresAt", got.ExpiresAt.UTC().String(), p.expires.String()},
		{"payerClaimedAt", timeText(got.ClaimedAt), timeText(p.claimed)},
		{"sequence", units(int64(got.EventSequence)), strconv.Itoa(len(p.events))},
		{"trader", units(got.TraderID), units(p.requisite.trader.ID)},
		{"requisite", units(*got.RequisiteID), units(p.requisite.id)},
		{"markup", got.MarkupPercent.String(), decimal.RequireFromString(p.markup).String()},
		{"base", got.BaseRate.StringFixed(8), p.fiat.FloatString(8)},
		{"rateUnavailable", strconv.FormatBool(got.RateUnavailable), strconv.FormatBool(p.unavailable)},
		{"amountUsdt", usdt(got.AmountUSDT), units(p.quote.amount)},
		{"profitUsdt", usdt(got.ProfitUSDT), units(p.quote.profit)},
		{"spreadTraderUsdt", usdt(got.SpreadTraderUSDT), units(p.quote.trader)},
		{"spreadPlatformUsdt", usdt(got.SpreadPlatformUSDT), units(p.quote.platform)},
	})
}

// sameRow compares a payment's row with the model's.
func (w *modelWalk) sameRow(p *modelPayment, row db.Payment) error {
	return errors.Join(w.same(p, shownPayment(row)), sameFields(p.origin().String(), []modelField{
		{"callbackUri", row.CallbackURI, p.callback},
		{"providerPaymentId", deref(row.ProviderPaymentID), deref(p.provider)},
		{"markup source", row.MarkupSource, p.source},
		{"hold", row.HoldUSDT.Shift(8).String(), strconv.FormatInt(p.hold, 10)},
	}))
}

// shownPayment is what readers are to be shown of a row.
func shownPayment(row db.Payment) payment.Payment {
	return payment.Payment{
		ID: row.ID, UUID: row.UUID, MerchantID: row.MerchantID, CashboxID: row.CashboxID, OrderID: row.OrderID,
		Method: row.Method, Currency: row.Currency, Amount: row.Amount, Status: payment.Status(row.Status),
		StatusReason: row.StatusReason, StatusAt: row.StatusAt, CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt,
		ClaimedAt: row.PayerClaimedAt, EventSequence: row.EventSequence, TraderID: row.TraderID,
		RequisiteID: row.RequisiteID, BaseRate: row.BaseRate, RateUnavailable: row.RateUnavailable,
		MarkupPercent: row.MarkupPercent, AmountUSDT: row.AmountUSDT, ProfitUSDT: row.ProfitUSDT,
		SpreadTraderUSDT: row.SpreadTraderUSDT, SpreadPlatformUSDT: row.SpreadPlatformUSDT,
	}
}

func deref(s *string) string {
	if s == nil {
		return "null"
	}
	return strconv.Quote(*s)
}

// modelAsk is a creation somebody asks for: always of a valid shape.
type modelAsk struct {
	// step is the one that asked.
	step             int
	merchant         int
	order            string
	method, currency string
	// literal is how amount, in hundredths, is written.
	literal, percent string
	amount           int64
	callback         string
	// nested asks through rubCollect.method; padded puts spaces around the order id.
	nested, padded bool
}

// Few equal amounts, so that slots collide; the last are beyond some trader's means, and beyond
// every requisite.
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

var modelPercents = []string{"", "", "", "0", "12.3456", "100"}

func (w *modelWalk) ask(s modelStep) modelAsk {
	counter, amount := pickModel(modelCounters, s.n[1]), pickModel(modelAmounts, s.n[2])
	return modelAsk{
		step: s.id, merchant: counter.merchant, order: "order-" + strconv.Itoa(s.n[5]),
		method: counter.method, currency: counter.currency, literal: amount.literal, amount: amount.amount,
		percent: pickModel(modelPercents, s.n[3]), callback: w.hooks.address(s.n[4] % 2), nested: s.n[4]%3 == 0,
	}
}

// again is an earlier ask once more, or nearly.
func (w *modelWalk) again(s modelStep) (modelAsk, bool) {
	i := w.refer(s.n[0], len(w.asks), func(i int) int { return w.asks[i].step })
	if i < 0 {
		return modelAsk{}, false
	}
	a, other := w.asks[i], w.ask(s)
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
	return a, true
}

func pickModel[T any](list []T, n int) T { return list[n%len(list)] }

// refer finds what the present step is about: what it was about when it was first played, else one
// out of count by number, whose maker the step then notes. -1 is nothing.
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
	i := recentModel(n, count)
	w.now.ref = maker(i)
	return i
}

// recentModel picks an index, three times in four among the last dozen.
func recentModel(n, count int) int {
	if last := 12; n%4 > 0 && count > last {
		return count - 1 - n/4%last
	}
	return n / 4 % count
}

func (a modelAsk) key() modelKey { return modelKey{a.merchant, a.method, a.order} }

func (a modelAsk) mismatch(p *modelPayment) []string {
	var fields []string
	if a.amount != p.amount {
		fields = append(fields, "amount")
	}
	if a.currency != p.currency {
		fields = append(fields, "currency")
	}
	if a.callback != p.callback {
		fields = append(fields, "callbackUri")
	}
	return fields
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

func modelText(s string) *string { return &s }
