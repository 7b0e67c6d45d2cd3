package edge

import (
	"context"
	"net/http"
	"regexp"

	"github.com/google/uuid"

	"gateway.example/internal/requestlog"
)

const requestIDHeader = "X-Request-Id"

var requestIDFormat = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

type requestIDKey struct{}

// requestIDs are what a request is called in answers, and what it is called in everything we keep.
type requestIDs struct{ shown, kept string }

// RequestID is what the request that ctx belongs to is called in its answer, or "". It is not to be kept.
func RequestID(ctx context.Context) string {
	ids, _ := ctx.Value(requestIDKey{}).(requestIDs)
	return ids.shown
}

// KeptRequestID is what the request that ctx belongs to is called in the log, in traces and in tables, or "".
func KeptRequestID(ctx context.Context) string {
	ids, _ := ctx.Value(requestIDKey{}).(requestIDs)
	return ids.kept
}

// WithRequestID answers every request with an X-Request-Id: the caller's if it is well formed, else
// one of ours. One that may be a secret is answered with, and kept under an id of ours.
func WithRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ids := requestIDs{shown: r.Header.Get(requestIDHeader)}
		if !requestIDFormat.MatchString(ids.shown) {
			ids.shown = uuid.NewString()
		}
		if ids.kept = ids.shown; !requestlog.IsHarmless(ids.kept) {
			ids.kept = uuid.NewString()
		}
		w.Header().Set(requestIDHeader, ids.shown)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, ids)))
	})
}
