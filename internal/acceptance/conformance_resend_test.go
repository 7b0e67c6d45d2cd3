package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// resendIsSigned as every merchant's call, by a key that may, and its body is an empty object.
func resendIsSigned(t *testing.T, w *instance) {
	id, _ := w.entered(t, deskCard, nil)
	path := payments + "/" + id + "/quasi-ecom/resend-code"
	headers := signed(w.box(t, cardKey), "{}")
	refused(bareRequest(http.MethodPost, path, "{}", nil), 401, "signature_required").run(t, w)
	refused(bareRequest(http.MethodPost, path, "{}", signed(w.box(t, cardKey), "")), 403, "invalid_signature").run(t, w)
	refused(bareRequest(http.MethodPost, path, "{}", bearer(w.user(t, "operator").Token)), 401,
		"signature_required").run(t, w)
	refused(resendBy("sandbox-second-rub", id, "{}"), 403, "cashbox_access_denied").run(t, w)
	made := newKey.with("scopes", `["deposits","payouts"]`)(t, w)
	other := header{
		"X-Merchant-Key-Id": made.text("data.key_id"),
		"X-Merchant-Secret": made.text("secret"),
		"Signature":         signature(made.text("secret"), "{}"),
	}
	refused(bareRequest(http.MethodPost, path, "{}", other), 403, "merchant_scope_required").run(t, w)
	resend := endpoint{nothingGood, "", func(t *testing.T, w *instance, keyID, body string) answer {
		return resendBy(keyID, id, body)(t, w)
	}, cardKey, http.StatusOK}
	resend.wantsObject(true).run(t, w) // no body does for the empty object
	gives(bareRequest(http.MethodPost, path, "{}", headers), 200, is("message", "Code requested again")).run(t, w)
}

// resendAsksAgain: the code that was given counts no more, the trader's desk asks for another, and
// its acquirer is told.
func resendAsksAgain(t *testing.T, w *instance) {
	id, token := w.entered(t, deskCard, nil)
	gives(step(token, "payer-otp", newCode.body()), 200, is("data.phase", "awaiting_trader_confirm")).run(t, w)
	gives(resendOf(id), 200, is("data.phase", "awaiting_payer_otp")).run(t, w)
	listed := called(t, w.atDesk(t, id).ListPayments, &portalv1.ListPaymentsRequest{})
	asked := slices.ContainsFunc(listed.GetData(), func(p *gatewayv1.Payment) bool {
		return fmt.Sprint(p.GetId()) == id && p.GetCardDesk().GetPhase() == "awaiting_payer_otp"
	})
	if !asked {
		t.Error("the desk is not asked for a code")
	}
	const told = `select count(*) from sandbox_acquirer s join card_attempt a on a.id = s.attempt_id
		where a.payment_id = $1::text::bigint and s.resends = 1`
	testenv.Until(t, "the merchant is told", func() bool { return w.count(t, told, id) != 0 })
	refused(step(token, "payer-otp", "{}"), 422, "validation_failed", "otp").run(t, w)
	gives(step(token, "payer-otp", newCode.body()), 200, is("data.phase", "awaiting_trader_confirm")).run(t, w)
}

// resendFromEachPhase after the card, also where the trader had marked the code as not needed, and
// then asked for it.
func resendFromEachPhase(t *testing.T, w *instance) {
	for _, from := range []struct {
		phase string
		reach func(id, token string)
	}{
		{"awaiting_trader_bank_sms", func(string, string) {}},
		{"awaiting_payer_otp", func(id, _ string) { w.asksForCode(t, id) }},
		{"awaiting_trader_confirm", func(_, token string) { gives(step(token, "payer-otp", newCode.body()), 200).run(t, w) }},
		{"awaiting_trader_confirm", func(id, _ string) { w.needsNoCode(t, id) }},
		{"awaiting_payer_otp", func(id, _ string) { w.needsNoCode(t, id); w.asksForCode(t, id) }},
	} {
		id, token := w.entered(t, deskCard, nil)
		from.reach(id, token)
		w.phase(t, token, from.phase)
		gives(resendOf(id), 200, is("data.phase", "awaiting_payer_otp"), has("data.codeResendCount", exactly("1")),
			has("data.attemptsLeft", exactly("2"))).run(t, w)
		w.phase(t, token, "awaiting_payer_otp")
	}
}

