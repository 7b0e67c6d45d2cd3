package payment_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/routing"
	"gateway.example/internal/testenv"
)

// A new payment carries everything it was calculated from. The sums are those
// of the status table.
func TestCreate(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	r := request("order-1")
	r.Description = new("Two tickets")
	r.Payer = &payment.Payer{
		UserID: new("user-7"), UserIP: new("203.0.113.7"), FullName: "Anna Ivanova", Type: "vip",
		Successful: 3, Expired: 1, Counted: true,
	}
	p := b.create(t, merchant.Caller, r)
	stored := b.row(t, p)
	read := testenv.Must(b.payments.Get(t.Context(), merchant.Caller, p.UUID.String()))(t)
	read.CreatedAt, read.StatusAt, read.ExpiresAt = read.CreatedAt.UTC(), read.StatusAt.UTC(), read.ExpiresAt.UTC()
	wantSame(t, read, p)
	places := strings.NewReplacer("{merchant}", fmt.Sprint(merchant.ID), "{cashbox}", fmt.Sprint(merchant.CashboxID), "{id}", fmt.Sprint(p.ID),
		"{trader}", fmt.Sprint(trader.ID), "{requisite}", fmt.Sprint(trader.Requisites[0]), "{uuid}", p.UUID.String())
	testenv.Want(t, strings.Join(b.Texts(t, `select key || ' ' || value from payment p, jsonb_each_text(jsonb_strip_nulls(to_jsonb(p)))
		where p.id = $1 and key <> 'requisite_sealed' order by key collate "C"`, p.ID), "\n")+"\n",
		places.Replace(string(testenv.Must(os.ReadFile("testdata/created.txt"))(t))), "what is stored")
	testenv.Want(t, p.UUID.Version().String(), "VERSION_7", "the version of its uuid")
	b.wantEvents(t, p, 0)
	b.wantSlot(t, p, open)
	// The snapshot outlives the requisite as it was.
	b.Exec(t, "update requisite set sealed = '\\x00', last4 = '9999', holder = null")
	testenv.Want(t, *p.RequisiteValue, fmt.Sprintf("+7900%03d0000", trader.ID), "requisite")
	testenv.Want(t, *stored.RequisiteLast4, "0000", "last four characters")
	again := testenv.Must(b.payments.Get(t.Context(), merchant.Caller, p.UUID.String()))(t)
	testenv.Check(t, *again.RequisiteValue == *p.RequisiteValue && again.RequisiteHolder != nil,
		"the snapshot changed: %s", *again.RequisiteValue)
	b.Audit(t)
}

func TestRequisiteOfEachMethod(t *testing.T) {
	b := setup(t)
	for currency, methods := range map[string]map[string][2]string{
		"RUB": {"sbp": {"sbp", "sbp"}, "sim": {"phone", "sim"}, "card": {"card", "card2card"}},
		"AZN": {"c2c": {"card", "card2card"}},
		"TRY": {"c2c": {"card", "card2card"}},
		"MNT": {"c2c": {"card", "card2card"}, "iban": {"iban", "iban"}},
		"KZT": {"c2c": {"card", "card2card"}},
		"UZS": {"c2c": {"card", "card2card"}},
	} {
		b.SetRate(t, currency, "100", true)
		for method, want := range methods {
			merchant := b.NewMerchant(t,
				dbtest.MerchantOpts{Currency: currency, Methods: []string{method}, Validity: 30 * time.Minute})
			b.NewTrader(t, dbtest.TraderOpts{USDT: "10", Requisites: 1, Currency: currency, Method: method})
			p := b.create(t, merchant.Caller, requestBy("order-1", currency, method))
			testenv.Check(t, *p.RequisiteType == want[0] && *p.RequisiteMethod == want[1] && p.ExpiresAt.Equal(at(30)),
				"%s %s: %s by %s, expires %s", currency, method, *p.RequisiteType, *p.RequisiteMethod, p.ExpiresAt)
		}
	}
	b.Audit(t)
}

