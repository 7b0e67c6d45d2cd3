package acceptance

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	checkoutURL = matching(`^http://[^/]+/pay/[A-Za-z0-9_-]{43}$`)
	codeURL     = matching(`^http://[^/]+/pay/[A-Za-z0-9_-]{43}/code$`)

	resendFields = []string{
		"phase", "attemptsLeft", "nextAllowedAt", "codeResendCount", "codeResendMax", "codeResendLastBy",
		"codeResendLastAt",
	}
	quasiEcomFields = resendFields
	checkoutFields  = slices.Concat(resendFields, []string{
		"amount", "currency", "orderIdMasked", "expiresAt", "paymentStatus", "isTerminal", "otpUrl", "lastError",
	})
)

// cardMethods are those without a requisite.
var cardMethods = []struct{ currency, method string }{{"RUB", "mtstpay"}, {"AZN", "quasi_ecom"}, {"TRY", "quasi_ecom"}}

// cardMethodsHaveLinks, and the same steps. Only quasi_ecom has codes that can be sent again.
func cardMethodsHaveLinks(t *testing.T, w *instance) {
	for _, c := range cardMethods {
		made := newPayment.by(boxOf[c.currency]).
			with("currency", strconv.Quote(c.currency), "method", strconv.Quote(c.method))(t, w)
		for _, e := range []expectation{
			is("data.method", c.method), has("data.checkoutUrl", checkoutURL), has("data.requisite", null), lacks("data.paymentPageUrl"),
		} {
			e(t, made)
		}
		token := strings.TrimPrefix(made.text("data.checkoutUrl"), w.PayURL+"/pay/")
		w.followPhases(t, made.text("data.id"), token)
		if _, there := find(made.body, "data.quasiEcom"); there != (c.method == "quasi_ecom") {
			t.Errorf("quasiEcom is there: %t in %s", there, made)
		}
	}
}

// followPhases takes a checkout through its phases, in the order they are named.
func (w *instance) followPhases(t *testing.T, id, token string) {
	t.Helper()
	w.phase(t, token, "awaiting_payer_details")
	gives(step(token, "payer-details", typedCard(deskCard, nil)), 200,
		is("data.phase", "awaiting_trader_bank_sms")).run(t, w)
	w.asksForCode(t, id)
	w.phase(t, token, "awaiting_payer_otp")
	gives(step(token, "payer-otp", `{"otp":"1234"}`), 200, is("data.phase", "awaiting_trader_confirm")).run(t, w)
	w.phase(t, token, "awaiting_trader_confirm")
}

func phasesFollow(t *testing.T, w *instance) {
	created, token := w.cardPayment(t, nil)
	w.followPhases(t, created.text("data.id"), token)
}

// merchantDrivesCard: with the endpoints alone, a card and its code are a completed payment.
func merchantDrivesCard(t *testing.T, w *instance) {
	id, token := w.entered(t, codeCard, nil)
	w.awaitCheckout(t, token, "phase", "awaiting_payer_otp")
	gives(step(token, "payer-otp", `{"otp":"123456"}`), 200, is("data.paymentStatus", "completed"),
		has("data.isTerminal", exactly("true"))).run(t, w)
	gives(signedGet(payments+"/"+id, cardKey), 200, is("data.status", "completed")).run(t, w)
}

// tokenIsOfTheURL: it alone opens the checkout; the payment's ids do not.
func tokenIsOfTheURL(t *testing.T, w *instance) {
	created := w.fixture(t, "quasi_ecom")
	token, found := strings.CutPrefix(created.text("data.checkoutUrl"), w.PayURL+"/pay/")
	if !found {
		t.Fatalf("the link is %s", created.text("data.checkoutUrl"))
	}
	gives(bareRequest(http.MethodGet, checkouts+token, "", nil), 200, is("data.orderIdMasked", "cu***ea")).run(t, w)
	for _, id := range []string{created.text("data.id"), created.text("data.uuid")} {
		w.opensNothing(t, id)
	}
}

// opensNothing wants what is no token of a card payment to be refused by every endpoint.
func (w *instance) opensNothing(t *testing.T, token string) {
	t.Helper()
	refused(step(token, "", ""), 404, "not_found").run(t, w)
	refused(step(token, "payer-details", newCard.body()), 404, "not_found").run(t, w)
	refused(step(token, "payer-otp", newCode.body()), 404, "not_found").run(t, w)
	refused(step(token, "cancel", ""), 404, "not_found").run(t, w)
}

