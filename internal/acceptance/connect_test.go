package acceptance

import (
	"context"
	"net/http"
	"path"
	"testing"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	"gateway.example/rpc/sign"
)

// called makes a call of Connect, which must succeed.
func called[Q, A any](
	t testing.TB, call func(context.Context, *connect.Request[Q]) (*connect.Response[A], error), ask *Q,
) *connect.Response[A] {
	t.Helper()
	return testenv.Must(call(t.Context(), connect.NewRequest(ask)))(t)
}

var codecs = map[string][]connect.ClientOption{"proto": nil, "JSON": {connect.WithProtoJSON()}}

// The twins of the REST calls, with the generated clients in both codecs.
func TestConnectTwins(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for codec, options := range codecs {
		signing := func(keyID, secret string) gatewayv1connect.PaymentServiceClient {
			transport := sign.Transport(client.Transport, keyID, secret)
			return gatewayv1connect.NewPaymentServiceClient(
				&http.Client{Timeout: testenv.Patience, Transport: transport}, g.BaseURL, options...)
		}
		merchant := signing(g.first().KeyID, g.first().Secret)
		method, description, percent, reason := "sbp", "Чашки", "4.5", "late"
		ask := &gatewayv1.CreatePaymentRequest{
			OrderId: newOrder(), Amount: "1500", Currency: "RUB", CallbackUri: "https://shop.example/hook",
			Method: &method, Description: &description, RatePercent: &percent,
		}
		created := called(t, merchant.CreatePayment, ask)
		p := created.Msg.GetData()
		keepSecret(path.Base(p.GetPaymentPageUrl()))
		testenv.Check(t, created.Msg.GetMessage() == "Payment created" && p.GetStatus() == "pending" &&
			p.GetAmount() == "1500.00" && p.GetLedger().GetAmountUsdt() == "15.51791025" &&
			p.GetLedger().GetTransferMethod() == "sbp" && p.GetExtra().GetFiatPerUsdt() == "92.50" &&
			p.GetDescription() == description && created.Header().Get("Idempotent-Replay") == "",
			"%s: created %v", codec, created.Msg)
		ask.Amount = "1600"
		again := called(t, merchant.CreatePayment, ask)
		testenv.Check(t, again.Msg.GetData().GetId() == p.GetId() &&
			again.Header().Get("Idempotent-Replay") == "true" && again.Header().Get("Idempotent-Mismatch") == "amount",
			"%s: repeated: %v %v", codec, again.Header(), again.Msg)
		read := called(t, merchant.GetPayment, &gatewayv1.GetPaymentRequest{PaymentId: p.GetUuid()}).Msg.GetData()
		testenv.Check(t, read.GetId() == p.GetId() && read.GetPaymentPageUrl() == p.GetPaymentPageUrl(),
			"%s: read %v", codec, read)
		moved := called(t, signing("application", g.ExternalPaymentsSecret).UpdatePaymentStatus,
			&gatewayv1.UpdatePaymentStatusRequest{PaymentId: p.GetId(), Status: "failed", Reason: &reason}).Msg.GetData()
		testenv.Check(t, moved.GetStatus() == "failed" && moved.GetCallbackQueued() && moved.GetUuid() == p.GetUuid(),
			"%s: moved %v", codec, moved)
	}
}
