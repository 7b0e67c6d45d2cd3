package tracing

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"net/http"
	"slices"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

const tracerName = "gateway.example"

// none is a span that records nothing.
var none = trace.SpanFromContext(context.Background())

// Request begins the span of a request. The id of its trace follows from the
// request's id, so that what is done for a payment later finds the trace of its
// creation by the request id that is stored with it.
//
// A caller's traceparent becomes a link and not the parent: callers are
// strangers, who must not decide what is sampled, nor put their requests into
// traces of others.
func Request(ctx context.Context, requestID string, r *http.Request) (context.Context, trace.Span) {
	if !On() {
		return ctx, none
	}
	options := []trace.SpanStartOption{
		trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(Method.String(method(r))),
	}
	remote := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(r.Header))
	if theirs := trace.SpanContextFromContext(remote); theirs.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: theirs}))
	}
	return start(within(ctx, traceOf(requestID)), "request", options...)
}

// method is a request's HTTP method, or a stand-in for one that a caller has
// made up.
func method(r *http.Request) string {
	known := []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions,
	}
	if slices.Contains(known, r.Method) {
		return r.Method
	}
	return "_OTHER"
}

// Continue begins a span in the trace of an earlier request, which created a
// payment or payout. It links it with the request that is under way, if that is
// another. Without a request id it belongs to what is under way.
func Continue(
	ctx context.Context, requestID *string, name string, options ...trace.SpanStartOption,
) (context.Context, trace.Span) {
	if !On() {
		return ctx, none
	}
	here := trace.SpanFromContext(ctx)
	if requestID == nil || here.SpanContext().TraceID() == traceOf(*requestID) {
		return start(ctx, name, options...)
	}
	options = append(options, trace.WithNewRoot())
	if here.SpanContext().IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: here.SpanContext()}))
	}
	ctx, span := start(within(ctx, traceOf(*requestID)), name, options...)
	here.AddLink(trace.Link{SpanContext: span.SpanContext()})
	return ctx, span
}

// Call begins the span of an outgoing call. The called side learns nothing of
// it.
func Call(ctx context.Context, name string) (context.Context, trace.Span) {
	if !On() {
		return ctx, none
	}
	return start(ctx, name, Outgoing())
}

// Outgoing marks the span of an outgoing call.
func Outgoing() trace.SpanStartOption { return trace.WithSpanKind(trace.SpanKindClient) }

func start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	provider := current.Load()
	if provider == nil { // it was ended meanwhile
		return ctx, none
	}
	return provider.Tracer(tracerName).Start(ctx, name, options...)
}

// Failed marks a span as failed. It does not record the error, which may quote
// secrets; the log has it.
func Failed(span trace.Span, failed bool) {
	if failed {
		span.SetStatus(codes.Error, "")
	}
}

// ID is the id of the context's trace, or "".
func ID(ctx context.Context) string {
	if of := trace.SpanContextFromContext(ctx); of.IsValid() {
		return of.TraceID().String()
	}
	return ""
}

// traceOf derives the id of a trace from a request id. It uses a hash, because
// request ids may be the caller's choice.
func traceOf(requestID string) trace.TraceID {
	sum := sha256.Sum256([]byte("trace of request " + requestID))
	return trace.TraceID(sum[:16])
}

type traceKey struct{}

// within makes the next root span part of a trace.
func within(ctx context.Context, id trace.TraceID) context.Context {
	return context.WithValue(ctx, traceKey{}, id)
}

// ids generates the ids of spans.
type ids struct{}

// NewIDs implements sdktrace.IDGenerator.
func (g ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	id, ok := ctx.Value(traceKey{}).(trace.TraceID)
	if !ok {
		binary.NativeEndian.PutUint64(id[:8], rand.Uint64())
		binary.NativeEndian.PutUint64(id[8:], rand.Uint64())
	}
	return id, g.NewSpanID(ctx, id)
}

// NewSpanID implements sdktrace.IDGenerator.
func (ids) NewSpanID(context.Context, trace.TraceID) trace.SpanID {
	var id trace.SpanID
	binary.NativeEndian.PutUint64(id[:], rand.Uint64()|1) // 0 is no id
	return id
}
