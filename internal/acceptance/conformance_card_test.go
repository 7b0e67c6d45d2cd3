package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// Cards of the sandbox: one that needs a code, one that does not, and one of which the trader
// decides.
const (
	codeCard     = "4000002500003155"
	approvedCard = "4242424242424242"
	deskCard     = "4111111111111111"

	cardKey   = "sandbox-azn"
	checkouts = "/api/v1/checkout/"
)

// The card of the checkout that is kept, and the code given with it: nothing else has these values.
const (
	keptYear = "2047"
	keptCVV  = "0739"
	keptCode = "73915046"
)

var (
	newCard = endpoint{func(more object) string { return typedCard(deskCard, more) }, postCard, "", http.StatusOK}
	newCode = endpoint{fixed(`{"otp":"1234"}`), postCode, "", http.StatusOK}
)

// postCard types into a checkout that waits for its card. Once that has one, the next call gets
// another.
func postCard(t *testing.T, w *instance, _, body string) answer {
	t.Helper()
	got := w.checkout(t, w.ids["no_card"], "payer-details", body)
	if got.status == http.StatusOK {
		_, w.ids["no_card"] = w.cardPayment(t, nil)
	}
	return got
}

// postCode types into a checkout that has its card and may get a code.
func postCode(t *testing.T, w *instance, _, body string) answer {
	t.Helper()
	got := w.checkout(t, w.ids["no_code"], "payer-otp", body)
	if got.status == http.StatusOK {
		_, w.ids["no_code"] = w.entered(t, nil)
	}
	return got
}

// entered makes a card payment and enters a card of which the trader decides.
func (w *instance) entered(t *testing.T, more object) (id, token string) {
	t.Helper()
	created, token := w.cardPayment(t, more)
	w.checkout(t, token, "payer-details", typedCard(deskCard, nil)).must(t, "", http.StatusOK)
	return created.text("data.id"), token
}

// makeCheckouts keeps what is answered of two card payments: of one the merchant asks for the code
// again, of the other the trader does, and then has the money.
func (w *instance) makeCheckouts(t *testing.T) {
	t.Helper()
	_, w.ids["no_card"] = w.cardPayment(t, nil)
	_, w.ids["no_code"] = w.entered(t, nil)
	w.answers["mtstpay"] = w.create(t, w.first(), object{"method": "mtstpay"})

	created, token := w.cardPayment(t, object{"orderId": "cups-of-tea"})
	w.keep("quasi_ecom", created)
	w.ids["id"], w.ids["token"] = created.text("data.id"), token
	w.answers["checkout"] = w.checkout(t, token, "", "")
	w.answers["card"] = w.checkout(t, token, "payer-details",
		typedCard(deskCard, object{"expYear": keptYear, "cvv": keptCVV, "cardHolder": "ANNA B"}))
	w.answers["read with card"] = signedGet(payments+"/{id}", cardKey)(t, w)
	w.answers["code"] = w.checkout(t, token, "payer-otp", fmt.Sprintf(`{"otp":%q}`, keptCode))
	w.answers["resend"] = resendOf("{id}")(t, w)
	w.answers["read with resend"] = signedGet(payments+"/{id}", cardKey)(t, w)

	id, _ := w.entered(t, object{"orderId": "trader-resends", "callbackUri": w.inbox.URL})
	w.ids["by_trader"] = id
	noError(t, w.traderResends(t, id))
	w.answers["resend event"] = w.inbox.letters(t, "trader-resends", 1)[0].answer
	w.answers["read with trader's resend"] = signedGet(payments+"/"+id, cardKey)(t, w)
	w.keep("by_trader", w.answers["read with trader's resend"])
	w.ids["resent_at"] = w.answers["by_trader"].text("data.quasiEcom.codeResendLastAt")
	w.confirms(t, id)
	w.answers["card event"] = w.inbox.letters(t, "trader-resends", 2)[1].answer
}

// resendOf asks for a payment's code again, as its merchant.
func resendOf(payment string) call { return resendBy(cardKey, payment, "{}") }

func resendBy(keyID, payment, body string) call {
	return request(
		http.MethodPost,
		payments+"/"+payment+"/quasi-ecom/resend-code",
		body,
		func(t *testing.T, w *instance) header {
			return signed(w.box(t, keyID), body)
		},
	)
}

// atDesk is the desk of a payment's trader.
func (w *instance) atDesk(t *testing.T, id string) portalv1connect.TraderServiceClient {
	t.Helper()
	return w.desk(w.traderOf(t, id).Token)
}

func (w *instance) traderResends(t *testing.T, id string) error {
	t.Helper()
	_, err := w.atDesk(t, id).
		RequestCodeResend(t.Context(), connect.NewRequest(&portalv1.RequestCodeResendRequest{PaymentId: number(id)}))
	return err
}

func (w *instance) confirms(t *testing.T, id string) {
	t.Helper()
	called(t, w.atDesk(t, id).ConfirmReceived, &portalv1.ConfirmReceivedRequest{PaymentId: number(id)})
}

// step is a call of a checkout; token is a link's, or names one of ids.
func step(token, name, body string) call {
	return func(t *testing.T, w *instance) answer {
		t.Helper()
		return w.checkout(t, strings.TrimPrefix(w.path(t, "/"+token), "/"), name, body)
	}
}
