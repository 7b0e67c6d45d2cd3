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

// none is the span of who makes none.
var none = trace.SpanFromContext(context.Background())

// Request begins the span of a request. The id of its trace follows from the request's id, so that what is
// done for a payment later finds the trace of its creation by the request id that is stored with it.
//
// A caller's traceparent becomes a link and not the parent: callers are strangers, who must not decide what
// is sampled, nor put their requests into traces of others.
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

// method is a request's, unless it is a word of the caller's own.
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

// Follow begins a span in the trace of an earlier request, by which a payment or payout was created. If
// another request is under way, its span and this one are linked. Without a request id it is a part of what
// is under way.
func Follow(
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

// Call begins the span of a call that goes out. Nothing of it is told to who is called.
func Call(ctx context.Context, name string) (context.Context, trace.Span) {
	if !On() {
		return ctx, none
	}
	return start(ctx, name, Outgoing())
}

// Outgoing says that a span is of a call that goes out.
func Outgoing() trace.SpanStartOption { return trace.WithSpanKind(trace.SpanKindClient) }

func start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	provider := current.Load()
	if provider == nil { // it was ended meanwhile
		return ctx, none
	}
	return provider.Tracer(tracerName).Start(ctx, name, options...)
}

// Failed says that what a span is of went wrong. Errors quote what nobody should read, so it does not say
// why: the log does.
func Failed(span trace.Span, failed bool) {
	if failed {
		span.SetStatus(codes.Error, "")
	}
}

// ID is the id of the trace that ctx belongs to, or "".
func ID(ctx context.Context) string {
	if of := trace.SpanContextFromContext(ctx); of.IsValid() {
		return of.TraceID().String()
	}
	return ""
}

// traceOf is the trace of a request. That is a part of a hash: request ids are often the caller's choice.
func traceOf(requestID string) trace.TraceID {
	sum := sha256.Sum256([]byte("trace of request " + requestID))
	return trace.TraceID(sum[:16])
}

type traceKey struct{}

// within has the next root span be part of a trace.
func within(ctx context.Context, id trace.TraceID) context.Context {
	return context.WithValue(ctx, traceKey{}, id)
}

// ids makes the ids of spans.
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
