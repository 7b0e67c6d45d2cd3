package tracing

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Attributes of spans. Their values are ours, and never text from a caller.
const (
	Method    = attribute.Key("http.request.method")
	Route     = attribute.Key("http.route")
	Procedure = attribute.Key("gateway.procedure")
	Status    = attribute.Key("http.response.status_code")
	Code      = attribute.Key("gateway.error_code")
	Payment   = attribute.Key("gateway.payment_id")
	Payout    = attribute.Key("gateway.payout_id")
	Event     = attribute.Key("gateway.event_id")
	Attempt   = attribute.Key("gateway.attempt")
	Outcome   = attribute.Key("gateway.outcome")
	Feed      = attribute.Key("gateway.rate_feed_id")
)

// listed are the attributes that may leave the process: ours, and those of
// otelconnect and otelpgx with names, counts and codes.
var listed = map[attribute.Key]bool{
	Method: true, Route: true, Procedure: true, Status: true, Code: true, Payment: true, Payout: true, Event: true,
	Attempt: true, Outcome: true, Feed: true,
	"rpc.system": true, "rpc.service": true, "rpc.method": true, "rpc.connect_rpc.error_code": true,
	"db.system.name": true, "db.operation.batch.size": true, "pgx.rows_affected": true, "pgx.sql_state": true,
}

// exporter sends only listed attributes of spans, no events, and no text of
// errors, which quotes addresses and values. A library that begins to record
// more reveals nothing.
type exporter struct {
	next    sdktrace.SpanExporter
	log     *slog.Logger
	failing atomic.Bool
}

// ExportSpans implements sdktrace.SpanExporter. It logs when the collector
// begins to fail and when it works again, not each time.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	shown := make([]sdktrace.ReadOnlySpan, 0, len(spans))
	for _, span := range spans {
		shown = append(shown, visible{span})
	}
	err := e.next.ExportSpans(ctx, shown)
	switch failing := err != nil; {
	case e.failing.Swap(failing) == failing:
	case failing:
		e.log.Warn("traces cannot be sent to the collector and are dropped", "error", reason(err))
	default:
		e.log.Info("traces are sent again")
	}
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (e *exporter) Shutdown(ctx context.Context) error { return e.next.Shutdown(ctx) }

// reason is why an export failed, without the collector's address, which may
// contain a key.
func reason(err error) string {
	var wrapped *url.Error
	switch {
	case errors.As(err, &wrapped):
		return wrapped.Err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	}
	return "the collector refused them"
}

// visible is a span reduced to what may be sent.
type visible struct{ sdktrace.ReadOnlySpan }

// Attributes implements sdktrace.ReadOnlySpan.
func (v visible) Attributes() []attribute.KeyValue {
	var shown []attribute.KeyValue
	for _, a := range v.ReadOnlySpan.Attributes() {
		if listed[a.Key] {
			shown = append(shown, a)
		}
	}
	return shown
}

// Events implements sdktrace.ReadOnlySpan.
func (visible) Events() []sdktrace.Event { return nil }

// Status implements sdktrace.ReadOnlySpan.
func (v visible) Status() sdktrace.Status {
	return sdktrace.Status{Code: v.ReadOnlySpan.Status().Code}
}

// Links implements sdktrace.ReadOnlySpan. It removes the state of a caller's
// trace, which is text from the caller.
func (v visible) Links() []sdktrace.Link {
	var shown []sdktrace.Link
	for _, link := range v.ReadOnlySpan.Links() {
		shown = append(shown, sdktrace.Link{SpanContext: link.SpanContext.WithTraceState(trace.TraceState{})})
	}
	return shown
}
