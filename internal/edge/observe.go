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

// call is what is known of a request while it runs. Logs and metrics name its procedure, never its
// path: paths can be credentials.
type call struct {
	procedure, address string
	// code is the refusal's, if there was one.
	code string
	// viewer names an operator who looks as another user, and that user; "" is nobody.
	viewer string
	// signed tells that a merchant's program made the request, or somebody who names its key; merchant
	// is whose key and secret were found good, or 0. Bounded tells that anybody could make as many.
	signed, bounded bool
	merchant        int64
	// pattern is of a call's path, "" of what is named by its pattern anyway.
	pattern string
}

type callKey struct{}

// Name says what the request that ctx belongs to asks for: a procedure, or the pattern of a page's
// path.
func Name(ctx context.Context, procedure string) {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		c.procedure = procedure
	}
}

// noteProcedure names a call by its procedure, and keeps by which path it came.
func noteProcedure(r *http.Request, procedure string) {
	if c, ok := r.Context().Value(callKey{}).(*call); ok {
		c.procedure, c.pattern = procedure, r.Pattern
	}
}

// NoteViewer says who looks as whom in the request that ctx belongs to.
func NoteViewer(ctx context.Context, viewer string) {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		c.viewer = viewer
	}
}

func noteCode(ctx context.Context, code string) {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		c.code = code
	}
}

// noteSigned says that a request is signed with a merchant's key, which is the merchant's or, at 0,
// not known to be.
func noteSigned(r *http.Request, merchantID int64) {
	if c, ok := r.Context().Value(callKey{}).(*call); ok {
		c.signed, c.merchant, c.bounded = true, merchantID, merchantID == 0
	}
}

// noteTooOften says that a request came too often, of which there may be any number.
func noteTooOften(ctx context.Context) {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		c.bounded = true
	}
}

// Address is the address of the caller whose request ctx belongs to.
func Address(ctx context.Context) string {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c.address
	}
	return ""
}

// Observer logs and counts the requests of every door.
type Observer struct {
	log       *slog.Logger
	durations *prometheus.HistogramVec
	keyID     func(http.Header) string
	// Requests keeps what merchants' programs asked for; nil keeps nothing.
	Requests *requestlog.Log
}

// NewObserver makes one. KeyID is the id of the key that a request names, in so far as it may be
// logged: a merchant who asks why calls are refused is found by it.
func NewObserver(log *slog.Logger, metrics prometheus.Registerer, keyID func(http.Header) string) *Observer {
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "gateway_request_duration_seconds",
		Help:    "Requests by procedure, or by a page's path pattern, and status.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"procedure", "status"})
	metrics.MustRegister(durations)
	return &Observer{log: log, durations: durations, keyID: keyID}
}

// Observe has every request logged, counted, and answered with its id.
func (o *Observer) Observe(next http.Handler) http.Handler {
	return WithRequestID(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		c := &call{procedure: "unknown", address: limit.Address(r.RemoteAddr)}
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		ctx, span := tracing.Request(context.WithValue(r.Context(), callKey{}, c), KeptRequestID(r.Context()), r)
		defer span.End()
		r = r.WithContext(ctx)
		next.ServeHTTP(seen, r)
		took := time.Since(began)
		c.tell(span, seen.status)
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
		if c.signed && o.Requests != nil {
			o.Requests.Add(c.entry(r, seen.status, took, o.keyID(r.Header)))
		}
	}))
}

// tell writes into the span of the request what became of it.
func (c *call) tell(span trace.Span, status int) {
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

// entry is the request as its merchant finds it again. Over Connect the procedure is all there is of a
// path.
func (c *call) entry(r *http.Request, status int, took time.Duration, keyID string) requestlog.Entry {
	path := c.procedure
	if strings.HasPrefix(c.pattern, "/api/") {
		path = c.pattern
	}
	return requestlog.Entry{
		MerchantID: c.merchant, KeyID: keyID, Bounded: c.bounded, Method: r.Method, Path: path, Status: status,
		Code: c.code, RequestID: RequestID(r.Context()), Took: took,
	}
}

// Named has a mux's requests named by the pattern they match: a path itself may be a credential.
func Named(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := mux.Handler(r)
		Name(r.Context(), pattern)
		mux.ServeHTTP(w, r)
	})
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

// recovered answers a panic in the transport's error shape. The stack is logged, the panic's own
// text is not: nobody knows what it quotes.
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
