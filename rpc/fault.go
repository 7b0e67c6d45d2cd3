package rpc

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"

	"connectrpc.com/connect"

	"gateway/internal/fault"
	gatewayv1 "gateway/rpc/gen/gateway/v1"
)

// internalFault is what a stranger learns of an error that is not a fault: nothing but its request id.
var internalFault = fault.New(0, "internal_error", "Something went wrong on our side.")

// Public returns the fault inside err. An error that is none, or that came with a 503, is logged; the former is hidden.
func Public(ctx context.Context, err error) *fault.Error {
	f := fault.As(err)
	if f == nil {
		f = internalFault
	}
	noteCode(ctx, f.Code)
	if f == internalFault || f.Kind == fault.Unavailable {
		slog.ErrorContext(ctx, "request failed", "error", err)
	}
	return f
}

// HTTPStatus is the status a kind of fault becomes over REST.
func HTTPStatus(kind fault.Kind) int {
	switch kind {
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.NotFound:
		return http.StatusNotFound
	case fault.MethodNotAllowed:
		return http.StatusMethodNotAllowed
	case fault.Conflict:
		return http.StatusConflict
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.UnsupportedMedia:
		return http.StatusUnsupportedMediaType
	case fault.Invalid, fault.Refused:
		return http.StatusUnprocessableEntity
	case fault.TooManyRequests:
		return http.StatusTooManyRequests
	case fault.Unavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

// connectCode is the code a kind of fault becomes over Connect.
func connectCode(kind fault.Kind) connect.Code {
	switch kind {
	case fault.Unauthenticated:
		return connect.CodeUnauthenticated
	case fault.Forbidden:
		return connect.CodePermissionDenied
	case fault.NotFound:
		return connect.CodeNotFound
	case fault.Conflict:
		return connect.CodeAlreadyExists
	case fault.TooLarge, fault.TooManyRequests:
		return connect.CodeResourceExhausted
	case fault.Invalid, fault.MethodNotAllowed, fault.UnsupportedMedia:
		return connect.CodeInvalidArgument
	case fault.Refused:
		return connect.CodeFailedPrecondition
	case fault.Unavailable:
		return connect.CodeUnavailable
	default:
		return connect.CodeInternal
	}
}

// ConnectError turns any error into the Connect error that carries the same code and fields as the REST body.
func ConnectError(ctx context.Context, err error) *connect.Error {
	if already := new(connect.Error); errors.As(err, &already) && fault.As(err) == nil {
		return already
	}
	public := Public(ctx, err)
	out := connect.NewError(connectCode(public.Kind), errors.New(public.Message))
	detail := &gatewayv1.ErrorDetail{Code: public.Code, RequestId: RequestID(ctx)}
	for field, messages := range public.Fields {
		if detail.Errors == nil {
			detail.Errors = map[string]*gatewayv1.FieldErrors{}
		}
		detail.Errors[field] = &gatewayv1.FieldErrors{Messages: messages}
	}
	if public.NextAllowedAt != nil {
		detail.NextAllowedAt = timestamp(*public.NextAllowedAt)
	}
	if d, err := connect.NewErrorDetail(detail); err == nil {
		out.AddDetail(d)
	}
	SetRetryAfter(out.Meta(), public)
	return out
}

// SetRetryAfter adds the Retry-After header, in whole seconds, where the fault knows when to come back.
func SetRetryAfter(header http.Header, f *fault.Error) {
	if f.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
}