// Body, then cashbox method, then merchant, then trader, then configuration
// (5).
func TestMarkupOfAPayment(t *testing.T) {
	b := setup(t)
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 9, RatePercent: percent("4")})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 9, Method: "card"})
	both := dbtest.MerchantOpts{Margin: percent("2"), RatePercent: percent("3")}
	cases := map[string]struct {
		merchant     dbtest.MerchantOpts
		body, method string
		want         string
	}{
		"body":           {both, "1.5", "sbp", "1.5"},
		"cashbox method": {both, "", "sbp", "2"},
		"merchant":       {dbtest.MerchantOpts{RatePercent: percent("3")}, "", "sbp", "3"},
		"trader":         {dbtest.MerchantOpts{}, "", "sbp", "4"},
		"configuration":  {dbtest.MerchantOpts{}, "", "card", "5"},
	}
	for name, c := range cases {
		r := requestBy(name, "RUB", c.method)
		if c.body != "" {
			r.RatePercent = &c.body
		}
		p := b.create(t, b.NewMerchant(t, c.merchant).Caller, r)
		testenv.Check(t, p.MarkupPercent.Equal(decimal.RequireFromString(c.want)),
			"%s: %s%%, want %s%%", name, p.MarkupPercent, c.want)
	}
	b.Audit(t)
}

// Everything is wrong at first and is put right step by step: each answer is
// the next in the documented order. All along the order id is the same, which
// no refusal may use up; in the end a repeat survives all of it.
func TestOrderOfChecks(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	who, r, payments := merchant.Caller, request("order-1"), b.service(t, 0, payment.Config{Requisites: dbtest.Requisites()})
	breakState := func() {
		b.Exec(t, "update cashbox set collect_enabled = false")
		b.Exec(t, "update cashbox_method set enabled = false")
		b.Exec(t, "delete from rate")
		b.limit(t, "10", "999.99")
	}
	breakState()
	who.Scopes = []string{caller.ScopeDeposits, caller.ScopePayouts}
	r.Amount = "0"
	steps := []struct {
		code  string
		right func()
	}{
		{"merchant_scope_required", func() { who.Scopes = merchant.Caller.Scopes }},
		{"external_payments_secret_not_configured", func() { payments = b.payments }},
		{"validation_failed", func() { r.Amount = "1000" }},
		{"merchant_collect_disabled", func() { b.Exec(t, "update cashbox set collect_enabled = true") }},
		{"merchant_collect_method_disabled", func() { b.Exec(t, "update cashbox_method set enabled = true") }},
		{"merchant_collect_amount_outside_platform_limits", func() { b.limit(t, "10", "1000") }},
		{"collect_requisites_not_available", func() { b.SetRate(t, "RUB", "100", true) }},
		{"collect_requisites_not_available", func() { b.NewTrader(t, dbtest.TraderOpts{USDT: "9.99", Requisites: 1}) }},
		// Spot is 10, and without a share the trader must put up all of
		// it.
		{"collect_requisites_not_available", func() { b.NewTrader(t, dbtest.TraderOpts{USDT: "10", Requisites: 1}) }},
	}
	for _, step := range steps {
		dbtest.WantCode(t, testenv.ErrOf(payments.Create(t.Context(), who, r)), step.code)
		step.right()
	}
	testenv.Want(t, b.Count(t, "select count(*) from payment_key"), 0, "order ids are taken by refusals")
	p := b.create(t, who, r)
	breakState()
	b.Exec(t, "update requisite set enabled = false")
	again := testenv.Must(b.payments.Create(t.Context(), who, r))(t)
	testenv.Check(t, again.Replay && again.Payment.ID == p.ID && len(again.Mismatch) == 0, "repeat: %+v", again)
	b.Audit(t)
}

func (b *bundle) limit(t *testing.T, least, most string) {
	t.Helper()
	testenv.NoError(t, b.Queries().PlatformLimitSet(context.Background(), db.PlatformLimitSetParams{
		Currency: "RUB", MinAmount: decimal.RequireFromString(least), MaxAmount: decimal.RequireFromString(most),
	}))
}

