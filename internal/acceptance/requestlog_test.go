package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/jackc/pgx/v5"

	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// logged lists the requests of a merchant, as one of their users sees them.
func (g *instance) logged(t *testing.T, token string, m *portalv1.ListRequestsRequest) []*portalv1.LoggedRequest {
	t.Helper()
	service := portalv1connect.NewRequestLogServiceClient(withToken(token), g.BaseURL)
	got := called(t, service.ListRequests, m)
	return got.GetData()
}

// loggedAs waits until the request of an id is in the log, and writes it out.
func (g *instance) loggedAs(t *testing.T, token, id string) string {
	t.Helper()
	var found string
	noError(t, testenv.Eventually(func() error {
		list := g.logged(t, token, &portalv1.ListRequestsRequest{RequestId: id})
		if len(list) != 1 {
			return fmt.Errorf("%s: %d requests", id, len(list))
		}
		r := list[0]
		found = fmt.Sprintf("%s %s %d %s %s", r.GetMethod(), r.GetPath(), r.GetStatus(), r.GetCode(), r.GetKeyId())
		if took := r.GetDurationMicroseconds(); took <= 0 || took > testenv.Patience.Microseconds() {
			return fmt.Errorf("%s took %d µs", id, took)
		}
		return nil
	}))
	return found
}

// What a merchant's programs ask for is in their log as it was answered: by both transports, rightly
// signed or not, a repeat, a refusal. Another merchant's users see none of it.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	box, second := g.first(), g.box(t, "sandbox-second-rub")
	owner := g.user(t, "merchant").Token
	stranger := g.newUser(t, newUser{
		login: "other-developer", kind: "merchant_portal", role: "developer", state: "whole",
		merchant: g.count(t, "select merchant_id from cashbox where id = $1", second.MerchantCashboxID),
	})
	body := order(object{"orderId": "logged-1"})
	wrong := with(signed(box, body), "Signature", strings.Repeat("0", 64))
	id := g.create(t, box, nil).text("data.id")
	connectBody := `{"paymentId":"` + id + `"}`
	requests := []struct {
		id, method, path, body string
		headers                header
		want                   string
	}{
		{"log-made", "POST", payments, body, signed(box, body), "POST /api/v1/payments 200  "},
		{"log-replay", "POST", payments, body, signed(box, body), "POST /api/v1/payments 200  "},
		{"log-wrong-body", "POST", payments, "{}", signed(box, "{}"), "POST /api/v1/payments 422 validation_failed "},
		{"log-wrong-signature", "POST", payments, body, wrong, "POST /api/v1/payments 403 invalid_signature "},
		{
			"log-wrong-secret", "POST", payments, body, with(signed(box, body), "X-Merchant-Secret", "x"),
			"POST /api/v1/payments 403 invalid_signature ",
		},
		{
			"log-unsigned", "POST", payments, body, with(signed(box, body), "Signature", ""),
			"POST /api/v1/payments 401 signature_required ",
		},
		{
			"log-read", "GET", payments + "/" + id + "?secret=" + box.Secret, "", signed(box, ""),
			"GET /api/v1/payments/{payment_id} 200  ",
		},
		{
			"log-missing", "GET", payments + "/987654321", "", signed(box, ""),
			"GET /api/v1/payments/{payment_id} 404 not_found ",
		},
		{
			"log-appeal", "POST", payments + "/" + id + "/appeal", "{}", signed(box, "{}"),
			"POST /api/v1/payments/{payment_id}/appeal 415 unsupported_media_type ",
		},
		{
			"log-connect", "POST", "/gateway.v1.PaymentService/GetPayment", connectBody, signed(box, connectBody),
			"POST /gateway.v1.PaymentService/GetPayment 200  ",
		},
	}
	for _, test := range requests {
		_ = fetched(t, test.method, g.BaseURL+test.path, test.body, with(test.headers, "X-Request-Id", test.id))
	}
	for _, test := range requests {
		testenv.Want(t, g.loggedAs(t, owner, test.id), test.want+box.KeyID, "%s is logged as", test.id)
		if list := g.logged(t, stranger, &portalv1.ListRequestsRequest{RequestId: test.id}); len(list) > 0 {
			t.Errorf("a stranger sees %v", list)
		}
	}
	if list := g.logged(t, stranger, &portalv1.ListRequestsRequest{}); len(list) > 0 {
		t.Errorf("a stranger sees %v", list)
	}
	refused := g.logged(t, owner, &portalv1.ListRequestsRequest{Code: "invalid_signature", Status: []string{"4xx"}})
	if len(refused) != 2 || refused[0].GetRequestId() != "log-wrong-secret" {
		t.Errorf("refused for their signature: %v", refused)
	}
	if list := g.logged(t, owner, &portalv1.ListRequestsRequest{KeyId: "another"}); len(list) > 0 {
		t.Errorf("of another key: %v", list)
	}
	first := g.logged(t, owner, &portalv1.ListRequestsRequest{Limit: 1})
	next := g.logged(t, owner, &portalv1.ListRequestsRequest{Limit: 1, Cursor: fmt.Sprint(first[0].GetId())})
	back := g.logged(t, owner, &portalv1.ListRequestsRequest{
		Limit: 1, Cursor: fmt.Sprint(next[0].GetId()), Backward: true,
	})
	if first[0].GetId() <= next[0].GetId() || back[0].GetId() != first[0].GetId() {
		t.Errorf("paged %d, %d, %d", first[0].GetId(), next[0].GetId(), back[0].GetId())
	}
	requestLogHoldsNoSecret(t, g)
	requestLogAtShutdown(t, g)
}

