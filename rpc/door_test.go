package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/auth"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/testenv"
	"gateway.example/rpc"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1client"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1client"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/rest"
	"gateway.example/rpc/sign"
)

// logged is everything the process has logged.
var logged lockedBuffer

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	dbtest.Main(m)
}

// secret is what no answer may repeat.
const secret = "hunter2"

// trouble is a service whose methods fail in the way its test wants.
type trouble struct {
	gatewayv1connect.UnimplementedPaymentServiceHandler
	portalv1connect.UnimplementedAuthServiceHandler
	fail func(context.Context) error
}

func (s trouble) UpdatePaymentStatus(
	ctx context.Context, _ *gatewayv1.UpdatePaymentStatusRequest,
) (*gatewayv1.UpdatePaymentStatusResponse, error) {
	return &gatewayv1.UpdatePaymentStatusResponse{}, s.fail(ctx)
}

func (s trouble) Login(
	ctx context.Context,
	_ *portalv1.LoginRequest,
) (*portalv1.LoginResponse, error) {
	return &portalv1.LoginResponse{}, s.fail(ctx)
}

const applicationSecret = "application"

// servicesWith are services of which two do something.
func servicesWith(payments gatewayv1connect.PaymentServiceHandler, sign portalv1connect.AuthServiceHandler) rpc.Services {
	return rpc.Services{
		Payment:    payments,
		Auth:       sign,
		Trader:     portalv1connect.UnimplementedTraderServiceHandler{},
		Merchant:   portalv1connect.UnimplementedMerchantServiceHandler{},
		Receipt:    portalv1connect.UnimplementedReceiptServiceHandler{},
		Report:     portalv1connect.UnimplementedReportServiceHandler{},
		Proof:      portalv1connect.UnimplementedProofServiceHandler{},
		Operator:   portalv1connect.UnimplementedOperatorServiceHandler{},
		Credential: portalv1connect.UnimplementedCredentialServiceHandler{},
		Team:       portalv1connect.UnimplementedTeamServiceHandler{},
		Requests:   portalv1connect.UnimplementedRequestLogServiceHandler{},
		Looks:      portalv1connect.UnimplementedLookServiceHandler{},
		Notices:    portalv1connect.UnimplementedNotificationServiceHandler{},
		Blocks:     portalv1connect.UnimplementedBlockServiceHandler{},
		PayLinks:   portalv1connect.UnimplementedLinkServiceHandler{},
		Files:      portalv1connect.UnimplementedPayoutFileServiceHandler{},

		Withdrawals:    gatewayv1connect.UnimplementedWithdrawalServiceHandler{},
		OwnWithdrawals: portalv1connect.UnimplementedWithdrawalServiceHandler{},

		Arrivals: portalv1connect.UnimplementedArrivalServiceHandler{},
		Trust:    portalv1connect.UnimplementedTrustServiceHandler{},
		Payin:    gatewayv1connect.UnimplementedPayinServiceHandler{},
		Deposit:  gatewayv1connect.UnimplementedDepositServiceHandler{},
		Cashbox:  gatewayv1connect.UnimplementedCashboxServiceHandler{},
		Checkout: gatewayv1connect.UnimplementedCheckoutServiceHandler{},
		Events:   gatewayv1connect.UnimplementedEventServiceHandler{},
		Messages: gatewayv1connect.UnimplementedMessageServiceHandler{},
	}
}

// serve mounts the service behind a door that needs no database: the
// application's, and the one open to anyone.
func serve(t *testing.T, fail func(context.Context) error) *httptest.Server {
	t.Helper()
	services := servicesWith(trouble{fail: fail}, trouble{fail: fail})
	keys := auth.NewKeys(nil, nil, auth.DefaultHeaders(), auth.Config{Secret: applicationSecret})
	door := testenv.Must(rpc.NewDoor(keys, nil, limit.New(nil), services))(t)
	mux := http.NewServeMux()
	testenv.NoError(t, services.Mount(mux, door))
	mux.Handle("/api/", rest.New(services, door.Guard))
	log := slog.New(slog.NewTextHandler(&logged, nil))
	server := httptest.NewServer(edge.NewObserver(log, prometheus.NewRegistry(), keys.LoggableID, nil).Observe(mux))
	t.Cleanup(server.Close)
	return server
}

