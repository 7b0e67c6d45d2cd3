package acceptance

import (
	"net/http"
	"strings"
	"testing"
)

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
