package payment_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// text is n characters that are two bytes each, since limits count characters.
func text(n int) string { return strings.Repeat("я", n) }

var invalid = map[string]struct {
	change func(r *payment.Request)
	fields []string
}{
	"no orderId":       {func(r *payment.Request) { r.OrderID = "" }, []string{"orderId"}},
	"blank orderId":    {func(r *payment.Request) { r.OrderID = " \t " }, []string{"orderId"}},
	"long orderId":     {func(r *payment.Request) { r.OrderID = text(256) }, []string{"orderId"}},
	"no amount":        {func(r *payment.Request) { r.Amount = "" }, []string{"amount"}},
	"amount below 1":   {func(r *payment.Request) { r.Amount = "0.99" }, []string{"amount"}},
	"amount zero":      {func(r *payment.Request) { r.Amount = "0" }, []string{"amount"}},
	"3 decimals":       {func(r *payment.Request) { r.Amount = "1.001" }, []string{"amount"}},
	"negative amount":  {func(r *payment.Request) { r.Amount = "-5" }, []string{"amount"}},
	"exponent":         {func(r *payment.Request) { r.Amount = "1e3" }, []string{"amount"}},
	"13 digits":        {func(r *payment.Request) { r.Amount = "1000000000000" }, []string{"amount"}},
	"no currency":      {func(r *payment.Request) { r.Currency = "" }, []string{"currency"}},
	"unknown currency": {func(r *payment.Request) { r.Currency = "USD" }, []string{"currency"}},
	"small letters":    {func(r *payment.Request) { r.Currency = "rub" }, []string{"currency"}},
	"no method":        {func(r *payment.Request) { r.Method = nil }, []string{"method"}},
	"empty method":     {func(r *payment.Request) { r.Method = new("") }, []string{"method"}},
	"unknown method":   {func(r *payment.Request) { r.Method = new("paypal") }, []string{"method"}},
	"method of others": {func(r *payment.Request) { r.Method = new("iban") }, []string{"method"}},
	"both unknown": {
		func(r *payment.Request) { r.Method, r.Currency = new("paypal"), "USD" }, []string{"method", "currency"},
	},
	"nested neither": {func(r *payment.Request) { r.RubCollectMethod = new("sim") }, []string{"rubCollect.method"}},
	"nested empty":   {func(r *payment.Request) { r.RubCollectMethod = new("") }, []string{"rubCollect.method"}},
	"nested, no currency": {
		func(r *payment.Request) { r.RubCollectMethod, r.Currency = new("sbp"), "" },
		[]string{"currency"},
	},
	"no callbackUri":   {func(r *payment.Request) { r.CallbackURI = "" }, []string{"callbackUri"}},
	"long description": {func(r *payment.Request) { r.Description = new(text(256)) }, []string{"description"}},
	"markup above 100": {func(r *payment.Request) { r.RatePercent = new("100.0001") }, []string{"ratePercent"}},
	"negative markup":  {func(r *payment.Request) { r.RatePercent = new("-1") }, []string{"ratePercent"}},
	"5 decimals":       {func(r *payment.Request) { r.RatePercent = new("1.00001") }, []string{"ratePercent"}},
	"empty markup":     {func(r *payment.Request) { r.RatePercent = new("") }, []string{"ratePercent"}},
	"returnUrl":        {func(r *payment.Request) { r.ReturnURL = new("http://shop.example/") }, []string{"returnUrl"}},
	"merchantName":     {func(r *payment.Request) { r.MerchantName = true }, []string{"merchantName"}},
	"everything at once": {
		func(r *payment.Request) {
			*r = payment.Request{
				OrderID:      text(256),
				Amount:       "0",
				Currency:     "USD",
				CallbackURI:  "http://shop.example/",
				Method:       new("paypal"),
				Description:  new(text(256)),
				RatePercent:  new("101"),
				MerchantName: true,
				Payer: &payment.Payer{
					UserID: new(text(256)), UserIP: new("::1"), FullName: text(256), Type: text(256),
					Successful: -1, Expired: -1,
				},
			}
		},
		[]string{
			"orderId", "amount", "currency", "callbackUri", "method", "description", "ratePercent", "merchantName",
			"payer.userId", "payer.userIp", "payer.fullName", "payer.type", "payer.payments.successful",
			"payer.payments.expired",
		},
	},
}

