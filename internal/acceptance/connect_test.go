package acceptance

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/sign"
)

// gatewayClient signs as the application does.
func gatewayClient(g *instance, options ...connect.ClientOption) gatewayv1connect.PaymentServiceClient {
	transport := sign.Transport(client.Transport, "application", g.ExternalPaymentsSecret)
	return gatewayv1connect.NewPaymentServiceClient(&http.Client{Timeout: testenv.Patience, Transport: transport},
		g.BaseURL, options...)
}

var codecs = map[string][]connect.ClientOption{"proto": nil, "JSON": {connect.WithProtoJSON()}}

// The twins of the REST calls, with the generated clients in both codecs.
func TestConnectTwins(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for codec, options := range codecs {
		t.Run(codec, func(t *testing.T) {
			t.Parallel()
			merchant := g.merchantClient(g.first(), options...)
			method, description, percent := "sbp", "Чашки", "4.5"
			ask := &gatewayv1.CreatePaymentRequest{
				OrderId: newOrder(), Amount: "1500", Currency: "RUB",
				CallbackUri: "https://shop.example/hook", Method: &method, Description: &description,
				RatePercent: &percent,
			}
			created := succeeds(t, merchant.CreatePayment, ask)
			p := created.Msg.GetData()
			keepSecret(p.GetPaymentPageUrl()[strings.LastIndex(p.GetPaymentPageUrl(), "/")+1:])
			if created.Msg.GetMessage() != "Payment created" || p.GetStatus() != "pending" ||
				p.GetAmount() != "1500.00" ||
				p.GetLedger().GetAmountUsdt() != "15.51791025" ||
				p.GetLedger().GetTransferMethod() != "sbp" ||
				p.GetExtra().GetFiatPerUsdt() != "92.50" ||
				p.GetDescription() != description ||
				created.Header().Get("Idempotent-Replay") != "" {
				t.Errorf("created %v", created.Msg)
			}
			ask.Amount = "1600"
			again := succeeds(t, merchant.CreatePayment, ask)
			if again.Msg.GetData().GetId() != p.GetId() || again.Header().Get("Idempotent-Replay") != "true" ||
				again.Header().Get("Idempotent-Mismatch") != "amount" {
				t.Errorf("repeated: %v %v", again.Header(), again.Msg)
			}
			read := called(t, merchant.GetPayment, &gatewayv1.GetPaymentRequest{PaymentId: p.GetUuid()})
			if read.GetData().GetId() != p.GetId() || read.GetData().GetPaymentPageUrl() != p.GetPaymentPageUrl() {
				t.Errorf("read %v", read)
			}
			reason := "late"
			moved := called(t, gatewayClient(g, options...).UpdatePaymentStatus,
				&gatewayv1.UpdatePaymentStatusRequest{PaymentId: p.GetId(), Status: "failed", Reason: &reason})
			if data := moved.GetData(); data.GetStatus() != "failed" || !data.GetCallbackQueued() ||
				data.GetUuid() != p.GetUuid() {
				t.Errorf("moved %v", moved)
			}
		})
	}
}

// The trader's desk: what is theirs, page by page, and nobody else's.
func TestDesk(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	// AZN payments all go to the third trader.
	box := g.box(t, "sandbox-azn")
	var ids []int64
	for range 3 {
		ids = append(ids,
			number(g.create(t, box, object{"currency": "AZN", "method": "c2c", "amount": "250"}).text("data.id")))
	}
	desk := g.desk(g.user(t, "trader-3").Token)
	var seen []int64
	limit, ask := int32(2), &portalv1.ListPaymentsRequest{}
	for {
		ask.Limit = &limit
		page := called(t, desk.ListPayments, ask)
		for _, p := range page.GetData() {
			if slices.Contains(ids, p.GetId()) {
				seen = append(seen, p.GetId())
			}
			if l := p.GetLedger(); l.ProfitUsdt != nil || l.SpreadPlatformUsdt != nil || l.BaseRateRubPerUsdt != nil ||
				l.SellerRateMarkupPercent != nil ||
				l.SpreadTraderUsdt == nil {
				t.Errorf("the trader sees %v", l)
			}
		}
		if page.NextCursor == nil {
			break
		}
		ask.Cursor = page.NextCursor
	}
	if newestFirst := []int64{ids[2], ids[1], ids[0]}; !slices.Equal(seen, newestFirst) {
		t.Errorf("listed %v; want %v, newest first", seen, ids)
	}
	reason := "no such transfer"
	cancelled := called(t, desk.CancelPayment, &portalv1.CancelPaymentRequest{PaymentId: ids[0], Reason: &reason})
	if cancelled.GetData().GetStatus() != "cancelled" || cancelled.GetData().GetStatusReason() != reason {
		t.Errorf("cancelled %v", cancelled)
	}
	// Another trader learns nothing of it.
	refuses(t, "another trader", g.desk(g.user(t, "trader-1").Token).ConfirmReceived,
		&portalv1.ConfirmReceivedRequest{PaymentId: ids[1]}, connect.CodeNotFound, "not_found")
}