// linkIsTheAccess: no endpoint wants a signature, and none takes a link that is another's, or one
// letter off.
func linkIsTheAccess(t *testing.T, w *instance) {
	_, token := w.cardPayment(t, nil)
	gives(bareRequest(http.MethodGet, checkouts+token, "", nil), 200).run(t, w)
	gives(bareRequest(http.MethodPost, checkouts+token+"/payer-details", newCard.body(), nil), 200).run(t, w)
	gives(bareRequest(http.MethodPost, checkouts+token+"/payer-otp", newCode.body(), nil), 200).run(t, w)
	gives(bareRequest(http.MethodPost, checkouts+token+"/cancel", "", nil), 200).run(t, w)
	requisites := strings.TrimPrefix(w.fixture(t, "payment").text("data.paymentPageUrl"), w.PayURL+"/r/")
	wrong := []string{token[:42], token + "A", requisites}
	for _, at := range []int{0, 20, 22, 41} { // in the payment's half of it, and in the proof's
		other := map[bool]string{true: "B", false: "A"}[token[at] == 'A']
		wrong = append(wrong, token[:at]+other+token[at+1:])
	}
	for _, token := range wrong {
		w.opensNothing(t, token)
	}
}

// codeWhenAsked: without one, nothing changes, unless the bank asked for it.
func codeWhenAsked(t *testing.T, w *instance) {
	id, token := w.entered(t, deskCard, nil)
	gives(step(token, "payer-otp", "{}"), 200, is("data.phase", "awaiting_trader_bank_sms")).run(t, w)
	w.asksForCode(t, id)
	refused(step(token, "payer-otp", "{}"), 422, "validation_failed", "otp").run(t, w)
	gives(step(token, "payer-otp", `{"otp":"12345678"}`), 200, is("data.phase", "awaiting_trader_confirm")).run(t, w)
}

// cardWithoutCode: whoever pays so waits, and the merchant hears of it by webhook.
func cardWithoutCode(t *testing.T, w *instance) {
	orderID := newOrder()
	_, token := w.entered(t, approvedCard, object{"orderId": orderID, "callbackUri": w.inbox.URL})
	told := w.inbox.letters(t, orderID, 1)[0].answer
	is("type", "payment.status.updated")(t, told)
	is("data.status", "COMPLETED")(t, told)
	is("data.payerRequisites.cardLast4", "4242")(t, told)
	w.phase(t, token, "awaiting_trader_bank_sms") // the last one: no code was ever asked for
}

// payerCancels: the merchant sees it at once, and is told.
func payerCancels(t *testing.T, w *instance) {
	orderID := newOrder()
	id, token := w.entered(t, deskCard, object{"orderId": orderID, "callbackUri": w.inbox.URL})
	gives(step(token, "cancel", ""), 200, is("data.paymentStatus", "cancelled"),
		has("data.isTerminal", exactly("true")), has("data.otpUrl", null)).run(t, w)
	gives(signedGet(payments+"/"+id, cardKey), 200, is("data.status", "cancelled")).run(t, w)
	told := w.inbox.letters(t, orderID, 1)[0].answer
	is("type", "payment.status.updated")(t, told)
	is("data.status", "CANCELLED")(t, told)
	is("meta.previousStatus", "PENDING")(t, told)
}

// stepsOutOfOrder are refused, as is every step once the payment has ended. Its result can still be
// read.
func stepsOutOfOrder(t *testing.T, w *instance) {
	_, token := w.cardPayment(t, nil)
	refused(step(token, "payer-otp", newCode.body()), 422, "checkout_wrong_step").run(t, w)
	gives(step(token, "payer-details", newCard.body()), 200).run(t, w)
	refused(step(token, "payer-details", newCard.body()), 422, "checkout_wrong_step").run(t, w)
	gives(step(token, "cancel", ""), 200).run(t, w)
	w.wantClosed(t, token, "cancelled")
}

func (w *instance) wantClosed(t *testing.T, token, status string) {
	t.Helper()
	refused(step(token, "payer-details", newCard.body()), 422, "checkout_closed").run(t, w)
	refused(step(token, "payer-otp", newCode.body()), 422, "checkout_closed").run(t, w)
	refused(step(token, "cancel", ""), 422, "checkout_closed").run(t, w)
	gives(step(token, "", ""), 200, is("data.paymentStatus", status), has("data.isTerminal", exactly("true"))).run(t, w)
}

// sessionEnds with the payment, and not before.
func sessionEnds(t *testing.T, w *instance) {
	created, token := w.cardPayment(t, nil)
	gives(step(token, "", ""), 200, is("data.expiresAt", created.text("data.expiresAt"))).run(t, w)
	w.pass(t, 13*time.Minute)
	gives(step(token, "payer-details", newCard.body()), 200,
		is("data.expiresAt", created.text("data.expiresAt"))).run(t, w)
	w.pass(t, 2*time.Minute+time.Second)
	w.wantClosed(t, token, "failed")
}
