package acceptance

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	"gateway.example/rpc/sign"
)

const (
	payments = "/api/v1/payments"
	payins   = "/api/v1/payins"
	deposits = "/api/v1/deposits"

	// recipientPhone is where payouts go; no log may hold it.
	recipientPhone = "+79991234567"
	tron           = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

	// deskCard is one of which the trader decides.
	deskCard = "4111111111111111"
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

// withdrawing has a cashbox's key withdraw, too, which keys may not unless
// their merchant says so.
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
func (g *instance) createPayin(t testing.TB, box sandbox.Cashbox) answer {
	t.Helper()
	return g.signedTo(t, payins, box, payinOrder(nil)).must(t, "create", http.StatusOK)
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

// cardPayment creates a payment of 100 AZN by quasi_ecom and returns its answer
// and its link's token.
func (g *instance) cardPayment(t testing.TB, more object) (answer, string) {
	t.Helper()
	fields := object{"method": "quasi_ecom", "currency": "AZN", "amount": "100"}
	maps.Copy(fields, more)
	got := g.create(t, g.box(t, "sandbox-azn"), fields)
	return got, path.Base(got.text("data.checkoutUrl"))
}

// entered makes a card payment into which a card is typed.
func (g *instance) entered(t testing.TB, pan string, more object) (created answer, token string) {
	t.Helper()
	created, token = g.cardPayment(t, more)
	g.checkout(t, token, "payer-details", typedCard(pan, nil)).must(t, "the card", http.StatusOK)
	return created, token
}

// checkout calls a step of a checkout; an empty step reads it.
func (g *instance) checkout(t testing.TB, token, step, body string) answer {
	t.Helper()
	method, address := http.MethodPost, g.BaseURL+"/api/v1/checkout/"+token+"/"+step
	if step == "" {
		method, address = http.MethodGet, strings.TrimSuffix(address, "/")
	}
	got := send(t, method, address, body, nil)
	testenv.Check(t, got.header.Get("Access-Control-Allow-Origin") == "*" &&
		got.header.Get("Access-Control-Allow-Credentials") == "", "%s: CORS headers %v", step, got.header)
	return got
}

// savedCard is how the page of a payment names the card that it has filled in.
func (g *instance) savedCard(t testing.TB, token string) string {
	t.Helper()
	card, there := fetched(t, http.MethodGet, g.PayURL+"/pay/"+token, "", nil).part(`/name="card" value="([^"]+)"/`)
	testenv.Need(t, there, "no card is filled in")
	return card.(string)
}

// awaitCheckout waits until a field of a checkout has a value.
func (g *instance) awaitCheckout(t testing.TB, token, field, value string) answer {
	t.Helper()
	var got answer
	noError(t, testenv.Eventually(func() error {
		if got = g.checkout(t, token, "", ""); got.text("data."+field) != value {
			return fmt.Errorf("%s; want %s %s", got, field, value)
		}
		return nil
	}))
	return got
}

const (
	uploadLimit = 10 << 20
	formType    = "multipart/form-data; boundary=b"
	pdf         = "%PDF-1.7\n"
)

// form is a multipart body of parts, each a header and a content as they are to
// be sent.
func form(parts ...[2]string) string {
	var body strings.Builder
	for _, part := range parts {
		body.WriteString("--b\r\nContent-Disposition: form-data; " + part[0] + "\r\n\r\n" + part[1] + "\r\n")
	}
	return body.String() + "--b--\r\n"
}

func reasonPart(text string) [2]string { return [2]string{`name="reason"`, text} }

// filePart names its file as browsers do: a quote is escaped.
func filePart(name, content string) [2]string {
	return [2]string{`name="file"; filename="` + strings.ReplaceAll(name, `"`, `\"`) + `"`, content}
}

// appealHeaders sign an appeal's four lines.
func appealHeaders(box sandbox.Cashbox, reason, fileName string, size int) header {
	return header{
		"Content-Type": formType, "X-Merchant-Key-Id": box.KeyID, "X-Merchant-Secret": box.Secret,
		"Signature": sign.Signature(box.Secret, fmt.Appendf(nil, "appeal-v1\n%s\n%s\n%d", reason, fileName, size)),
	}
}

func (g *instance) appealURL(id string) string { return g.BaseURL + payments + "/" + id + "/appeal" }

func (g *instance) appeal(t testing.TB, box sandbox.Cashbox, id, reason, fileName string) answer {
	t.Helper()
	return send(t, http.MethodPost, g.appealURL(id), form(reasonPart(reason), filePart(fileName, pdf)),
		appealHeaders(box, reason, fileName, len(pdf)))
}

// newAppeal appeals the failed payment with a form of wrong.txt.
var newAppeal = endpoint{fixed("{}"), postForm, http.StatusCreated}

var aPart = regexp.MustCompile(`<part ([^>]*)>`)

// postForm writes out the parts of a form, and signs what is in them.
func postForm(t *testing.T, g *instance, short string) answer {
	const part, end = "\r\n--b\r\nContent-Disposition: form-data; ", "\r\n--b--\r\n"
	body := strings.NewReplacer(
		"<reason>", `<part name="reason">`, "<file>", `<part name="file"; filename="a.pdf">`, "<pdf>", pdf, "<end>", end,
		"<parts:5000>", strings.Repeat(part+`name="x"`+"\r\n\r\n", 5000),
	).Replace(short)
	body = strings.TrimPrefix(aPart.ReplaceAllString(body, part+"$1\r\n\r\n"), "\r\n")
	got := send(t, http.MethodPost, g.appealURL(g.ids["failed"]), body, signedForm(g.first(), body, "x", "a.pdf", len(pdf)))
	if got.status == http.StatusCreated {
		g.ids["failed"] = g.failed(t)
	}
	return got
}

// signedForm signs what an appeal's form has in it, or what is given where
// nobody can read it.
func signedForm(box sandbox.Cashbox, body, reason, fileName string, size int) header {
	if sent, err := multipart.NewReader(strings.NewReader(body), "b").ReadForm(uploadLimit); err == nil {
		if given := sent.Value["reason"]; len(given) > 0 {
			reason = given[0]
		}
		if given := sent.Value["file"]; len(given) > 0 {
			fileName, size = "", len(given[0])
		}
		if given := sent.File["file"]; len(given) > 0 {
			fileName, size = given[0].Filename, int(given[0].Size)
		}
	}
	return appealHeaders(box, reason, fileName, size)
}