// Who may not: codes and details over Connect.
func TestConnectRefusals(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	ask := connect.NewRequest(&portalv1.ListPaymentsRequest{})
	for name, test := range map[string]struct {
		token string
		code  connect.Code
		why   string
	}{
		"no token":    {"", connect.CodeUnauthenticated, "unauthenticated"},
		"wrong token": {"nonsense", connect.CodeUnauthenticated, "unauthenticated"},
		"operator":    {g.user(t, "operator").Token, connect.CodePermissionDenied, "token_kind_not_allowed"},
		"cabinet":     {g.user(t, "payer").Token, connect.CodePermissionDenied, "token_kind_not_allowed"},
		"portal":      {g.user(t, "merchant").Token, connect.CodePermissionDenied, "token_kind_not_allowed"},
	} {
		_, err := g.desk(test.token).ListPayments(t.Context(), ask)
		wantFault(t, name, err, test.code, test.why)
	}
	unsigned := gatewayv1connect.NewPaymentServiceClient(client, g.BaseURL)
	refuses(t, "unsigned", unsigned.CreatePayment, &gatewayv1.CreatePaymentRequest{}, connect.CodeUnauthenticated,
		"signature_required")
	stranger := g.box(t, "sandbox-second-rub")
	id := g.create(t, g.first(), nil).text("data.id")
	refuses(t, "another merchant", g.merchantClient(stranger).GetPayment, &gatewayv1.GetPaymentRequest{PaymentId: id},
		connect.CodePermissionDenied, "cashbox_access_denied")
	over := &gatewayv1.CreatePaymentRequest{
		OrderId: newOrder(), Amount: "5000001", Currency: "RUB", CallbackUri: "https://shop.example/",
	}
	method := "sbp"
	over.Method = &method
	refuses(t, "over the limit", g.merchantClient(g.first()).CreatePayment, over, connect.CodeFailedPrecondition,
		"merchant_collect_amount_outside_platform_limits")
}

func TestLogin(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	service := portalv1connect.NewAuthServiceClient(client, g.BaseURL)
	user := g.user(t, "trader-1")
	in := called(t, service.Login, &portalv1.LoginRequest{Login: user.Login, Password: user.Password})
	keepSecret(in.GetToken())
	if in.GetKind() != "trader" || in.GetToken() == "" || in.GetToken() == user.Token {
		t.Errorf("signed in as %s", in.GetKind())
	}
	called(t, g.desk(in.GetToken()).ListPayments, &portalv1.ListPaymentsRequest{})
	for _, wrong := range []*portalv1.LoginRequest{{Login: user.Login, Password: "wrong"}, {Login: "nobody", Password: user.Password}} {
		refuses(t, wrong.GetLogin(), service.Login, wrong, connect.CodeUnauthenticated, "invalid_credentials")
	}
}

// The signed services speak Connect by uncompressed POST alone.
func TestOtherProtocols(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	ask := connect.NewRequest(&gatewayv1.GetPaymentRequest{PaymentId: "1"})
	for name, option := range map[string]connect.ClientOption{
		"gRPC": connect.WithGRPC(), "gRPC-Web": connect.WithGRPCWeb(), "gzip": connect.WithSendGzip(), "GET": connect.WithHTTPGet(),
	} {
		_, err := g.merchantClient(g.first(), option).GetPayment(t.Context(), ask)
		failed := new(connect.Error)
		if name == "GET" { // a procedure that promises no idempotence is never sent as a GET
			continue
		}
		if !errors.As(err, &failed) || failed.Code() == connect.CodeNotFound {
			t.Errorf("%s was spoken: %v", name, err)
		}
	}
	const path = gatewayv1connect.PaymentServiceGetPaymentProcedure
	for name, test := range map[string]struct {
		method  string
		headers header
		status  int
	}{
		"gRPC":    {"POST", header{"Content-Type": "application/grpc"}, 415},
		"gRPC+":   {"POST", header{"Content-Type": "application/grpc+proto"}, 415},
		"gzip":    {"POST", header{"Content-Encoding": "gzip"}, 415},
		"GET":     {"GET", nil, 405},
		"DELETE":  {"DELETE", nil, 405},
		"twisted": {"POST", header{"Content-Type": "text/html"}, 415},
	} {
		body := ""
		if test.method == "POST" {
			body = "{}"
		}
		headers := signed(g.first(), body)
		for key, value := range test.headers {
			headers[key] = value
		}
		got := fetched(t, test.method, g.BaseURL+path, body, headers)
		if got.status != test.status || got.header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %s; want %d", name, got, test.status)
		}
	}
}
