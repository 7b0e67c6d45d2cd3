package payment_test

import (
	"context"
	"strings"
	"testing"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// text is n characters that are two bytes each, since limits count characters.
func text(n int) string { return strings.Repeat("я", n) }

// What no body of JSON can say is refused here as well, each field by its name, and takes no order id. The bodies are those
// of wrong.txt in internal/acceptance.
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
		wantFields(t, errOf(b.payments.Create(t.Context(), merchant.Caller, r)), strings.Fields(fields)...)
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

// What the codec found wrong is reported with what the service finds, and no field is complained of twice.
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

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	b := setup(t)
	dbtest.WantKinds(t, b.payments, map[string]string{
		"merchant_key":                    "Create",
		"application":                     "UpdateStatus",
		"cabinet merchant_key":            "List",
		"merchant_key merchant_portal":    "OpenAppeal",
		"trader":                          "Confirm Cancel ListAssigned Desk DeskCount ExplainForTrader",
		"operator":                        "ListAppeals ReviewAppeal ResolveAppeal ExplainRate QuoteRate Waiting ExplainRouting ReplayRouting Refusals ExplainTrader",
		"merchant_portal":                 "AppealWithReceipt ListOwnAppeals",
		"merchant_portal operator":        "GetAppeal AppealOf ReadAppealFile",
		"trader merchant_portal operator": "ListReceipts ReadReceipt",
		"anyone application merchant_key cabinet merchant_portal trader operator": "Get",
	})
}
