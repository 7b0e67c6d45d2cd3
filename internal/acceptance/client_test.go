package acceptance

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1client"
	"gateway.example/rpc/sign"
)

// client waits as long as a test does, and follows no redirect: the gateway
// must not answer with one.
var client = &http.Client{
	Timeout:       testenv.Patience,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     judged{&http.Transport{MaxIdleConnsPerHost: 50}},
}

// object is a JSON object as it came, numbers in their own digits.
type object = map[string]any

// answer is a response of the REST API.
type answer struct {
	status int
	header http.Header
	raw    string
	body   object
}

// find walks a body by names and, in lists, places: "data.0.id".
func find(body any, path string) (value any, there bool) {
	value = body
	for name := range strings.SplitSeq(path, ".") {
		switch inside := value.(type) {
		case object:
			if value, there = inside[name]; !there {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(inside) {
				return nil, false
			}
			value = inside[i]
		default:
			return nil, false
		}
	}
	return value, true
}

// at is a field of the body, nil where it is not there: "data.ledger.bank".
func (a answer) at(names string) any {
	value, _ := find(a.body, names)
	return value
}

func (a answer) text(names string) string { return fmt.Sprint(a.at(names)) }

// detail is what tells of a fault: the body itself, or what a body of Connect
// has of ours.
func (a answer) detail() answer {
	if details, _ := a.at("details").([]any); len(details) > 0 {
		debug, _ := find(details[0], "debug")
		a.body, _ = debug.(object)
	}
	return a
}

// fields are the names of the wrong fields, in order.
func (a answer) fields() []string {
	wrong, _ := a.detail().at("errors").(object)
	return slices.Sorted(maps.Keys(wrong))
}

func (a answer) String() string { return fmt.Sprintf("%d %s", a.status, a.raw) }

// wrong says what of an answer is not as wanted: its status or, in pairs of a
// path and a text, what stands in its body.
func (a answer) wrong(status int, texts []string) string {
	right := a.status == status
	for i := 0; i < len(texts); i += 2 {
		right = right && a.text(texts[i]) == texts[i+1]
	}
	if right {
		return ""
	}
	return fmt.Sprintf("%.600s; want %d %s", a, status, strings.Join(texts, " "))
}

// want wants an answer's status and texts; what names the call where its line
// does not.
func (a answer) want(t testing.TB, what string, status int, texts ...string) {
	t.Helper()
	testenv.Want(t, a.wrong(status, texts), "", "%s", what)
}

// must is want, without which the test cannot go on.
func (a answer) must(t testing.TB, what string, status int, texts ...string) answer {
	t.Helper()
	wrong := a.wrong(status, texts)
	testenv.Need(t, wrong == "", "%s: %s", what, wrong)
	return a
}

type header map[string]string

// send makes a request and reads its answer, which must be JSON.
func send(t testing.TB, method, address, body string, headers header) answer {
	t.Helper()
	a := fetched(t, method, address, body, headers)
	testenv.Need(t, a.body != nil, "%s %s: no JSON: %s", method, address, a)
	testenv.Check(t, a.header.Get("X-Request-Id") != "", "%s %s: no X-Request-Id", method, address)
	testenv.Check(t, a.status < 400 || a.text("requestId") == a.header.Get("X-Request-Id") &&
		a.text("code") != "<nil>" && a.text("message") != "<nil>", "%s %s: not the error shape: %s", method, address, a)
	return a
}

// fetched is send for answers that need not be JSON, such as pages.
func fetched(t testing.TB, method, address, body string, headers header) answer {
	t.Helper()
	return testenv.Must(trySend(method, address, body, headers))(t)
}

// submitted sends a form as a page of that origin does.
func submitted(t testing.TB, origin, path string, form url.Values, more header) answer {
	t.Helper()
	headers := header{"Content-Type": "application/x-www-form-urlencoded", "Origin": origin}
	maps.Copy(headers, more)
	return fetched(t, http.MethodPost, origin+path, form.Encode(), headers)
}

func trySend(method, address, body string, headers header) (answer, error) {
	request, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	return headers.sent(request)
}

// sent sends a request with these headers, without those that are empty, and
// reads its answer.
func (h header) sent(request *http.Request) (answer, error) {
	for name, value := range h {
		if request.Header.Set(name, value); value == "" {
			request.Header.Del(name)
		}
	}
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	a := answer{status: response.StatusCode, header: response.Header, raw: string(raw)}
	a.body = decoded(a.raw)
	for _, name := range []string{"data.paymentPageUrl", "data.checkoutUrl", "link", "token", "secret", "webhookSecret"} {
		secret, _ := a.at(name).(string)
		if strings.HasPrefix(secret, "http") {
			secret = path.Base(secret)
		}
		if len(secret) > 30 {
			keepSecret(secret)
		}
	}
	return a, err
}

// decoded is a JSON object, numbers in their own digits; nil is none.
func decoded(text string) (body object) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&body)
	return body
}