func TestPlatformLimits(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	b.limit(t, "100", "500.50")
	for amount, within := range map[string]bool{"99.99": false, "100": true, "500.50": true, "500.51": false} {
		r := requestOf("order "+amount, amount)
		if within {
			b.create(t, merchant.Caller, r)
			continue
		}
		testenv.Want(t, testenv.ErrOf(b.payments.Create(t.Context(), merchant.Caller, r)).Error(), "merchant_collect_amount_outside_"+
			"platform_limits: The amount is outside the platform's limits. Taken: from 100.00 to 500.50.", "refused")
	}
}

// A repeat is the same payment in its present state, and says where it differs
// from the first call.
func TestReplay(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 5})
	p := b.made(t, merchant, "order-1", "completed")
	cases := map[string]struct {
		change   func(r *payment.Request)
		mismatch []string
	}{
		"the same":      {func(*payment.Request) {}, nil},
		"spaces":        {func(r *payment.Request) { r.OrderID = "  order-1\n" }, nil},
		"same amount":   {func(r *payment.Request) { r.Amount = "1000.00" }, nil},
		"other details": {func(r *payment.Request) { r.Description, r.RatePercent = new("other"), new("7") }, nil},
		"returns":       {func(r *payment.Request) { r.ReturnURL = new("https://shop.example/thanks") }, nil},
		"nested":        {func(r *payment.Request) { r.RubCollectMethod, r.Method = new("sbp"), new("card") }, nil},
		"amount":        {func(r *payment.Request) { r.Amount = "1000.01" }, []string{"amount"}},
		"callback":      {func(r *payment.Request) { r.CallbackURI = "https://a.example/" }, []string{"callbackUri"}},
		"amount and hook": {func(r *payment.Request) { r.Amount, r.CallbackURI = "5", "https://a.example/" },
			[]string{"amount", "callbackUri"}},
	}
	for name, c := range cases {
		r := request("order-1")
		c.change(&r)
		got, err := b.payments.Create(t.Context(), merchant.Caller, r)
		testenv.Check(t, err == nil && got.Replay && got.Payment.ID == p.ID && got.Payment.Status == "completed" &&
			got.Payment.Amount.String() == "1000" && slices.Equal(got.Mismatch, c.mismatch),
			"%s: %v, replay %v of %d, mismatch %v", name, err, got.Replay, got.Payment.ID, got.Mismatch)
	}
	// What is wrong in form is said first, also under an order id that is
	// in use.
	dbtest.WantFields(t, testenv.ErrOf(b.payments.Create(t.Context(), merchant.Caller, requestOf("order-1", "1e3"))), "amount")
	testenv.Want(t, b.Count(t, "select count(*) from payment"), 1, "payments")
	b.wantEvents(t, p, 1)
	b.Audit(t)
}

// The channel is the method alone, so the currency can differ in a repeat.
func TestReplayWithAnotherCurrency(t *testing.T) {
	b := setup(t)
	merchant, _ := b.abroad(t, "c2c")
	r := requestBy("order-1", "AZN", "c2c")
	p := b.create(t, merchant.Caller, r)
	r.Currency, r.Amount, r.CallbackURI = "TRY", "7", "https://a.example/"
	got := testenv.Must(b.payments.Create(context.Background(), merchant.Caller, r))(t)
	testenv.Check(t, got.Replay && got.Payment.ID == p.ID &&
		slices.Equal(got.Mismatch, []string{"amount", "currency", "callbackUri"}), "%+v", got)
}

// text is n characters that are two bytes each, since limits count characters.
func text(n int) string { return strings.Repeat("я", n) }

