package rpc

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// The contract's table: what each kind of fault becomes over REST and over
// Connect.
func TestKinds(t *testing.T) {
	t.Parallel()
	for kind, want := range map[fault.Kind]struct {
		status int
		code   connect.Code
	}{
		fault.Unauthenticated:  {http.StatusUnauthorized, connect.CodeUnauthenticated},
		fault.Forbidden:        {http.StatusForbidden, connect.CodePermissionDenied},
		fault.NotFound:         {http.StatusNotFound, connect.CodeNotFound},
		fault.MethodNotAllowed: {http.StatusMethodNotAllowed, connect.CodeInvalidArgument},
		fault.Conflict:         {http.StatusConflict, connect.CodeAlreadyExists},
		fault.TooLarge:         {http.StatusRequestEntityTooLarge, connect.CodeResourceExhausted},
		fault.UnsupportedMedia: {http.StatusUnsupportedMediaType, connect.CodeInvalidArgument},
		fault.Invalid:          {http.StatusUnprocessableEntity, connect.CodeInvalidArgument},
		fault.Refused:          {http.StatusUnprocessableEntity, connect.CodeFailedPrecondition},
		fault.TooManyRequests:  {http.StatusTooManyRequests, connect.CodeResourceExhausted},
		fault.Unavailable:      {http.StatusServiceUnavailable, connect.CodeUnavailable},
		// What is no kind must not pass for a success or a caller's
		// mistake.
		0:  {http.StatusInternalServerError, connect.CodeInternal},
		99: {http.StatusInternalServerError, connect.CodeInternal},
	} {
		err := ConnectError(t.Context(), fmt.Errorf("wrapped: %w", fault.New(kind, "some_code", "Some words.")))
		status := edge.HTTPStatus(kind)
		testenv.Check(t, status == want.status && err.Code() == want.code,
			"kind %d: %d and %s; want %d and %s", kind, status, err.Code(), want.status, want.code)
		detail := detailOf(t, err)
		testenv.Check(t, detail.GetCode() == "some_code" && err.Message() == "Some words.",
			"kind %d: %s, %s", kind, detail.GetCode(), err.Message())
	}
}

func detailOf(t *testing.T, err *connect.Error) *gatewayv1.ErrorDetail {
	t.Helper()
	testenv.Need(t, len(err.Details()) == 1, "%d details", len(err.Details()))
	value, detailErr := err.Details()[0].Value()
	testenv.Need(t, detailErr == nil, "%v", detailErr)
	detail, ok := value.(*gatewayv1.ErrorDetail)
	testenv.Need(t, ok, "detail %T", value)
	return detail
}

func TestFieldsTravel(t *testing.T) {
	t.Parallel()
	fields := fault.Fields{
		"amount":       {"must be at least 1", "has too many decimals"},
		"payer.userIp": {"must be an IPv4 address"},
	}
	got := fault.Fields{}
	for field, messages := range detailOf(t, ConnectError(t.Context(), fields.Err())).GetErrors() {
		got[field] = messages.GetMessages()
	}
	testenv.Check(t, reflect.DeepEqual(got, fields), "got %v", got)
}

// What was proposed is named by a field, not only by the message.
func TestProposalTravels(t *testing.T) {
	t.Parallel()
	err := ConnectError(t.Context(), fmt.Errorf("wrapped: %w", foureyes.Proposed(7)))
	detail := detailOf(t, err)
	testenv.Check(t, detail.GetProposalId() == 7 && detail.GetCode() == "second_operator_required", "%v", detail)
	detail = detailOf(t, ConnectError(t.Context(), foureyes.ErrSecondOperator))
	testenv.Check(t, detail.ProposalId == nil, "of nothing proposed: %v", detail)
}

// An error that is no fault says nothing to the caller but that it happened.
func TestInternalErrorIsHidden(t *testing.T) {
	t.Parallel()
	err := ConnectError(t.Context(), errors.New("reach the database: password=letmein host=10.0.0.1"))
	testenv.Check(t, err.Code() == connect.CodeInternal && detailOf(t, err).GetCode() == "internal_error" &&
		!strings.Contains(err.Error(), "letmein"), "%v", err)
}

// What Connect itself answers, as of a body it cannot read, stays as it is.
func TestConnectErrorsPass(t *testing.T) {
	t.Parallel()
	own := connect.NewError(connect.CodeCanceled, errors.New("cancelled"))
	testenv.Want(t, ConnectError(t.Context(), own), own, "an error of Connect becomes")
}

// Whole seconds, rounded up: who comes back a little early would be refused
// again.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]string{
		0: "", time.Millisecond: "1", time.Second: "1", 1001 * time.Millisecond: "2", 45 * time.Second: "45", -time.Second: "",
	} {
		limited := fault.New(fault.TooManyRequests, "rate_limited", "Too many requests.")
		limited.RetryAfter = wait
		header := http.Header{}
		edge.SetRetryAfter(header, limited)
		got := header.Get("Retry-After")
		testenv.Check(t, got == want &&
			ConnectError(t.Context(), limited).Meta().Get("Retry-After") == want, "%s: %q; want %q", wait, got, want)
	}
}

// The library speaks other protocols than Connect, whose bodies nobody has
// looked at, and takes a type in capitals for the same.
func TestOnlyConnectIsSpoken(t *testing.T) {
	t.Parallel()
	for media, want := range map[string]int{
		"application/json": http.StatusOK, "Application/Proto; charset=utf-8": http.StatusOK, "": http.StatusUnsupportedMediaType,
		"application/grpc": http.StatusUnsupportedMediaType, "Application/grpc-web+proto": http.StatusUnsupportedMediaType,
		"application/connect+json": http.StatusUnsupportedMediaType,
	} {
		r := httptest.NewRequest(http.MethodPost, "/gateway.v1.PaymentService/CreatePayment", http.NoBody)
		r.Header.Set("Content-Type", media)
		w := httptest.NewRecorder()
		connectOnly(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
		testenv.Want(t, w.Code, want, "%q", media)
	}
}