func TestInvalidRequests(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	ctx := context.Background()
	for name, c := range invalid {
		t.Run(name, func(t *testing.T) {
			r := request("order-1")
			c.change(&r)
			wantFields(t, errOf(b.payments.Create(ctx, merchant.Caller, r)), c.fields...)
		})
	}
	for _, ip := range []string{"", "::1", "::ffff:1.2.3.4", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4 ", "example.org"} {
		r := request("order-1")
		r.Payer = &payment.Payer{UserIP: &ip}
		wantFields(t, errOf(b.payments.Create(ctx, merchant.Caller, r)), "payer.userIp")
	}
	for _, uri := range []string{
		"http://shop.example/", "ftp://shop.example/", "/hook", "shop.example", "https://", "https://localhost/",
		"https://127.0.0.1/", "https://10.0.0.1/", "https://172.16.0.1/", "https://192.168.1.1/", "https://169.254.169.254/",
		"https://[::1]/", "https://[fe80::1]/", "https://[fd00::1]/", "https://[::ffff:127.0.0.1]/", "https://0.0.0.0/",
	} {
		r := request("order-1")
		r.CallbackURI = uri
		wantFields(t, errOf(b.payments.Create(ctx, merchant.Caller, r)), "callbackUri")
	}
	testenv.Want(t, b.Count(t, "select count(*) from payment_key"), 0, "order ids are taken")
}

// The nested alternative is for RUB alone.
func TestRubCollectForAnotherCurrency(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{Currency: "AZN", Methods: []string{"c2c"}})
	r := request("order-1")
	r.Currency, r.Method, r.RubCollectMethod = "AZN", new("c2c"), new("card")
	_, err := b.payments.Create(context.Background(), merchant.Caller, r)
	if f := fault.As(err); f == nil || !f.Fields.Wrong("rubCollect") {
		t.Fatalf("%v", err)
	}
}

// What the codec found wrong is reported with what the service finds, and no field is complained of
// twice.
func TestFieldsOfTheCodec(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	found := fault.Fields{}
	for _, field := range []string{"orderId", "amount", "currency", "method", "callbackUri", "ratePercent", "payer.userIp"} {
		found.Add(field, "must be something else")
	}
	ctx := fault.WithDecoded(context.Background(), found)
	_, err := b.payments.Create(ctx, merchant.Caller, payment.Request{Description: new(text(256))})
	wantFields(t, err, "orderId", "amount", "currency", "method", "callbackUri", "ratePercent", "payer.userIp",
		"description")
	for field, complaints := range fault.As(err).Fields {
		testenv.Want(t, len(complaints), 1, "%s: %v", field, complaints)
	}
}

// Everything here is just within its limits.
func TestValidRequests(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	for _, method := range []string{"sbp", "card"} {
		b.NewTrader(t,
			dbtest.TraderOpts{USDT: "20000000000", Requisites: 20, Method: method, MaxAmount: "999999999999.99"})
	}
	cases := map[string]func(r *payment.Request){
		"longest orderId":     func(r *payment.Request) { r.OrderID = text(255) },
		"longest, and spaces": func(r *payment.Request) { r.OrderID = " " + text(254) + "! " },
		"least amount":        func(r *payment.Request) { r.Amount = "1" },
		"least, decimals":     func(r *payment.Request) { r.Amount = "1.00" },
		"dearest amount":      func(r *payment.Request) { r.Amount = "999999999999.99" },
		"longest description": func(r *payment.Request) { r.Description = new(text(255)) },
		"empty description":   func(r *payment.Request) { r.Description = new("") },
		"no markup":           func(r *payment.Request) { r.RatePercent = new("0") },
		"full markup":         func(r *payment.Request) { r.RatePercent = new("100.0000") },
		"4 decimals":          func(r *payment.Request) { r.RatePercent = new("12.3456") },
		"port":                func(r *payment.Request) { r.CallbackURI = "https://shop.example:8443/hook?a=b" },
		"public address":      func(r *payment.Request) { r.CallbackURI = "https://8.8.8.8/" },
		"nested alone":        func(r *payment.Request) { r.Method, r.RubCollectMethod = nil, new("card") },
		"payer": func(r *payment.Request) {
			r.Payer = &payment.Payer{
				UserID: new(text(255)), UserIP: new("203.0.113.7"), FullName: text(255), Type: text(255), Counted: true,
			}
		},
		"empty payer": func(r *payment.Request) { r.Payer = &payment.Payer{} },
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			r := request(fmt.Sprintf("order %s", name))
			change(&r)
			p := b.create(t, merchant.Caller, r)
			testenv.Want(t, p.OrderID, strings.TrimSpace(r.OrderID), "orderId")
		})
	}
	b.Audit(t)
}