// resendOutOfStep: before the card, after the end, and of what has no such codes.
func resendOutOfStep(t *testing.T, w *instance) {
	created, token := w.cardPayment(t, nil)
	id := created.text("data.id")
	refused(resendOf(id), 422, "code_resend_wrong_step").run(t, w)
	gives(step(token, "payer-details", newCard.body()), 200).run(t, w)
	gives(step(token, "cancel", ""), 200).run(t, w)
	refused(resendOf(id), 422, "code_resend_wrong_step").run(t, w)
	refused(resendBy(firstKey, "{payment}", "{}"), 422, "code_resend_wrong_step").run(t, w)
	mtstpay := w.create(t, w.first(), object{"method": "mtstpay"})
	token = strings.TrimPrefix(mtstpay.text("data.checkoutUrl"), w.PayURL+"/pay/")
	gives(step(token, "payer-details", newCard.body()), 200).run(t, w)
	refused(resendBy(firstKey, mtstpay.text("data.id"), "{}"), 422, "code_resend_wrong_step").run(t, w)
	refused(resendOf("999999"), 404, "not_found").run(t, w)
}

// resendTooEarly: the merchant's and the trader's, from either's resend on.
func resendTooEarly(t *testing.T, w *instance) {
	byMerchant, _ := w.entered(t, deskCard, nil)
	first := resendOf(byMerchant)(t, w)
	w.wantTooEarly(t, byMerchant, first.text("data.nextAllowedAt"))
	byTrader, _ := w.entered(t, deskCard, nil)
	noError(t, w.traderResends(t, byTrader))
	read := signedGet(payments+"/"+byTrader, cardKey)(t, w)
	w.wantTooEarly(t, byTrader, read.text("data.quasiEcom.nextAllowedAt"))
}

// wantTooEarly wants a resend right after another refused, with when it is allowed.
func (w *instance) wantTooEarly(t *testing.T, id, next string) {
	t.Helper()
	refused(resendOf(id), 429, "code_resend_too_early").run(t, w)
	got := resendOf(id)(t, w)
	is("nextAllowedAt", next)(t, got)
	if wait, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || wait < 1 || wait > 45 {
		t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
	}
	wantFault(t, "", w.traderResends(t, id), connect.CodeResourceExhausted, "code_resend_too_early")
}

// pauseIs45Seconds, as all answers tell it.
func pauseIs45Seconds(t *testing.T, w *instance) {
	for fixture, path := range map[string]string{
		"resend": "data.", "read with resend": "data.quasiEcom.", "read with trader's resend": "data.quasiEcom.",
	} {
		got := w.fixture(t, fixture)
		last, err := time.Parse(time.RFC3339, got.text(path+"codeResendLastAt"))
		noError(t, err)
		next, err := time.Parse(time.RFC3339, got.text(path+"nextAllowedAt"))
		if noError(t, err); next.Sub(last) != 45*time.Second {
			t.Errorf("%s: a pause of %s", fixture, next.Sub(last))
		}
	}
}

// resendsRunOut: three, whoever asks for them, with the pause between. That none is left is said
// before that it is early.
func resendsRunOut(t *testing.T, w *instance) {
	id, token := w.entered(t, deskCard, nil)
	for n, again := range []func(){
		func() { gives(resendOf(id), 200).run(t, w) },
		func() { noError(t, w.traderResends(t, id)) },
		func() { gives(resendOf(id), 200).run(t, w) },
	} {
		again()
		count := strconv.Itoa(n + 1)
		gives(step(token, "", ""), 200, has("data.codeResendCount", exactly(count)),
			has("data.attemptsLeft", exactly(strconv.Itoa(2-n)))).run(t, w)
		if n < 2 {
			refused(resendOf(id), 429, "code_resend_too_early").run(t, w)
			w.pass(t, 45*time.Second)
		}
	}
	for range 2 {
		refused(resendOf(id), 422, "code_resend_exhausted").run(t, w)
		wantFault(t, "", w.traderResends(t, id), connect.CodeFailedPrecondition, "code_resend_exhausted")
		w.pass(t, 45*time.Second)
	}
}

// traderResendTells the merchant, and the payment waits on.
func traderResendTells(t *testing.T, w *instance) {
	read, event := w.fixture(t, "read with trader's resend"), w.fixture(t, "resend event")
	is("data.status", "pending")(t, read)
	for path, same := range map[string]string{
		"id": "uuid", "data.id": "uuid", "order_id": "orderId", "data.orderId": "orderId", "data.amount": "amount", "data.currency": "currency",
		"data.quasiEcom.phase": "quasiEcom.phase", "data.quasiEcom.codeResendLastAt": "quasiEcom.codeResendLastAt",
	} {
		is(path, read.text("data."+same))(t, event)
	}
}

// merchantResendTellsNothing: the first they hear is the cancel after it.
func merchantResendTellsNothing(t *testing.T, w *instance) {
	orderID := newOrder()
	id, token := w.entered(t, deskCard, object{"orderId": orderID, "callbackUri": w.inbox.URL})
	gives(resendOf(id), 200, has("data.codeResendCount", exactly("1"))).run(t, w)
	gives(step(token, "cancel", ""), 200).run(t, w)
	told := w.inbox.letters(t, orderID, 1)[0].answer
	is("type", "payment.status.updated")(t, told)
	has("meta.sequence", exactly("1"))(t, told)
}
