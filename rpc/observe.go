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
type call struct {
	procedure, address string
	// code is the refusal's, if there was one.
	code string
}

type callKey struct{}

func nameCall(ctx context.Context, procedure string) {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		c.procedure = procedure
	}
}

func noteCode(ctx context.Context, code string) {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		c.code = code
	}
}

// addressFrom is the address of the caller whose request ctx belongs to.
func addressFrom(ctx context.Context) string {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c.address
	}
	return ""
}

// Observe logs and counts every request, and answers with the request's id. KeyID is the id of the key that a request
// names, in so far as it may be logged: a merchant who asks why calls are refused is found by it.
func Observe(log *slog.Logger, metrics prometheus.Registerer, keyID func(http.Header) string, next http.Handler) http.Handler {
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
		line := []any{"procedure", c.procedure, "method", r.Method, "status", seen.status, "duration_ms", float64(took.Microseconds()) / 1000}
		if c.code != "" {
			line = append(line, "code", c.code, "key_id", keyID(r.Header))
		}
		log.InfoContext(r.Context(), "request", line...)
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
