package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// resendIsSigned as every merchant's call, by a key that may, and its body is an empty object.
func resendIsSigned(t *testing.T, w *instance) {
	id, _ := w.entered(t, nil)
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
	resend := endpoint{fixed("{}"), func(t *testing.T, w *instance, keyID, body string) answer {
		return resendBy(keyID, id, body)(t, w)
	}, cardKey, http.StatusOK}
	w.tryBodies(t, resend, tables(t, "wrong.txt")["bodies"][2:]) // no body does for the empty object
	gives(bareRequest(http.MethodPost, path, "{}", headers), 200, is("message", "Code requested again")).run(t, w)
}

// resendAsksAgain: the code that was given counts no more, the trader's desk asks for another, and
// its acquirer is told.
func resendAsksAgain(t *testing.T, w *instance) {
	id, token := w.entered(t, nil)
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

// resendTooEarly: the merchant's and the trader's, from either's resend on.
func resendTooEarly(t *testing.T, w *instance) {
	byMerchant, _ := w.entered(t, nil)
	first := resendOf(byMerchant)(t, w)
	w.wantTooEarly(t, byMerchant, first.text("data.nextAllowedAt"))
	byTrader, _ := w.entered(t, nil)
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
