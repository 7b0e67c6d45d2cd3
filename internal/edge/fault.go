package edge

import (
	"context"
	"log/slog"
	"math"
	"net/http"
	"strconv"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// internalFault is what a stranger learns of an error that is not a fault: nothing but its request
// id.
var internalFault = fault.New(0, "internal_error", "Something went wrong on our side.")

// Fault returns the fault inside err, or the one that an error of the database amounts to, or nil.
func Fault(err error) *fault.Error {
	if f := fault.As(err); f != nil {
		return f
	}
	return db.Fault(err)
}

// Public returns the Fault of err. An error that is none, or that came with a 503, is logged;
// the former is hidden.
func Public(ctx context.Context, err error) *fault.Error {
	f := Fault(err)
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

// SetRetryAfter adds the Retry-After header, in whole seconds, where the fault knows when to come
// back.
func SetRetryAfter(header http.Header, f *fault.Error) {
	if f.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
}
