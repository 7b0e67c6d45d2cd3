package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/vault"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// sealHolder puts bytes in the place of a card holder that was typed.
func (g *instance) sealHolder(t *testing.T, paymentID int64, holder string) {
	t.Helper()
	key, err := sandbox.LoadKey(g.dir)
	noError(t, err)
	v, err := vault.New(key.Bytes("vault"))
	noError(t, err)
	sealed, err := v.Seal([]byte(holder), vault.Place{Table: "payment_card", Column: "holder", Row: paymentID})
	noError(t, err)
	g.exec(t, "update payment_card set holder = $2 where payment_id = $1", paymentID, sealed)
}

// A holder that is no text, or cannot be opened at all, keeps neither its payment nor a list with
// it from being read.
func TestUnreadableHolder(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box, repaired := g.box(t, "sandbox-azn"), "ANNA\uFFFD B"
	for name, test := range map[string]struct {
		spoil func(id int64)
		shown *string
	}{
		"no text":       {func(id int64) { g.sealHolder(t, id, "ANNA\xff\xfe B") }, &repaired},
		"another vault": {func(id int64) { g.exec(t, "update payment_card set holder = 'nonsense' where payment_id = $1", id) }, nil},
		"another row":   {func(id int64) { g.exec(t, "update payment_card set holder = pan where payment_id = $1", id) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			made, token := g.cardPayment(t, nil)
			id := number(made.text("data.id"))
			g.checkout(t, token, "payer-details",
				typedCard("4111111111111111", object{"cardHolder": "ANNA B"})).must(t, "", 200)
			test.spoil(id)
			same := func(where string, holder *string) {
				if (holder == nil) != (test.shown == nil) || holder != nil && *holder != *test.shown {
					t.Errorf("%s: holder %v", where, holder)
				}
			}
			for codec, options := range codecs {
				desk := g.desk(g.user(t, "trader-3").Token, options...)
				list := called(t, desk.ListPayments, &portalv1.ListPaymentsRequest{})
				found := false
				for _, p := range list.GetData() {
					if p.GetId() == id {
						found = true
						same(codec+", list", p.GetPayerRequisites().CardHolder)
					}
				}
				if !found {
					t.Errorf("%s: not listed", codec)
				}
				read := called(t, g.merchantClient(box, options...).GetPayment,
					&gatewayv1.GetPaymentRequest{PaymentId: fmt.Sprint(id)})
				same(codec+", read", read.GetData().GetPayerRequisites().CardHolder)
			}
			send(t, http.MethodGet, g.BaseURL+payments+"/"+fmt.Sprint(id), "", signed(box, "")).want(t, "REST", 200)
			g.checkout(t, token, "", "").want(t, "checkout", 200)
			confirmed := called(t, g.desk(g.user(t, "trader-3").Token).ConfirmReceived,
				&portalv1.ConfirmReceivedRequest{PaymentId: id})
			if confirmed.GetData().GetStatus() != "completed" {
				t.Errorf("confirmed: %v", confirmed)
			}
			if test.shown == nil { // what cannot be opened is logged
				logs.await(t, fmt.Sprintf(`"payment":%d`, id))
			}
		})
	}
}

// A payout whose requisite cannot be opened is listed without it.
func TestUnreadableRequisite(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.first()
	body := payinOrder(nil)
	made := send(t, http.MethodPost, g.BaseURL+"/api/v1/payins", body, signed(box, body))
	id := made.text("data.id")
	desk := g.desk(g.user(t, "trader-1").Token)
	taken := called(t, desk.TakePayin, &portalv1.TakePayinRequest{PayinId: id})
	whole := taken.GetData().GetAddress()
	g.exec(t, "update payin set address = 'nonsense' where uuid = $1::text::uuid", id)
	list := called(t, desk.ListPayins, &portalv1.ListPayinsRequest{})
	for _, p := range list.GetData() {
		if p.GetId() == id {
			if got := p.GetAddress(); got == whole || !strings.HasSuffix(whole, got[len(got)-4:]) {
				t.Errorf("shown as %s", got)
			}
		}
	}
	failed := called(t, desk.FailPayin, &portalv1.FailPayinRequest{PayinId: id})
	if failed.GetData().GetStatus() != "failed" {
		t.Errorf("failed: %v", failed)
	}
}

// A trader gets no link to the payer's pages, whatever they call: who holds one acts as the payer.
func TestTradersGetNoLinks(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	c2c := g.create(t, g.box(t, "sandbox-azn"), object{"currency": "AZN", "method": "c2c", "amount": "251"})
	cardPayment, token := g.cardPayment(t, nil)
	g.checkout(t, token, "payer-details", typedCard("4111111111111111", nil)).must(t, "", 200)
	trader := g.user(t, "trader-3").Token
	links := []string{c2c.text("data.paymentPageUrl"), cardPayment.text("data.checkoutUrl")}
	hidden := func(call, answered string) {
		t.Helper()
		if !strings.Contains(answered, `"uuid"`) || strings.Contains(answered, "/r/") ||
			strings.Contains(answered, "/pay/") {
			t.Errorf("%s: %s", call, answered)
		}
		for _, link := range links {
			if strings.Contains(answered, link[strings.LastIndex(link, "/"):]) {
				t.Errorf("%s gives away %s", call, link)
			}
		}
	}
	ids := []string{c2c.text("data.id"), cardPayment.text("data.id")}
	for _, id := range ids {
		read := send(t, http.MethodGet, g.BaseURL+payments+"/"+id, "", bearer(trader))
		hidden("read", read.raw)
		byConnect := fetched(t, http.MethodPost, g.BaseURL+"/gateway.v1.PaymentService/GetPayment",
			`{"paymentId":"`+id+`"}`, bearer(trader))
		hidden("GetPayment", byConnect.raw)
	}
	for _, call := range [][2]string{
		{"ListPayments", `{}`},
		{"RequestCode", `{"paymentId":"` + ids[1] + `"}`},
		{"MarkCodeNotNeeded", `{"paymentId":"` + ids[1] + `"}`},
		{"ConfirmReceived", `{"paymentId":"` + ids[1] + `"}`},
		{"CancelPayment", `{"paymentId":"` + ids[0] + `"}`},
	} {
		got := fetched(t, http.MethodPost, g.BaseURL+"/portal.v1.TraderService/"+call[0], call[1], bearer(trader))
		hidden(call[0], got.raw)
	}
}
