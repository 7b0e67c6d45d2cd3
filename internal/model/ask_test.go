package model_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"gateway.example/internal/payment"
)

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
		OrderID:     a.order,
		Amount:      a.literal,
		Currency:    a.currency,
		CallbackURI: a.callback,
		Method:      &a.method,
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

// modelFlaws each spoil one field of a request.
var modelFlaws = []struct {
	field string
	spoil func(*payment.Request)
}{
	{"amount", func(r *payment.Request) { r.Amount = "0.99" }},
	{"amount", func(r *payment.Request) { r.Amount = "1e3" }},
	{"amount", func(r *payment.Request) { r.Amount = "10.001" }},
	{"amount", func(r *payment.Request) { r.Amount = "-5" }},
	{"amount", func(r *payment.Request) { r.Amount = "1000000000000" }},
	{"amount", func(r *payment.Request) { r.Amount = "" }},
	{"orderId", func(r *payment.Request) { r.OrderID = " \n" }},
	{"orderId", func(r *payment.Request) { r.OrderID = strings.Repeat("ъ", 256) }},
	{"callbackUri", func(r *payment.Request) { r.CallbackURI = "http://shop.example/" }},
	{"callbackUri", func(r *payment.Request) { r.CallbackURI = "https://10.0.0.1/" }},
	{"callbackUri", func(r *payment.Request) { r.CallbackURI = "https://169.254.169.254/latest" }},
	{"method", func(r *payment.Request) { r.Method, r.RubCollectMethod = modelText("cash"), nil }},
	{"method", func(r *payment.Request) { r.Method, r.RubCollectMethod = nil, nil }},
	{"currency", func(r *payment.Request) { r.Currency, r.RubCollectMethod = "XXX", nil }},
	{"ratePercent", func(r *payment.Request) { r.RatePercent = modelText("100.0001") }},
	{"ratePercent", func(r *payment.Request) { r.RatePercent = modelText("5.00001") }},
	{"description", func(r *payment.Request) { r.Description = modelText(strings.Repeat("d", 256)) }},
	{"merchantName", func(r *payment.Request) { r.MerchantName = true }},
	{"payer.userIp", func(r *payment.Request) { r.Payer = &payment.Payer{UserIP: modelText("::1")} }},
}

func modelText(s string) *string { return &s }

// spoilModel puts one or two flaws into a request, of different fields, and names them sorted.
func spoilModel(r *payment.Request, s modelStep) []string {
	wrong := map[string]bool{}
	for _, n := range s.n[3:5] {
		flaw := pickModel(modelFlaws, n)
		// A currency nobody knows would have its method judged too: one of the two will do.
		if wrong[flaw.field] || flaw.field == "method" && wrong["currency"] ||
			flaw.field == "currency" && wrong["method"] {
			continue
		}
		flaw.spoil(r)
		wrong[flaw.field] = true
	}
	return slices.Sorted(maps.Keys(wrong))
}