// signed are the headers of a merchant's request.
func signed(box sandbox.Cashbox, body string) header {
	return header{"X-Merchant-Key-Id": box.KeyID, "X-Merchant-Secret": box.Secret, "Signature": signature(box.Secret, body)}
}

// signature is the documented one, reckoned here: hex HMAC-SHA256.
func signature(secret, message string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(message))
	return hex.EncodeToString(mac.Sum(nil))
}

func with(headers header, name, value string) header {
	changed := maps.Clone(headers)
	changed[name] = value
	return changed
}

// callback sets a payment's status as the application does.
func (g *instance) callback(t testing.TB, id, body string) answer {
	t.Helper()
	return send(t, http.MethodPost, g.BaseURL+payments+"/"+id+"/callback", body, g.application(body))
}

func (g *instance) application(body string) header {
	return header{"Signature": signature(g.ExternalPaymentsSecret, body)}
}

func bearer(token string) header { return header{"Authorization": "Bearer " + token} }

// traderOf is the user of the trader whose requisite the payment got.
func (g *instance) traderOf(t *testing.T, paymentID string) sandbox.User {
	t.Helper()
	return g.user(t, g.texts(t, `select u.login from payment p join app_user u on u.trader_id = p.trader_id
		where p.id = $1::text::bigint`, paymentID)[0])
}

// portal calls a procedure of the portals by a token. It must succeed.
func (g *instance) portal(t testing.TB, token, procedure, body string) answer {
	t.Helper()
	address := g.BaseURL + "/portal.v1." + procedure
	return fetched(t, http.MethodPost, address, body, bearer(token)).must(t, procedure, http.StatusOK)
}

// advance has the sandbox's clock go on.
func (g *instance) advance(t testing.TB, by time.Duration) {
	t.Helper()
	const call = "/sandbox.v1.SandboxService/AdvanceClock"
	body := fmt.Sprintf(`{"seconds":%d}`, by/time.Second)
	fetched(t, http.MethodPost, g.BaseURL+call, body, nil).must(t, "AdvanceClock", http.StatusOK)
}

// readBy reads with a key.
func (g *instance) readBy(t testing.TB, box sandbox.Cashbox, path string) answer {
	t.Helper()
	return send(t, http.MethodGet, g.BaseURL+path, "", signed(box, ""))
}

// read is how a payment of the first cashbox stands.
func (g *instance) read(t testing.TB, id string) answer {
	t.Helper()
	return g.readBy(t, g.first(), payments+"/"+id)
}

// enter signs a user in at the portal, and returns the cookies that a browser
// has then.
func (g *instance) enter(t *testing.T, login string) []*http.Cookie {
	t.Helper()
	user := g.user(t, login)
	form := url.Values{"login": {user.Login}, "password": {user.Password}}
	return submitted(t, g.PortalURL, "/sign-in", form, nil).cookies()
}

