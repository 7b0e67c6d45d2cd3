package acceptance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
)

const (
	payments = "/api/v1/payments"
	payins   = "/api/v1/payins"
	deposits = "/api/v1/deposits"

	// recipientPhone is where payouts go; no log may hold it.
	recipientPhone = "+79991234567"
	tron           = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

	// Cards of the sandbox: one that needs a code, and two that are declined.
	codeCard     = "4000002500003155"
	declinedCard = "4000000000000002"
	poorCard     = "4000000000009995"
)

var orders atomic.Int64

// newOrder is an order id no other test uses.
func newOrder() string { return fmt.Sprintf("order-%d", orders.Add(1)) }

// bodyOf is a body of JSON: the defaults, and over them what more says.
func bodyOf(fields, more object) string {
	maps.Copy(fields, more)
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(body)
}

// order is the body of a payment's creation.
func order(more object) string {
	return bodyOf(object{
		"orderId": newOrder(), "amount": "1500.00", "currency": "RUB", "method": "sbp",
		"callbackUri": "https://shop.example/hook",
	}, more)
}

// payinOrder is the body of a payout's creation.
func payinOrder(more object) string {
	return bodyOf(object{
		"orderId": newOrder(), "amount": 1500, "currency": "RUB", "method": "sbp",
		"callbackUri": "https://shop.example/hook", "address": recipientPhone, "recipient": "Иван Петров",
	}, more)
}

// depositOrder is the body of a deposit's creation.
func depositOrder(more object) string {
	key := uuid.NewString()
	return bodyOf(object{"amount": "250.5", "network": "TRC20", "address": tron, "idempotencyKey": key}, more)
}

// typedCard is the body of a valid card.
func typedCard(pan string, more object) string {
	return bodyOf(object{"pan": pan, "expMonth": "12", "expYear": "2035", "cvv": "123"}, more)
}

// signedTo posts a signed body.
func (g *instance) signedTo(t testing.TB, path string, box sandbox.Cashbox, body string) answer {
	t.Helper()
	return send(t, http.MethodPost, g.BaseURL+path, body, signed(box, body))
}

// withdrawing has a cashbox's key withdraw, too, which keys may not unless their merchant says so.
func (g *instance) withdrawing(t *testing.T, box sandbox.Cashbox) sandbox.Cashbox {
	t.Helper()
	g.exec(t, "update api_key set scopes = scopes || '{withdrawals}' where key_id = $1 and not scopes @> '{withdrawals}'", box.KeyID)
	testenv.Until(t, "the key may withdraw", func() bool {
		return fetched(t, http.MethodGet, g.BaseURL+"/api/v1/withdrawals", "", signed(box, "")).status == http.StatusOK
	})
	return box
}

// post sends a merchant's signed request for a payment.
func (g *instance) post(t testing.TB, box sandbox.Cashbox, body string) answer {
	t.Helper()
	return g.signedTo(t, payments, box, body)
}

// create makes a payment and returns its answer, which must be a success.
func (g *instance) create(t testing.TB, box sandbox.Cashbox, more object) answer {
	t.Helper()
	return g.post(t, box, order(more)).must(t, "create", http.StatusOK)
}

// createPayin makes a payout and returns its answer, which must be a success.
func (g *instance) createPayin(t testing.TB, box sandbox.Cashbox, more object) answer {
	t.Helper()
	return g.signedTo(t, payins, box, payinOrder(more)).must(t, "create", http.StatusOK)
}

// createDeposit asks for a deposit, which must be a success.
func (g *instance) createDeposit(t testing.TB, box sandbox.Cashbox, more object) answer {
	t.Helper()
	return g.signedTo(t, deposits, box, depositOrder(more)).must(t, "create", http.StatusCreated)
}

// failed makes a failed payment.
func (g *instance) failed(t testing.TB) string {
	t.Helper()
	id := g.create(t, g.first(), nil).text("data.id")
	g.callback(t, id, `{"status":"failed"}`).must(t, "", 200)
	return id
}

func (g *instance) credentials(cashboxID any) string {
	return g.BaseURL + fmt.Sprintf("/api/merchant-portal/merchant-cashboxes/%v/api-credentials", cashboxID)
}

func (g *instance) keyRow(t *testing.T, keyID string) string {
	t.Helper()
	return g.texts(t, "select id::text from api_key where key_id = $1", keyID)[0]
}
