package acceptance

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
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

	"connectrpc.com/connect"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	"gateway.example/rpc/gen/portal/v1/portalv1client"
	"gateway.example/rpc/sign"
)

// client waits as long as a test does, and follows no redirect: the gateway must not answer with
// one.
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

// detail is what tells of a fault: the body itself, or what a body of Connect has of ours.
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

// wrong says what of an answer is not as wanted: its status or, in pairs of a path and a text, what stands in its body.
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

// want wants an answer's status and texts; what names the call where its line does not.
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
	got := testenv.Must(trySend(method, address, body, headers))(t)
	return got
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

// sent sends a request with these headers, without those that are empty, and reads its answer.
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
	return header{
		"X-Merchant-Key-Id": box.KeyID,
		"X-Merchant-Secret": box.Secret,
		"Signature":         signature(box.Secret, body),
	}
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

// withToken is an HTTP client that sends a bearer token.
func withToken(token string) *http.Client {
	return &http.Client{Timeout: testenv.Patience, Transport: tokenTransport(token)}
}

type tokenTransport string

func (t tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(t))
	return client.Transport.RoundTrip(r)
}

func (g *instance) desk(token string) portalv1client.TraderServiceClient {
	return portalv1client.NewTraderServiceClient(withToken(token), g.BaseURL)
}

// traderOf is the user of the trader whose requisite the payment got.
func (g *instance) traderOf(t testing.TB, paymentID string) sandbox.User {
	t.Helper()
	var login string
	err := g.pool.QueryRow(t.Context(), `select u.login from payment p join app_user u on u.trader_id = p.trader_id
		where p.id = $1::text::bigint`, paymentID).Scan(&login)
	noError(t, err)
	return g.user(t, login)
}

func (g *instance) merchantClient(
	box sandbox.Cashbox,
	options ...connect.ClientOption,
) gatewayv1connect.PaymentServiceClient {
	return gatewayv1connect.NewPaymentServiceClient(
		&http.Client{Timeout: testenv.Patience, Transport: sign.Transport(client.Transport, box.KeyID, box.Secret)},
		g.BaseURL, options...)
}

// connectFault is the code of a Connect error, and the code and fields of its detail.
func connectFault(t testing.TB, err error) (connect.Code, string, []string) {
	t.Helper()
	failed := new(connect.Error)
	testenv.Need(t, errors.As(err, &failed), "no Connect error: %v", err)
	for _, d := range failed.Details() {
		value := testenv.Must(d.Value())(t)
		if detail, ok := value.(*gatewayv1.ErrorDetail); ok {
			testenv.Check(t, detail.GetRequestId() != "", "the detail has no request id")
			return failed.Code(), detail.GetCode(), slices.Sorted(maps.Keys(detail.GetErrors()))
		}
	}
	t.Fatalf("no detail: %v", err)
	return 0, "", nil
}

// method is a call of Connect.
type method[Q, A any] func(context.Context, *connect.Request[Q]) (*connect.Response[A], error)

// called makes a call of Connect, which must succeed, and returns the message that is answered.
func called[Q, A any](t testing.TB, call method[Q, A], ask *Q) *A {
	t.Helper()
	return succeeds(t, call, ask).Msg
}

// succeeds is called for those who look at the headers too.
func succeeds[Q, A any](t testing.TB, call method[Q, A], ask *Q) *connect.Response[A] {
	t.Helper()
	got := testenv.Must(call(t.Context(), connect.NewRequest(ask)))(t)
	return got
}

// invalid makes a call of Connect, which must be refused for exactly these fields.
func invalid[Q, A any](t testing.TB, what string, call method[Q, A], ask *Q, fields ...string) {
	t.Helper()
	_, err := call(t.Context(), connect.NewRequest(ask))
	wantFault(t, what, err, connect.CodeInvalidArgument, "validation_failed", fields...)
}

// wantFault wants an error of Connect with the code, and a detail with ours and these fields.
func wantFault(t testing.TB, what string, err error, code connect.Code, why string, fields ...string) {
	t.Helper()
	have, detail, named := connectFault(t, err)
	testenv.Check(t, have == code && detail == why && slices.Equal(named, fields),
		"%s: %s %s %v; want %s %s %v", what, have, detail, named, code, why, fields)
}

func (g *instance) account(token string) portalv1client.AuthServiceClient {
	return portalv1client.NewAuthServiceClient(withToken(token), g.BaseURL)
}

func (g *instance) operator(t testing.TB) portalv1client.OperatorServiceClient {
	t.Helper()
	return portalv1client.NewOperatorServiceClient(withToken(g.user(t, "operator").Token), g.BaseURL)
}

func (g *instance) merchantDesk(token string) portalv1client.MerchantServiceClient {
	return portalv1client.NewMerchantServiceClient(withToken(token), g.BaseURL)
}
