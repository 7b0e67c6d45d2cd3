package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
	"gateway.example/rpc"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// stub is a payment service that remembers what it was asked and answers with
// err, or a payment.
type stub struct {
	gatewayv1connect.UnimplementedPaymentServiceHandler
	asked proto.Message
	found fault.Fields
	err   error
}

func (s *stub) note(ctx context.Context, msg proto.Message) error {
	s.asked, s.found = msg, fault.Decoded(ctx)
	if s.err != nil {
		return s.err
	}
	return s.found.Err()
}

func (s *stub) CreatePayment(
	ctx context.Context, req *gatewayv1.CreatePaymentRequest,
) (*gatewayv1.CreatePaymentResponse, error) {
	if err := s.note(ctx, req); err != nil {
		return nil, err
	}
	rpc.MarkRepeat(ctx, true, nil, nil)
	return &gatewayv1.CreatePaymentResponse{Message: "Payment created", Data: sbpPayment()}, nil
}

func (s *stub) GetPayment(
	ctx context.Context, req *gatewayv1.GetPaymentRequest,
) (*gatewayv1.GetPaymentResponse, error) {
	return &gatewayv1.GetPaymentResponse{}, s.note(ctx, req)
}

func (s *stub) UpdatePaymentStatus(
	ctx context.Context, req *gatewayv1.UpdatePaymentStatusRequest,
) (*gatewayv1.UpdatePaymentStatusResponse, error) {
	return &gatewayv1.UpdatePaymentStatusResponse{}, s.note(ctx, req)
}

// services are all that the routes need, those of payments as given.
func services(payments gatewayv1connect.PaymentServiceHandler) rpc.Services {
	return rpc.Services{
		Payment:  payments,
		Payin:    gatewayv1connect.UnimplementedPayinServiceHandler{},
		Deposit:  depositStub{},
		Cashbox:  gatewayv1connect.UnimplementedCashboxServiceHandler{},
		Checkout: gatewayv1connect.UnimplementedCheckoutServiceHandler{},
		Events:   gatewayv1connect.UnimplementedEventServiceHandler{},
		Messages: gatewayv1connect.UnimplementedMessageServiceHandler{},

		Withdrawals: gatewayv1connect.UnimplementedWithdrawalServiceHandler{},

		Operator:   portalv1connect.UnimplementedOperatorServiceHandler{},
		Credential: portalv1connect.UnimplementedCredentialServiceHandler{},
	}
}

// depositStub knows the idempotency key "again", and has created nothing under
// any other.
type depositStub struct {
	gatewayv1connect.UnimplementedDepositServiceHandler
}

func (depositStub) CreateDeposit(
	ctx context.Context, req *gatewayv1.CreateDepositRequest,
) (*gatewayv1.CreateDepositResponse, error) {
	rpc.MarkRepeat(ctx, req.GetIdempotencyKey() == "again", nil, nil)
	return &gatewayv1.CreateDepositResponse{Data: &gatewayv1.Deposit{Id: 7}}, nil
}

func open(_ string, _ func(http.ResponseWriter, *http.Request, error), next http.Handler) http.Handler {
	return next
}

// exchange sends one request to a fresh API over the stub, inside the layer
// that gives requests their ids.
func exchange(s *stub, guard Guard, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.Header.Set("X-Request-Id", "req-1")
	edge.WithRequestID(New(services(s), guard)).ServeHTTP(w, r)
	return w
}

