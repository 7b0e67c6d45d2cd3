package acceptance

import (
	"fmt"
	"testing"
	"time"

	"connectrpc.com/connect"

	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// The merchant's resend as documented, over REST and by uuid, with its refusals.
func TestResendCode(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.box(t, "sandbox-azn")
	s := newShop(t, box.WebhookSecret)
	orderID := newOrder()
	created, token := g.cardPayment(t, object{"orderId": orderID, "callbackUri": s.URL})
	address := g.BaseURL + payments + "/" + created.text("data.uuid") + "/quasi-ecom/resend-code"
	resend := func() answer { return send(t, "POST", address, "{}", signed(box, "{}")) }
	resend().want(t, "before the card", 422, "code", "code_resend_wrong_step")
	g.checkout(t, token, "payer-details", typedCard("4111111111111111", nil))
	first := resend()
	g.golden(t, "code_resend", first, "")
	early := resend()
	if early.status != 429 || early.text("code") != "code_resend_too_early" ||
		early.at("nextAllowedAt") != first.at("data.nextAllowedAt") ||
		early.header.Get("Retry-After") == "" {
		t.Errorf("at once again: %s %v", early, early.header)
	}
	next, err := time.Parse(time.RFC3339, first.text("data.nextAllowedAt"))
	noError(t, err)
	last, err := time.Parse(time.RFC3339, first.text("data.codeResendLastAt"))
	if noError(t, err); next.Sub(last) != 45*time.Second {
		t.Errorf("a pause of %s", next.Sub(last))
	}
	read := send(t, "GET", g.BaseURL+payments+"/"+created.text("data.id"), "", signed(box, ""))
	if read.text("data.quasiEcom.codeResendCount") != "1" ||
		read.text("data.quasiEcom.phase") != "awaiting_payer_otp" ||
		read.text("data.status") != "pending" {
		t.Errorf("read %s", read)
	}
	if n := g.count(t,
		"select count(*) from webhook_event e join payment p on p.id = e.subject_id where p.order_id = $1",
		orderID); n != 0 {
		t.Errorf("a merchant's resend made %d webhooks", n)
	}
}

// The Connect twins take the same steps, and their errors say the same.
func TestCheckoutOverConnect(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	created, token := g.cardPayment(t, nil)
	id := number(created.text("data.id"))
	payer := gatewayv1connect.NewCheckoutServiceClient(client, g.BaseURL)
	entered := succeeds(t, payer.SubmitPayerDetails, &gatewayv1.SubmitPayerDetailsRequest{
		Token: token, Pan: "4111111111111111", ExpMonth: "1", ExpYear: "35", Cvv: "1234",
	})
	if entered.Msg.GetData().GetPhase() != "awaiting_trader_bank_sms" ||
		entered.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%v %v", entered.Msg, entered.Header())
	}
	desk := g.desk(g.traderOf(t, created.text("data.id")).Token)
	asked := called(t, desk.RequestCode, &portalv1.RequestCodeRequest{PaymentId: id})
	if shown := asked.GetData().GetCardDesk(); shown.GetPhase() != "awaiting_payer_otp" || shown.GetBrand() != "visa" ||
		shown.GetCardLast4() != "1111" {
		t.Errorf("the desk shows %v", shown)
	}
	otp := "1234"
	given := called(t, payer.SubmitPayerOtp, &gatewayv1.SubmitPayerOtpRequest{Token: token, Otp: &otp})
	if given.GetData().GetPhase() != "awaiting_trader_confirm" {
		t.Errorf("%v", given)
	}
	called(t, desk.RequestCodeResend, &portalv1.RequestCodeResendRequest{PaymentId: id})
	refuses(t, "at once again", desk.RequestCodeResend, &portalv1.RequestCodeResendRequest{PaymentId: id},
		connect.CodeResourceExhausted, "code_resend_too_early")
	called(t, desk.MarkCodeNotNeeded, &portalv1.MarkCodeNotNeededRequest{PaymentId: id})
	refuses(t, "the merchant", g.merchantClient(g.box(t, "sandbox-azn")).ResendCode,
		&gatewayv1.ResendCodeRequest{PaymentId: fmt.Sprint(id)}, connect.CodeResourceExhausted, "code_resend_too_early")
	called(t, desk.ConfirmReceived, &portalv1.ConfirmReceivedRequest{PaymentId: id})
	got := called(t, payer.GetCheckout, &gatewayv1.GetCheckoutRequest{Token: token})
	if got.GetData().GetPaymentStatus() != "completed" || !got.GetData().GetIsTerminal() {
		t.Errorf("%v", got)
	}
	refuses(t, "a cancel after the end", payer.CancelCheckout, &gatewayv1.CancelCheckoutRequest{Token: token},
		connect.CodeFailedPrecondition, "checkout_closed")
	refuses(t, "an unknown link", payer.GetCheckout, &gatewayv1.GetCheckoutRequest{Token: "nonsense"},
		connect.CodeNotFound, "not_found")
}