// callback calls UpdatePaymentStatus over REST, signed by the application.
func callback(t *testing.T, server *httptest.Server, body string) (*http.Response, string) {
	t.Helper()
	request := testenv.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/v1/payments/1/callback",
		strings.NewReader(body)))(t)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Signature", sign.Signature(applicationSecret, []byte(body)))
	response := testenv.Must(server.Client().Do(request))(t)
	defer func() { _ = response.Body.Close() }()
	answer := testenv.Must(io.ReadAll(response.Body))(t)
	return response, string(answer)
}

// login calls Login over Connect in either codec.
func login(t *testing.T, server *httptest.Server, m *portalv1.LoginRequest, options ...connect.ClientOption) *connect.Error {
	t.Helper()
	_, err := portalv1client.NewAuthServiceClient(server.Client(), server.URL, options...).
		Login(t.Context(), m)
	var failed *connect.Error
	testenv.Need(t, errors.As(err, &failed), "error %v", err)
	return failed
}

func detail(t *testing.T, err *connect.Error) *gatewayv1.ErrorDetail {
	t.Helper()
	for _, d := range err.Details() {
		if value, decodeErr := d.Value(); decodeErr == nil {
			if found, ok := value.(*gatewayv1.ErrorDetail); ok {
				return found
			}
		}
	}
	t.Fatalf("%v carries no detail of ours", err)
	return nil
}

// A panic is answered in the transport's own shape; nobody learns what it said,
// not even the log.
func TestPanicAndInternalError(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(context.Context) error{
		"panic with text":     func(context.Context) error { panic("the password is " + secret) },
		"panic with an error": func(context.Context) error { panic(errors.New(secret)) },
		"nil dereference":     func(context.Context) error { var s *trouble; return s.fail(nil) },
		"internal error":      func(context.Context) error { return errors.New("dial 10.0.0.1: " + "no route") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, fail)
			response, body := callback(t, server, `{"status":"failed"}`)
			var shape struct{ Message, Code, RequestID string }
			err := json.Unmarshal([]byte(body), &shape)
			testenv.Check(t, err == nil && shape.Code == "internal_error" && shape.Message != "", "REST: %s, %v", body, err)
			testenv.Check(t, response.StatusCode == 500 && shape.RequestID == response.Header.Get("X-Request-Id") &&
				shape.RequestID != "" &&
				strings.HasPrefix(response.Header.Get("Content-Type"), "application/json"),
				"REST: %d, %v, %s", response.StatusCode, response.Header, body)
			failed := login(t, server, &portalv1.LoginRequest{})
			d := detail(t, failed)
			testenv.Check(t, failed.Code() == connect.CodeInternal && d.GetCode() == "internal_error" &&
				d.GetRequestId() == failed.Meta().Get("X-Request-Id"), "Connect: %v, %v", failed, d)
			for _, answer := range []string{body, failed.Error(), d.String()} {
				testenv.Check(t, !strings.Contains(answer, secret) && !strings.Contains(answer, "10.0.0.1") &&
					!strings.Contains(answer, "goroutine"), "the answer tells too much: %s", answer)
			}
			testenv.Check(t, !strings.Contains(logged.String(), secret), "the panic's text was logged")
		})
	}
}

// Connect checks no text for what the database cannot hold; the interceptor
// does, and names the field as JSON does.
func TestNUL(t *testing.T) {
	t.Parallel()
	server := serve(t, func(ctx context.Context) error { return fault.Decoded(ctx).Err() })
	for name, options := range map[string][]connect.ClientOption{"proto": nil, "JSON": {connect.WithProtoJSON()}} {
		code := "12\x0034"
		failed := login(t, server, &portalv1.LoginRequest{Login: "a\x00b", Password: "fine", TotpCode: &code}, options...)
		d := detail(t, failed)
		testenv.Check(t, failed.Code() == connect.CodeInvalidArgument && d.GetCode() == "validation_failed" &&
			len(d.GetErrors()) == 2 &&
			d.GetErrors()["login"] != nil && d.GetErrors()["totpCode"] != nil, "%s: %v, %v", name, failed, d)
	}
}

// What cannot be read is not quoted: it may be a card.
func TestMalformedIsNotQuoted(t *testing.T) {
	t.Parallel()
	server := serve(t, func(context.Context) error { return nil })
	for _, kind := range []string{"application/json", "application/json; charset=utf-8", "application/proto"} {
		for _, body := range []string{`{"login":4111111111111111}`, `"4111111111111111"`, `{"login":"4111111111111111`, `{"login":["4111111111111111"]}`} {
			response := testenv.Must(server.Client().Post(server.URL+"/portal.v1.AuthService/Login", kind, strings.NewReader(body)))(t)
			answer, err := io.ReadAll(response.Body)
			testenv.NoError(t, errors.Join(err, response.Body.Close()))
			if response.StatusCode != 400 || !strings.Contains(string(answer), `"invalid_argument"`) ||
				strings.Contains(string(answer), "41111111") { // fewer digits come in the request's id, too
				t.Errorf("%s %s: %d %s", kind, body, response.StatusCode, answer)
			}
		}
	}
}

