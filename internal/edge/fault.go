package edge

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"net/http"
	"strconv"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// internalFault is the answer for every error that is not a fault. It says
// nothing about the error: the request id leads to it in the log.
var internalFault = fault.New(0, "internal_error", "Something went wrong on our side.")

// Fault returns the fault inside err, or the one that a database error stands
// for, or nil.
func Fault(err error) *fault.Error {
	if f := fault.As(err); f != nil {
		return f
	}
	return db.Fault(err)
}

// Public returns the fault that a caller may see of err. An error that is not a
// fault is hidden: it is logged, and the caller gets internalFault. Faults that
// become a 503 are logged too, where they have a reason.
func Public(ctx context.Context, err error) *fault.Error {
	f := Fault(err)
	if f == nil {
		f = internalFault
	}
	noted(ctx).code = f.Code
	// A busy without a reason is an overload's: there may be any number,
	// and the request's own line says as much.
	if f == internalFault || f.Kind == fault.Unavailable && err != fault.ErrBusy { //nolint:errorlint // one with a reason is logged
		slog.ErrorContext(ctx, "request failed", "error", err)
	}
	return f
}

// statuses are the statuses that the kinds of faults become over REST.
var statuses = map[fault.Kind]int{
	fault.Unauthenticated:  http.StatusUnauthorized,
	fault.Forbidden:        http.StatusForbidden,
	fault.NotFound:         http.StatusNotFound,
	fault.MethodNotAllowed: http.StatusMethodNotAllowed,
	fault.Conflict:         http.StatusConflict,
	fault.TooLarge:         http.StatusRequestEntityTooLarge,
	fault.UnsupportedMedia: http.StatusUnsupportedMediaType,
	fault.Invalid:          http.StatusUnprocessableEntity,
	fault.Refused:          http.StatusUnprocessableEntity,
	fault.TooManyRequests:  http.StatusTooManyRequests,
	fault.Unavailable:      http.StatusServiceUnavailable,
}

// HTTPStatus is the HTTP status for an error's kind of fault: 500 for an error
// that is not a fault.
func HTTPStatus(kind fault.Kind) int {
	return cmp.Or(statuses[kind], http.StatusInternalServerError)
}

// SetRetryAfter adds the Retry-After header, in whole seconds, where the fault
// knows when to come back.
func SetRetryAfter(header http.Header, f *fault.Error) {
	if f.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
}
