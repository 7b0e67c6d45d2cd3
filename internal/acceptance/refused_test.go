package acceptance

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

const bodyLimit = 64 << 10

// pad lengthens a JSON object to a size with a field nobody knows.
func pad(body string, size int) string {
	head := strings.TrimSuffix(body, "}") + `,"x":"`
	return head + strings.Repeat("x", size-len(head)-2) + `"}`
}

// What is wrong is the same over Connect, and what depends on a setting leaves the order id free.
func TestRefusals(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	id := number(g.create(t, g.first(), nil).text("data.id"))
	before := g.rows(t)
	badConnect(t, g, id)
	refusals(t, g)
	testenv.Want(t, g.rows(t), before, "the rows")
}

// badConnect sends the same over Connect, in both codecs, and wants the same codes and fields.
func badConnect(t *testing.T, g *instance, id int64) {
	for codec, options := range map[string][]connect.ClientOption{"proto": nil, "JSON": {connect.WithProtoJSON()}} {
		merchant := g.merchantClient(g.first(), options...)
		nul, percent, method := "a\x00b", "101", "cash"
		invalid(t, codec+" create", merchant.CreatePayment, &gatewayv1.CreatePaymentRequest{
			OrderId:     "a\x00b",
			Amount:      "1.001",
			Currency:    "RUB",
			CallbackUri: "http://shop.example/",
			Method:      &method,
			RatePercent: &percent,
			Payer:       &gatewayv1.Payer{UserId: &nul, Payments: &gatewayv1.PayerPayments{Expired: -1}},
		}, "amount", "callbackUri", "method", "orderId", "payer.payments.expired", "payer.userId", "ratePercent")
		app := gatewayClient(g, options...)
		invalid(
			t,
			codec+" callback",
			app.UpdatePaymentStatus,
			&gatewayv1.UpdatePaymentStatusRequest{PaymentId: id, Status: "done", Reason: &nul},
			"reason",
			"status",
		)
		for _, unknown := range []int64{0, -1, 1 << 40} {
			refuses(t, fmt.Sprintf("%s callback of %d", codec, unknown), app.UpdatePaymentStatus,
				&gatewayv1.UpdatePaymentStatusRequest{PaymentId: unknown, Status: "failed"}, connect.CodeNotFound,
				"not_found")
		}
		for _, unknown := range []string{"", "x", "0", "a\x00b"} {
			refuses(t, fmt.Sprintf("%s GetPayment of %q", codec, unknown), merchant.GetPayment,
				&gatewayv1.GetPaymentRequest{PaymentId: unknown}, connect.CodeNotFound, "not_found")
		}
		desk := g.desk(g.user(t, "trader-1").Token, options...)
		refuses(t, codec+" cancel", desk.CancelPayment, &portalv1.CancelPaymentRequest{PaymentId: 1 << 40},
			connect.CodeNotFound, "not_found")
		zero, done := int32(0), "done"
		invalid(
			t,
			codec+" list",
			desk.ListPayments,
			&portalv1.ListPaymentsRequest{Limit: &zero, Cursor: &nul, Status: &done},
			"cursor",
			"limit",
			"status",
		)
	}
}

// refusals are those that depend on what is configured, one switch at a time. Each leaves the order
// id free.
func refusals(t *testing.T, g *instance) {
	box := g.first()
	for _, test := range []struct {
		name, off, on string
		more          object
		status        int
		code          string
	}{
		{"API off", "update merchant set api_enabled = false", "update merchant set api_enabled = true", nil, 403, "merchant_api_disabled"},
		{"scope taken", "update api_key set scopes = '{payouts}'", "update api_key set scopes = '{payments}'", nil, 403, "merchant_scope_required"},
		{"legacy key", "update api_key set merchant_id = null, cashbox_id = null where key_id = 'sandbox-rub'", "update api_key set merchant_id = 1, cashbox_id = 1 where key_id = 'sandbox-rub'", nil, 403, "merchant_binding_required"},
		{"collect off", "update cashbox set collect_enabled = false", "update cashbox set collect_enabled = true", nil, 403, "merchant_collect_disabled"},
		{"method off", "update cashbox_method set enabled = false", "update cashbox_method set enabled = true", nil, 403, "merchant_collect_method_disabled"},
		{"known, not enabled", "", "", object{"currency": "AZN", "method": "c2c"}, 403, "merchant_collect_method_disabled"},
		{"known, no such cashbox", "", "", object{"currency": "KZT", "method": "c2c"}, 403, "merchant_collect_method_disabled"},
		{"over the platform's limit", "", "", object{"amount": "5000000.01"}, 422, "merchant_collect_amount_outside_platform_limits"},
		{"twelve digits", "", "", object{"amount": json12}, 422, "merchant_collect_amount_outside_platform_limits"},
		{"no requisite", "update requisite set enabled = false", "update requisite set enabled = true", nil, 422, "collect_requisites_not_available"},
		{"never any rate", "delete from rate", "insert into rate select 'RUB', 92.5, 'test', now(), 'infinity'", nil, 422, "collect_requisites_not_available"},
	} {
		if test.off != "" {
			g.exec(t, test.off)
			g.awaitKey(t, box, strings.Contains(test.off, "api_"), http.StatusForbidden)
		}
		if got := g.post(t, box, order(test.more)); got.status != test.status || got.text("code") != test.code ||
			got.at("errors") != nil {
			t.Errorf("%s: %s; want %d %s", test.name, got, test.status, test.code)
		}
		if test.on != "" {
			g.exec(t, test.on)
			g.awaitKey(t, box, strings.Contains(test.on, "api_"), http.StatusNotFound)
		}
	}
}

// awaitKey waits until a change of a key, or of its merchant, is known: what is known of a key may be a second old.
func (g *instance) awaitKey(t *testing.T, box sandbox.Cashbox, changed bool, status int) {
	t.Helper()
	if !changed {
		return
	}
	testenv.Until(t, fmt.Sprintf("a read is answered with %d", status), func() bool {
		return send(t, http.MethodGet, g.BaseURL+payments+"/999999", "", signed(box, "")).status == status
	})
}

const json12 = "999999999999.99"

// A sender that hangs up in the middle of a body takes nothing along: its order id is still free.
func TestBrokenSender(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	body := order(nil)
	for _, sent := range []int{0, 1, len(body) - 1} {
		slow := g.dial(t, body)
		_, err := slow.Write([]byte(body[:sent]))
		noError(t, err)
		noError(t, slow.Close())
	}
	if got := g.post(t, g.first(), body); got.status != 200 || got.header.Get("Idempotent-Replay") != "" {
		t.Errorf("afterwards: %s", got)
	}
}

// dial begins a signed creation by hand: its headers are sent, of its body nothing yet.
func (g *instance) dial(t *testing.T, body string) net.Conn {
	t.Helper()
	host := strings.TrimPrefix(g.BaseURL, "http://")
	conn, err := net.Dial("tcp", host)
	noError(t, err)
	_, err = fmt.Fprintf(conn,
		"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", payments, host,
		len(body))
	noError(t, err)
	for name, value := range signed(g.first(), body) {
		_, err = fmt.Fprintf(conn, "%s: %s\r\n", name, value)
		noError(t, err)
	}
	_, err = fmt.Fprint(conn, "\r\n")
	noError(t, err)
	return conn
}