func post(path, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

func get(path string) *http.Request { return httptest.NewRequest(http.MethodGet, path, http.NoBody) }

func checkAnswer(t *testing.T, name string, w *httptest.ResponseRecorder, status int, body string) {
	t.Helper()
	testenv.Check(t, w.Code == status && w.Body.String() == body, "%s:\n got %d %s\nwant %d %s", name, w.Code, w.Body, status, body)
	for header, want := range map[string]string{
		"Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store", "Location": "",
	} {
		testenv.Want(t, w.Header().Get(header), want, "%s: %s", name, header)
	}
}

func errorJSON(code, message string) string {
	return `{"message":"` + message + `","code":"` + code + `","requestId":"req-1"}`
}

var (
	notFoundJSON  = errorJSON("not_found", "No such resource.")
	methodJSON    = errorJSON("method_not_allowed", "This path does not take this method.")
	tooLargeJSON  = errorJSON("body_too_large", "The body must be at most 65536 bytes.")
	mediaTypeJSON = errorJSON("unsupported_media_type", "The header Content-Type must be application/json.")

	compressedJSON = errorJSON("unsupported_media_type", "The body must not be compressed.")
)

func TestCreatePayment(t *testing.T) {
	t.Parallel()
	s := &stub{}
	r := post("/api/v1/payments", `{"orderId":"A-1","amount":1500.00,"currency":"RUB"}`)
	w := exchange(s, open, r)
	checkAnswer(t, "create", w, http.StatusOK, `{"message":"Payment created","data":`+sbpJSON(t)+`}`)
	testenv.Want(t, w.Header().Get("Idempotent-Replay"), "true", "the response's header is missing")
	want := &gatewayv1.CreatePaymentRequest{OrderId: "A-1", Amount: "1500.00", Currency: "RUB"}
	testenv.Check(t, proto.Equal(s.asked, want), "asked %v; want %v", s.asked, want)
}

func TestFindingsReachTheService(t *testing.T) {
	t.Parallel()
	w := exchange(&stub{}, open, post("/api/v1/payments", `{"orderId":1,"payer":{"userIp":2},"a<b":"\u0000"}`))
	checkAnswer(t, "findings", w, http.StatusUnprocessableEntity,
		`{"message":"The request is invalid.","code":"validation_failed","errors":`+
			`{"a<b":["must not contain \\u0000"],"orderId":["must be a string"],"payer.userIp":["must be a string"]},"requestId":"req-1"}`)

	s := &stub{err: fault.ErrScopeRequired}
	w = exchange(s, open, post("/api/v1/payments", `{"orderId":1}`))
	checkAnswer(t, "refused first", w, http.StatusForbidden,
		errorJSON("merchant_scope_required", "The key lacks the scope this call needs."))
	want := fault.Fields{"orderId": {"must be a string"}}
	testenv.Check(t, reflect.DeepEqual(s.found, want), "found %v; want %v", s.found, want)
}

func TestPathParameters(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]proto.Message{
		"/api/v1/payments/42":                     &gatewayv1.GetPaymentRequest{PaymentId: "42"},
		"/api/v1/payments/0198f2c1-7d30":          &gatewayv1.GetPaymentRequest{PaymentId: "0198f2c1-7d30"},
		"/api/v1/payments/a%20b%25?payment_id=7":  &gatewayv1.GetPaymentRequest{PaymentId: "a b%"},
		"/api/v1/p%61yments/-1?paymentId=7&x=%zz": &gatewayv1.GetPaymentRequest{PaymentId: "-1"},
		"/api/v1/payments/%7Bpayment_id%7D":       &gatewayv1.GetPaymentRequest{PaymentId: "{payment_id}"},
		"/api/v1/payments/0198f2c1-7d30-7000-8000-00000000000a/callback": &gatewayv1.UpdatePaymentStatusRequest{
			PaymentUuid: new("0198f2c1-7d30-7000-8000-00000000000a"),
		},
		"/api/v1/payments/1/callback":                   &gatewayv1.UpdatePaymentStatusRequest{PaymentId: 1},
		"/api/v1/payments/9223372036854775807/callback": &gatewayv1.UpdatePaymentStatusRequest{PaymentId: 9223372036854775807},
	} {
		s := &stub{}
		r := get(path)
		if strings.HasSuffix(path, "callback") {
			r = post(path, `{"paymentId":"x","payment_id":7}`)
		}
		w := exchange(s, open, r)
		testenv.Check(t, w.Code == http.StatusOK && proto.Equal(s.asked, want),
			"%s: %d %s, asked %v; want %v", path, w.Code, w.Body, s.asked, want)
	}
}

// The requests are those of testdata/refused.txt: no such thing is there, or it
// is there for other methods.
func TestRefusedPaths(t *testing.T) {
	t.Parallel()
	for _, row := range testenv.Rows(t, "refused.txt") {
		s, status, body, allow := &stub{}, http.StatusMethodNotAllowed, methodJSON, row[1]
		if allow == "none" {
			status, body, allow = http.StatusNotFound, notFoundJSON, ""
		}
		method, path, _ := strings.Cut(row[0], " ")
		r := post(path, `{}`)
		r.Method = method
		w := exchange(s, open, r)
		checkAnswer(t, row[0], w, status, body)
		testenv.Want(t, w.Header().Get("Allow"), allow, "%s: Allow", row[0])
		testenv.Check(t, s.asked == nil, "%s: the service was asked", row[0])
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(New(services(&stub{}), open))
	defer server.Close()
	response := testenv.Must(http.Head(server.URL + "/api/v1/payments/42"))(t)
	defer func() { _ = response.Body.Close() }()
	body, _ := io.ReadAll(response.Body)
	testenv.Check(t, response.StatusCode == http.StatusOK && len(body) == 0, "%d %q", response.StatusCode, body)
}

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	for _, row := range testenv.Rows(t, "media.txt") {
		r := post("/api/v1/payments", row[2])
		r.Header.Set("Content-Type", row[0])
		r.Header.Set("Content-Encoding", row[1])
		w := exchange(&stub{}, open, r)
		testenv.Want(t, fmt.Sprint(w.Code), row[3], "%q: %s", row, w.Body)
		if w.Code == http.StatusUnsupportedMediaType {
			want := mediaTypeJSON
			if row[1] != "" && row[1] != "identity" {
				want = compressedJSON
			}
			checkAnswer(t, row[0], w, w.Code, want)
		}
	}
}

