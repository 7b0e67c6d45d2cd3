package edge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"gateway.example/internal/limit"
	"gateway.example/internal/requestlog"
	"gateway.example/internal/tracing"
)

// call is what is known of a running request. Logs and metrics name its
// procedure and never its path, because a path can be a credential.
type call struct {
	procedure, address string
	// code is the error code of the answer, if it is an error.
	code string
	// viewer names an operator who looks as another user, and that user; ""
	// is nobody.
	viewer string
	// signed says that the request names a merchant's key. merchant is the
	// merchant if key and secret were right, else 0. bounded says that
	// there may be any number of such requests: the key was not proved, or
	// the call was over a limit.
	signed, bounded bool
	merchant        int64
	// pattern is the pattern of the path of a call; "" for a request that
	// is named by its pattern anyway.
	pattern string
}

type callKey struct{}

// noted is what is known of the context's request. Of one that nobody observes
// it is forgotten.
func noted(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

// Name names the request of the context for log and metrics: a procedure, or
// the pattern of a page's path.
func Name(ctx context.Context, procedure string) {
	noted(ctx).procedure = procedure
}

// noteProcedure names a call by its procedure, and keeps the pattern of its
// path.
func noteProcedure(r *http.Request, procedure string) {
	c := noted(r.Context())
	c.procedure, c.pattern = procedure, r.Pattern
}

// NoteViewer notes which operator looks as which user in the request of the
// context.
func NoteViewer(ctx context.Context, viewer string) { noted(ctx).viewer = viewer }

// noteSigned notes that a request names a merchant's key. The merchant is 0 if
// the key or secret was wrong.
func noteSigned(r *http.Request, merchantID int64) {
	c := noted(r.Context())
	c.signed, c.merchant, c.bounded = true, merchantID, merchantID == 0
}

// Address is the address of the caller of the context's request.
func Address(ctx context.Context) string { return noted(ctx).address }

// Observer logs and counts the requests of every server.
type Observer struct {
	log       *slog.Logger
	durations *prometheus.HistogramVec
	keyID     func(http.Header) string
	requests  *requestlog.Log
}

// NewObserver makes an Observer. keyID returns the key id of a request if it
// may be logged: it finds the refused calls of a merchant who asks about them.
// requests stores what merchants' programs asked for; it may be nil.
func NewObserver(
	log *slog.Logger, metrics prometheus.Registerer, keyID func(http.Header) string, requests *requestlog.Log,
) *Observer {
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "gateway_request_duration_seconds",
		Help:    "Requests by procedure, or by a page's path pattern, and status.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"procedure", "status"})
	metrics.MustRegister(durations)
	return &Observer{log: log, durations: durations, keyID: keyID, requests: requests}
}

// Observe logs and counts every request, and sends its id with the answer.
func (o *Observer) Observe(next http.Handler) http.Handler {
	return WithRequestID(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		c := &call{procedure: "unknown", address: limit.Address(r.RemoteAddr)}
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		ctx, span := tracing.Request(context.WithValue(r.Context(), callKey{}, c), KeptRequestID(r.Context()), r)
		defer span.End()
		r = r.WithContext(ctx)
		unbroken(seen, r, next)
		took := time.Since(began)
		c.describe(span, seen.status)
		o.durations.WithLabelValues(c.procedure, strconv.Itoa(seen.status)).Observe(took.Seconds())
		line := []any{
			"procedure",
			c.procedure,
			"method",
			r.Method,
			"status",
			seen.status,
			"duration_ms",
			float64(took.Microseconds()) / 1000,
		}
		if c.code != "" {
			line = append(line, "code", c.code, "key_id", o.keyID(r.Header))
		}
		if c.viewer != "" {
			line = append(line, "viewer", c.viewer)
		}
		o.log.InfoContext(r.Context(), "request", line...)
		if c.signed && o.requests != nil {
			o.requests.Add(c.entry(r, seen.status, took, o.keyID(r.Header)))
		}
	}))
}

// unbroken answers a panic that nothing has answered yet: left to net/http it
// would log the panic's text.
func unbroken(w *statusWriter, r *http.Request, next http.Handler) {
	defer Recovered(w, r, func(http.ResponseWriter, *http.Request, error) {
		if w.written {
			panic(http.ErrAbortHandler) // half an answer is none
		}
		http.Error(w, "Something went wrong on our side.", http.StatusInternalServerError)
	})
	next.ServeHTTP(w, r)
}

// describe notes the result in the span of the request.
func (c *call) describe(span trace.Span, status int) {
	if !span.IsRecording() {
		return
	}
	span.SetName(c.procedure)
	span.SetAttributes(tracing.Status.Int(status), tracing.Procedure.String(c.procedure),
		tracing.Route.String(cmp.Or(c.pattern, c.procedure)))
	if c.code != "" {
		span.SetAttributes(tracing.Code.String(c.code))
	}
	tracing.Failed(span, status >= http.StatusInternalServerError)
}

// entry is the request as its merchant can look it up. Over Connect the
// procedure is the path.
func (c *call) entry(r *http.Request, status int, took time.Duration, keyID string) requestlog.Entry {
	path := c.procedure
	if strings.HasPrefix(c.pattern, "/api/") {
		path = c.pattern
	}
	return requestlog.Entry{
		MerchantID: c.merchant, KeyID: keyID, Address: c.address, Bounded: c.bounded, Method: r.Method, Path: path, Status: status,
		Code: c.code, RequestID: RequestID(r.Context()), Took: took,
	}
}

// Named names a mux's requests by the pattern that they match. The path itself
// may be a credential. What matches none is answered by unknown: with 405 where
// the path takes other methods, which Allow then has, and else with 404. A
// pattern of the mux that matches everything would hide which of the two it is.
func Named(mux *http.ServeMux, unknown func(w http.ResponseWriter, r *http.Request, status int)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := mux.Handler(r)
		Name(r.Context(), cmp.Or(pattern, "/"))
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		status := http.StatusNotFound
		if taken := methods(mux, r); len(taken) > 0 {
			w.Header().Set("Allow", strings.Join(taken, ", "))
			status = http.StatusMethodNotAllowed
		}
		unknown(w, r, status)
	})
}

// methods are those that the mux takes at the path of a request.
func methods(mux *http.ServeMux, r *http.Request) []string {
	var taken []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		other := *r
		other.Method = method
		if _, pattern := mux.Handler(&other); pattern != "" {
			taken = append(taken, method)
		}
	}
	return taken
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

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Recovered answers a panic with an error of the transport, in the function
// that defers it. It logs the stack but not the panic's text, which may quote
// anything.
func Recovered(w http.ResponseWriter, r *http.Request, fail Fail) {
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