// What no body of JSON can say is refused here as well, each field by its name,
// and takes no order id. The bodies are those of wrong.txt in
// internal/acceptance.
func TestInvalidRequests(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	everything := payment.Request{
		OrderID: text(256), Amount: "0", Currency: "USD", CallbackURI: "http://shop.example/", Method: new("paypal"),
		Description: new(text(256)), RatePercent: new("101"), MerchantName: true, ReturnURL: new("http://shop.example/"),
		Payer: &payment.Payer{
			UserID: new(text(256)), UserIP: new("::1"), FullName: text(256), Type: text(256), Successful: -1, Expired: -1,
		},
	}
	for fields, change := range map[string]func(r *payment.Request){
		"ratePercent":       func(r *payment.Request) { r.RatePercent = new("") },
		"rubCollect.method": func(r *payment.Request) { r.RubCollectMethod = new("") },
		"currency":          func(r *payment.Request) { r.RubCollectMethod, r.Currency = new("sbp"), "" },
		"method currency":   func(r *payment.Request) { r.Method, r.Currency = new("paypal"), "USD" },
		"orderId amount currency callbackUri method description ratePercent merchantName returnUrl payer.userId payer.userIp " +
			"payer.fullName payer.type payer.payments.successful payer.payments.expired": func(r *payment.Request) { *r = everything },
	} {
		r := request("order-1")
		change(&r)
		dbtest.WantFields(t, testenv.ErrOf(b.payments.Create(t.Context(), merchant.Caller, r)), strings.Fields(fields)...)
	}
	testenv.Want(t, b.Count(t, "select count(*) from payment_key"), 0, "order ids are taken")
}

// Everything here is just within its limits.
func TestLongestRequest(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	p := b.create(t, merchant.Caller, payment.Request{
		OrderID: " " + text(255) + " ", Amount: "1.00", Currency: "RUB", CallbackURI: "https://8.8.8.8:8443/hook?a=b",
		Method: new("sbp"), Description: new(text(255)), RatePercent: new("12.3456"), Payer: &payment.Payer{
			UserID: new(text(255)), UserIP: new("203.0.113.7"), FullName: text(255), Type: text(255), Counted: true,
		},
	})
	testenv.Want(t, p.OrderID, text(255), "orderId")
}

// What the codec found wrong is reported with what the service finds, and no
// field is complained of twice.
func TestFieldsOfTheCodec(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	found := fault.Fields{}
	for _, field := range []string{"orderId", "amount", "currency", "method", "callbackUri", "ratePercent", "payer.userIp"} {
		found.Add(field, "must be something else")
	}
	ctx := fault.WithDecoded(context.Background(), found)
	_, err := b.payments.Create(ctx, merchant.Caller, payment.Request{Description: new(text(256))})
	dbtest.WantFields(t, err, "orderId", "amount", "currency", "method", "callbackUri", "ratePercent", "payer.userIp",
		"description")
	for field, complaints := range fault.As(err).Fields {
		testenv.Want(t, len(complaints), 1, "%s: %v", field, complaints)
	}
}

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	b := setup(t)
	dbtest.WantKinds(t, b.payments, map[string]string{
		"merchant_key":                    "Create",
		"application":                     "UpdateStatus",
		"cabinet merchant_key":            "List",
		"merchant_key merchant_portal":    "OpenAppeal",
		"trader":                          "Confirm ConfirmReceived ConfirmCame KeepMoney ListFree Cancel ListAssigned Desk DeskCount ExplainForTrader ListThreads",
		"operator":                        "ListCases ListAppeals ReviewAppeal ResolveAppeal ExplainRouting ReplayRouting ExplainTrader",
		"merchant_portal":                 "AppealWithReceipt ListOwnAppeals",
		"trader operator":                 "ReadThread WriteThread Attach KeepFor",
		"merchant_portal trader operator": "AppealOf",
		"merchant_portal operator":        "GetAppeal ReadAppealFile DecideCase",
		"trader merchant_portal operator": "ListReceipts ReadReceipt",
		"anyone application device merchant_key cabinet merchant_portal trader operator": "Get Arrivals Fitting",
	})
	dbtest.WantKinds(t, b.sums, map[string]string{"operator": "Payment Quote Waiting"})
	dbtest.WantKinds(t, routing.NewRefusals(b.Pools(), b.clock, prometheus.NewRegistry()), map[string]string{"operator": "List"})
}