// Secrets, card numbers and tokens that somebody puts wherever a request has room for them are in no
// row of the log.
func requestLogHoldsNoSecret(t *testing.T, g *instance) {
	box, pan := g.first(), randomPAN("4")
	link := g.create(t, box, nil).text("data.paymentPageUrl")
	token := link[strings.LastIndex(link, "/")+1:]
	body := order(object{"orderId": pan, "description": token})
	grouped := pan[:4] + "-" + pan[4:8] + "." + pan[8:12] + "_" + pan[12:]
	for _, headers := range []header{
		with(signed(box, body), "X-Request-Id", "planted-"+pan), with(signed(box, body), "X-Request-Id", grouped),
		with(signed(box, body), "X-Merchant-Key-Id", box.Secret), with(signed(box, body), "X-Merchant-Secret", token),
		with(signed(box, body), "User-Agent", token),
	} {
		for _, path := range []string{
			payments, payments + "/" + token, payments + "/" + pan, payments + "/" + box.Secret + "/appeal",
			payments + "?card=" + pan + "&secret=" + box.Secret, "/api/v1/checkout/" + token,
		} {
			for _, method := range []string{"GET", "POST"} {
				_ = fetched(t, method, g.BaseURL+path, body, headers)
			}
		}
	}
	last := with(signed(box, ""), "X-Request-Id", "log-last")
	send(t, http.MethodGet, g.BaseURL+payments+"/1", "", last)
	g.loggedAs(t, g.user(t, "merchant").Token, "log-last")
	rows := g.texts(t, "select r::text from api_request r")
	if len(rows) < 30 {
		t.Fatalf("only %d requests are kept", len(rows))
	}
	for _, row := range rows {
		for _, secret := range []string{pan, grouped, box.Secret, token} {
			if strings.Contains(row, secret) {
				t.Errorf("%s holds %s", row, secret)
			}
		}
	}
}

// What was answered just before the program ends is written all the same.
func requestLogAtShutdown(t *testing.T, g *instance) {
	send(t, http.MethodGet, g.BaseURL+payments+"/1", "", with(signed(g.first(), ""), "X-Request-Id", "log-end"))
	noError(t, g.stop())
	conn, err := pgx.Connect(t.Context(), g.DatabaseURL)
	noError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	var kept int
	noError(t, conn.QueryRow(t.Context(), "select count(*) from api_request where request_id = 'log-end'").Scan(&kept))
	if kept != 1 {
		t.Errorf("%d are kept", kept)
	}
}

// A merchant's developer changes the look of a cashbox over RPC: the hosted page has it at once, and what
// was seen before is no longer taken.
func TestLookByRPC(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.box(t, "sandbox-try")
	service := portalv1connect.NewLookServiceClient(withToken(g.user(t, "merchant").Token), g.BaseURL)
	list := called(t, service.ListCashboxLooks, &portalv1.ListCashboxLooksRequest{})
	var seen *portalv1.CashboxLook
	for _, look := range list.GetData() {
		if look.GetMerchantCashboxId() == box.MerchantCashboxID {
			seen = look
		}
	}
	color := "#7B2FF7"
	change := &portalv1.UpdateCashboxLookRequest{
		MerchantCashboxId: box.MerchantCashboxID, Version: seen.GetVersion(), PageColor: &color,
		ReturnHosts: &portalv1.LookHosts{Hosts: []string{"shop.example"}},
	}
	after := called(t, service.UpdateCashboxLook, change)
	look := after.GetLook()
	if look.GetPageColor() != "#7b2ff7" || strings.Join(look.GetReturnHosts(), " ") != "shop.example" {
		t.Errorf("%v", look)
	}
	link := g.create(t, box, object{"method": "c2c", "currency": "TRY"}).text("data.paymentPageUrl")
	page, err := trySend(http.MethodGet, link, "", nil)
	if err != nil || !strings.Contains(page.raw, ":root{--accent:#7b2ff7}") {
		t.Errorf("the page is not in the colour, %v", err)
	}
	if _, err = service.UpdateCashboxLook(t.Context(), connect.NewRequest(change)); connect.CodeOf(err) !=
		connect.CodeFailedPrecondition {
		t.Errorf("with what was seen before: %v", err)
	}
}