// Who may call is settled before anything of the request is looked at.
func TestCallersOfCreate(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	change := func(fn func(c *caller.Caller)) caller.Caller {
		c := merchant.Caller
		fn(&c)
		return c
	}
	cases := map[string]struct {
		who  caller.Caller
		code string
	}{
		"anyone": {caller.Caller{Kind: caller.Anyone}, "token_kind_not_allowed"},
		"trader": {
			caller.Caller{Kind: caller.Trader, Role: caller.Owner, TraderID: 1},
			"token_kind_not_allowed",
		},
		"merchant portal": {portalOf(merchant.ID), "token_kind_not_allowed"},
		"bound to nobody": {change(func(c *caller.Caller) { c.MerchantID = 0 }), "merchant_binding_required"},
		"API off":         {change(func(c *caller.Caller) { c.APIEnabled = false }), "merchant_api_disabled"},
		"other scopes": {
			change(func(c *caller.Caller) { c.Scopes = []string{caller.ScopeDeposits, caller.ScopePayouts} }),
			"merchant_scope_required",
		},
		"no scope": {change(func(c *caller.Caller) { c.Scopes = nil }), "merchant_scope_required"},
	}
	noSecret := configured(t, b.DB, b.clock, payment.Config{Requisites: dbtest.Requisites()})
	for name, c := range cases {
		for _, payments := range []*payment.Service{b.payments, noSecret} {
			_, err := payments.Create(context.Background(), c.who, payment.Request{})
			t.Log(name)
			wantCode(t, err, c.code)
		}
	}
}

// The payer's cancel moves everything a trader's does: status, history, money, and one webhook.
func TestPayerCancels(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order"))
	after, err := b.payments.CancelByPayer(t.Context(), p.UUID)
	if err != nil || after.Status != "cancelled" || after.StatusReason != nil || after.Expired() {
		t.Fatalf("%s, %v", after.Status, err)
	}
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["cancelled"])
	changes := b.History(t, after.MerchantID, after.ID)
	if len(changes) != 2 || changes[1].Actor != "payer" || *changes[1].FromStatus != "pending" ||
		changes[1].ToStatus != "cancelled" {
		t.Errorf("%+v", changes)
	}
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event where subject_id = $1", p.ID), 1, "webhooks")
	b.Audit(t)
}

// A payer's steps close at the deadline, and when the payment is no longer pending.
func TestPayerCancelsTooLate(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 10})
	for _, status := range []string{"completed", "failed", "cancelled", "appeal"} {
		p := b.create(t, merchant.Caller, request(status))
		b.set(t, p.ID, status)
		wantCode(t, errOf(b.payments.CancelByPayer(t.Context(), p.UUID)), "payment_not_pending")
	}
	p := b.create(t, merchant.Caller, request("late"))
	b.clock.Advance(15 * time.Minute)
	wantCode(t, errOf(b.payments.CancelByPayer(t.Context(), p.UUID)), "payment_not_pending")
	if _, err := b.payments.Expire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if late, err := b.payments.ByUUID(t.Context(), p.UUID); err != nil || !late.Expired() {
		t.Errorf("%+v, %v", late.StatusReason, err)
	}
	wantCode(t, errOf(b.payments.CancelByPayer(t.Context(), uuid.New())), "not_found")
}

// Of payer and trader at once one wins, and the other is told.
func TestPayerAgainstTrader(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 20})
	for i := range 20 {
		p := b.create(t, merchant.Caller, request(string(rune('a'+i))))
		errs := b.against(trader, p, b.payments.CancelByPayer)
		dbtest.WantOne(t, errs, "payment_not_pending")
		want := "completed"
		if errs[0] == nil {
			want = "cancelled"
		}
		if now, err := b.payments.ByUUID(t.Context(), p.UUID); err != nil || string(now.Status) != want {
			t.Errorf("%s, want %s, %v", now.Status, want, err)
		}
	}
	b.Audit(t)
}