// browser signs a user in by the portal's form, and returns the cookie of the
// session.
func (g *instance) browser(t *testing.T, login string) string {
	t.Helper()
	cookies := g.enter(t, login)
	at := slices.IndexFunc(cookies, func(c *http.Cookie) bool { return c.Name == "session" })
	testenv.Need(t, at >= 0, "%s cannot sign in", login)
	keepSecret(cookies[at].Value)
	return cookies[at].Value
}

// cookies are those that a browser has after an answer.
func (a answer) cookies() []*http.Cookie { return (&http.Response{Header: a.header}).Cookies() }

// visited opens a page with cookies.
func visited(t *testing.T, address string, cookies []*http.Cookie) string {
	t.Helper()
	var pairs []string
	for _, cookie := range cookies {
		pairs = append(pairs, cookie.Name+"="+cookie.Value)
	}
	page := fetched(t, http.MethodGet, address, "", header{"Cookie": strings.Join(pairs, "; ")})
	return page.must(t, "GET "+address, http.StatusOK).raw
}

// called makes a call of Connect, which must succeed, and returns the answer
// with its header.
func called[Q, A any](t testing.TB, call func(context.Context, *Q) (*A, error), ask *Q) (*A, http.Header) {
	t.Helper()
	ctx, info := connect.NewClientContext(t.Context())
	return testenv.Must(call(ctx, ask))(t), info.ResponseHeader()
}

var codecs = map[string][]connect.ClientOption{"proto": nil, "JSON": {connect.WithProtoJSON()}}

// The twins of the REST calls, with the generated clients in both codecs.
func TestConnectTwins(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for codec, options := range codecs {
		signing := func(keyID, secret string) gatewayv1client.PaymentServiceClient {
			transport := sign.Transport(client.Transport, keyID, secret)
			return gatewayv1client.NewPaymentServiceClient(
				&http.Client{Timeout: testenv.Patience, Transport: transport}, g.BaseURL, options...)
		}
		merchant := signing(g.first().KeyID, g.first().Secret)
		method, description, percent, reason := "sbp", "Чашки", "4.5", "late"
		ask := &gatewayv1.CreatePaymentRequest{
			OrderId: newOrder(), Amount: "1500", Currency: "RUB", CallbackUri: "https://shop.example/hook",
			Method: &method, Description: &description, RatePercent: &percent,
		}
		created, header := called(t, merchant.CreatePayment, ask)
		p := created.GetData()
		keepSecret(path.Base(p.GetPaymentPageUrl()))
		testenv.Check(t, created.GetMessage() == "Payment created" && p.GetStatus() == "pending" &&
			p.GetAmount() == "1500.00" && p.GetLedger().GetAmountUsdt() == "15.51791025" &&
			p.GetLedger().GetTransferMethod() == "sbp" && p.GetExtra().GetFiatPerUsdt() == "92.50" &&
			p.GetDescription() == description && header.Get("Idempotent-Replay") == "",
			"%s: created %v", codec, created)
		ask.Amount = "1600"
		again, header := called(t, merchant.CreatePayment, ask)
		testenv.Check(t, again.GetData().GetId() == p.GetId() &&
			header.Get("Idempotent-Replay") == "true" && header.Get("Idempotent-Mismatch") == "amount",
			"%s: repeated: %v %v", codec, header, again)
		got, _ := called(t, merchant.GetPayment, &gatewayv1.GetPaymentRequest{PaymentId: p.GetUuid()})
		read := got.GetData()
		testenv.Check(t, read.GetId() == p.GetId() && read.GetPaymentPageUrl() == p.GetPaymentPageUrl(),
			"%s: read %v", codec, read)
		updated, _ := called(t, signing("application", g.ExternalPaymentsSecret).UpdatePaymentStatus,
			&gatewayv1.UpdatePaymentStatusRequest{PaymentId: p.GetId(), Status: "failed", Reason: &reason})
		moved := updated.GetData()
		testenv.Check(t, moved.GetStatus() == "failed" && moved.GetCallbackQueued() && moved.GetUuid() == p.GetUuid(),
			"%s: moved %v", codec, moved)
	}
}
