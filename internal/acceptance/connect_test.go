package acceptance

import (
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
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
			testenv.Check(t, created.Msg.GetMessage() == "Payment created" && p.GetStatus() == "pending" &&
				p.GetAmount() == "1500.00" && p.GetLedger().GetAmountUsdt() == "15.51791025" &&
				p.GetLedger().GetTransferMethod() == "sbp" && p.GetExtra().GetFiatPerUsdt() == "92.50" &&
				p.GetDescription() == description && created.Header().Get("Idempotent-Replay") == "",
				"created %v", created.Msg)
			ask.Amount = "1600"
			again := succeeds(t, merchant.CreatePayment, ask)
			testenv.Check(t, again.Msg.GetData().GetId() == p.GetId() &&
				again.Header().Get("Idempotent-Replay") == "true" &&
				again.Header().Get("Idempotent-Mismatch") == "amount", "repeated: %v %v", again.Header(), again.Msg)
			read := called(t, merchant.GetPayment, &gatewayv1.GetPaymentRequest{PaymentId: p.GetUuid()})
			testenv.Check(t, read.GetData().GetId() == p.GetId() &&
				read.GetData().GetPaymentPageUrl() == p.GetPaymentPageUrl(), "read %v", read)
			reason := "late"
			moved := called(t, gatewayClient(g, options...).UpdatePaymentStatus,
				&gatewayv1.UpdatePaymentStatusRequest{PaymentId: p.GetId(), Status: "failed", Reason: &reason})
			data := moved.GetData()
			testenv.Check(t, data.GetStatus() == "failed" && data.GetCallbackQueued() && data.GetUuid() == p.GetUuid(),
				"moved %v", moved)
		})
	}
}