func TestBodyTooLarge(t *testing.T) {
	t.Parallel()
	server := serve(t, func(context.Context) error { return nil })
	const limit = 64 << 10
	padded := func(size int) string {
		const head, tail = `{"status":"failed","x":"`, `"}`
		return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
	}
	response, body := callback(t, server, padded(limit))
	testenv.Want(t, response.StatusCode, 200, "at the limit: %s", body)
	response, body = callback(t, server, padded(limit+1))
	testenv.Check(t, response.StatusCode == 413 && strings.Contains(body, `"body_too_large"`),
		"one past the limit: %d %s", response.StatusCode, body)
	for _, options := range [][]connect.ClientOption{nil, {connect.WithProtoJSON()}} {
		failed := login(t, server, &portalv1.LoginRequest{Login: strings.Repeat("x", limit+1)}, options...)
		testenv.Check(t, failed.Code() == connect.CodeResourceExhausted && detail(t, failed).GetCode() == "body_too_large",
			"Connect: %v", failed)
	}
}

// What is not the Connect protocol is turned away before anything of it is
// read.
func TestOtherProtocols(t *testing.T) {
	t.Parallel()
	server := serve(t, func(context.Context) error { return nil })
	for _, row := range testenv.Rows(t, "protocols.txt") {
		url := server.URL + "/portal.v1.AuthService/Login"
		if row[0] == http.MethodGet {
			url += "?connect=v1&encoding=json&message=%7B%7D"
		}
		request := testenv.Must(http.NewRequestWithContext(t.Context(), row[0], url, strings.NewReader("{}")))(t)
		request.Header.Set("Content-Type", row[1])
		if row[2] != "" {
			request.Header.Set("Content-Encoding", row[2])
		}
		response := testenv.Must(server.Client().Do(request))(t)
		_ = response.Body.Close()
		testenv.Check(t, fmt.Sprint(response.StatusCode) == row[3] && response.Header.Get("X-Request-Id") != "",
			"%q: %d; want %s", row, response.StatusCode, row[3])
	}
}

// The application's endpoint asks for its signature before anything else, over
// both transports.
func TestUnsigned(t *testing.T) {
	t.Parallel()
	server := serve(t, func(context.Context) error { t.Error("the handler was called"); return nil })
	response := testenv.Must(server.Client().
		Post(server.URL+"/api/v1/payments/1/callback", "application/json", strings.NewReader("{")))(t)
	_ = response.Body.Close()
	testenv.Want(t, response.StatusCode, 401, "REST")
	_, err := gatewayv1client.NewPaymentServiceClient(server.Client(), server.URL).
		UpdatePaymentStatus(t.Context(), &gatewayv1.UpdatePaymentStatusRequest{})
	failed := new(connect.Error)
	testenv.Check(t, errors.As(err, &failed) && failed.Code() == connect.CodeUnauthenticated &&
		detail(t, failed).GetCode() == "signature_required", "Connect: %v", err)
}

// A second Authorization header is not passed over: a proxy in front may have
// gone by it.
func TestTwoTokens(t *testing.T) {
	t.Parallel()
	server := serve(t, func(context.Context) error { t.Error("the handler was called"); return nil })
	r := testenv.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1/payments/1", http.NoBody))(t)
	r.Header["Authorization"] = []string{"Bearer one", "Bearer two"}
	response := testenv.Must(server.Client().Do(r))(t)
	content := testenv.Must(io.ReadAll(response.Body))(t)
	_ = response.Body.Close()
	testenv.Check(t, response.StatusCode == http.StatusUnauthorized && strings.Contains(string(content), "more than once"),
		"%d %s", response.StatusCode, content)
}

// A handler that gives up its connection on purpose does so.
func TestAbort(t *testing.T) {
	t.Parallel()
	server := serve(t, func(context.Context) error { panic(http.ErrAbortHandler) })
	request := testenv.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/portal.v1.AuthService/Login",
		strings.NewReader("{}")))(t)
	request.Header.Set("Content-Type", "application/json")
	if response, err := server.Client().Do(request); err == nil {
		_ = response.Body.Close()
		t.Errorf("answered %d", response.StatusCode)
	}
}