func TestBodySize(t *testing.T) {
	t.Parallel()
	body := func(size int) string { return `{"orderId":"` + strings.Repeat("x", size-len(`{"orderId":""}`)) + `"}` }
	testenv.Want(t, exchange(&stub{}, open, post("/api/v1/payments", body(edge.MaxBody))).Code, http.StatusOK, "at the limit")
	checkAnswer(t, "over", exchange(&stub{}, open, post("/api/v1/payments", body(edge.MaxBody+1))),
		http.StatusRequestEntityTooLarge, tooLargeJSON)

	limited := post("/api/v1/payments", body(1000))
	limited.Body = http.MaxBytesReader(httptest.NewRecorder(), limited.Body, 10)
	checkAnswer(t, "limited outside", exchange(&stub{}, open, limited), http.StatusRequestEntityTooLarge, tooLargeJSON)

	broken := post("/api/v1/payments", "")
	broken.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), failing{}))
	checkAnswer(t, "broken off", exchange(&stub{}, open, broken), http.StatusUnprocessableEntity,
		`{"message":"The request is invalid.","code":"validation_failed","errors":{"body":["could not be read"]},"requestId":"req-1"}`)
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// The guard decides before anything of the body is looked at, and knows the
// procedure.
func TestGuard(t *testing.T) {
	t.Parallel()
	denied := fault.New(fault.Unauthenticated, "signature_required", "A signature is required.")
	var guarded []string
	deny := func(procedure string, fail func(http.ResponseWriter, *http.Request, error), _ http.Handler) http.Handler {
		guarded = append(guarded, procedure)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fail(w, r, denied) })
	}
	r := post("/api/v1/payments/zero/callback", strings.Repeat("x", edge.MaxBody+1))
	r.Header.Set("Content-Type", "text/plain")
	checkAnswer(t, "denied", exchange(&stub{}, deny, r), http.StatusUnauthorized,
		errorJSON("signature_required", "A signature is required."))
	var want []string
	for _, row := range routes(services(&stub{})) {
		want = append(want, row.procedure)
	}
	testenv.Check(t, reflect.DeepEqual(guarded, want), "guarded %v; want %v", guarded, want)
	checkAnswer(t, "unknown path", exchange(&stub{}, deny, get("/api/v1/nothing")), http.StatusNotFound, notFoundJSON)
}

func TestWriteError(t *testing.T) {
	t.Parallel()
	internal := errorJSON("internal_error", "Something went wrong on our side.")
	late := fault.New(fault.TooManyRequests, "rate_limited", "Slow down.")
	late.RetryAfter = 1500 * time.Millisecond
	for name, test := range map[string]struct {
		err    error
		status int
		body   string
	}{
		"fault":                        {fault.ErrNotFound, http.StatusNotFound, notFoundJSON},
		"wrapped fault":                {errors.Join(errors.New("secret"), fault.ErrNotFound), http.StatusNotFound, notFoundJSON},
		"fault inside a Connect error": {connect.NewError(connect.CodeNotFound, fault.ErrNotFound), http.StatusNotFound, notFoundJSON},
		"Connect error":                {connect.NewError(connect.CodeNotFound, errors.New("secret")), http.StatusInternalServerError, internal},
		"any error":                    {errors.New("secret"), http.StatusInternalServerError, internal},
		"retry":                        {late, http.StatusTooManyRequests, errorJSON("rate_limited", "Slow down.")},
	} {
		w := exchange(&stub{err: test.err}, open, get("/api/v1/payments/1"))
		checkAnswer(t, name, w, test.status, test.body)
		testenv.Check(t, name != "retry" || w.Header().Get("Retry-After") == "2", "Retry-After: %q", w.Header().Get("Retry-After"))
	}
}

func TestUnimplementedIsInternal(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	New(services(gatewayv1connect.UnimplementedPaymentServiceHandler{}), open).ServeHTTP(w, get("/api/v1/payments/1"))
	checkAnswer(t, "unimplemented", w, http.StatusInternalServerError,
		`{"message":"Something went wrong on our side.","code":"internal_error","requestId":""}`)
}

// A creation that answers 201 answers its repeat with 200.
func TestCreationAndItsRepeat(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]int{"new": http.StatusCreated, "again": http.StatusOK} {
		testenv.Want(t, exchange(&stub{}, open, post("/api/v1/deposits", `{"idempotencyKey":"`+key+`"}`)).Code, want, "%s", key)
	}
}
