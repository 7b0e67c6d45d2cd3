package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/limit"
)

// call is what is known of a request while it runs. Logs and metrics name its procedure, never its path: paths can be
// credentials.
type call struct{ procedure, address string }

type callKey struct{}

func nameCall(ctx context.Context, procedure string) {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		c.procedure = procedure
	}
}

// addressFrom is the address of the caller whose request ctx belongs to.
func addressFrom(ctx context.Context) string {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c.address
	}
	return ""
}

// Observe logs and counts every request, and answers with the request's id.
func Observe(log *slog.Logger, metrics prometheus.Registerer, next http.Handler) http.Handler {
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "gateway_request_duration_seconds", Help: "Requests by procedure and status.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"procedure", "status"})
	metrics.MustRegister(durations)
	return WithRequestID(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		c := &call{procedure: "unknown", address: limit.Address(r.RemoteAddr)}
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
		took := time.Since(began)
		durations.WithLabelValues(c.procedure, strconv.Itoa(seen.status)).Observe(took.Seconds())
		log.InfoContext(r.Context(), "request", "procedure", c.procedure, "method", r.Method,
			"status", seen.status, "duration_ms", float64(took.Microseconds())/1000)
	}))
}

type statusWriter struct {
	http.ResponseWriter
	status  int
	written bool
}

func (w *statusWriter) WriteHeader(status int) {
	if !w.written {
		w.status, w.written = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	w.written = true
	return w.ResponseWriter.Write(b)
}

// Unwrap serves http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// recovered answers a panic in the transport's error shape. The stack is logged, the panic's own text is not: nobody
// knows what it quotes.
func recovered(w http.ResponseWriter, r *http.Request, fail Fail) {
	switch p := recover(); p {
	case nil:
	case http.ErrAbortHandler:
		panic(p)
	default:
		slog.ErrorContext(r.Context(), "panic", "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
		fail(w, r, errPanic)
	}
}

var errPanic = errors.New("panic")
