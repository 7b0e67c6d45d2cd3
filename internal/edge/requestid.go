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

// requestIDs are the id of a request for its caller and the one for everything
// that is stored.
type requestIDs struct{ shown, kept string }

// RequestID is the id of the context's request that its answer shows, or "". It
// must not be stored.
func RequestID(ctx context.Context) string {
	ids, _ := ctx.Value(requestIDKey{}).(requestIDs)
	return ids.shown
}

// KeptRequestID is the id of the context's request in logs, traces and tables,
// or "".
func KeptRequestID(ctx context.Context) string {
	ids, _ := ctx.Value(requestIDKey{}).(requestIDs)
	return ids.kept
}

// WithRequestID sends every answer with an X-Request-Id: the caller's if it is
// well formed, else a new one. If the caller's may be a secret, it is sent
// back, but an id of ours is stored.
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
