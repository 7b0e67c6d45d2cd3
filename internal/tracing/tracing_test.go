package tracing

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// While traces are off nothing is allocated for them.
func TestOffCostsNothing(t *testing.T) { //nolint:paralleltest // allocations of other tests would count
	ctx, request, id := t.Context(), httptest.NewRequest(http.MethodGet, "/", nil), "a request"
	allocated := testing.AllocsPerRun(100, func() {
		here, span := Request(ctx, id, request)
		_, move := Continue(here, &id, "payment completed")
		_, call := Call(here, "acquirer authorize")
		Failed(call, true)
		span.End()
		move.End()
		call.End()
	})
	testenv.Want(t, allocated, 0, "allocations")
}

// A span leaves the program without what is not listed: attributes, events, and the text of errors.
func TestExporterShowsWhatIsListed(t *testing.T) {
	t.Parallel()
	sink := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(&exporter{next: sink, log: slog.Default()}))
	_, span := provider.Tracer("").Start(t.Context(), "request")
	span.SetAttributes(Status.Int(500), attribute.String("url.path", "/pay/secret"))
	span.RecordError(errors.New("secret"))
	span.SetStatus(codes.Error, "secret")
	span.End()
	got := sink.GetSpans()[0]
	testenv.Check(t, len(got.Attributes) == 1 && got.Attributes[0].Key == Status && len(got.Events) == 0 &&
		got.Status.Code == codes.Error && got.Status.Description == "", "%+v", got)
}

// A statement is named by its query, and never by what is in it.
func TestStatementName(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"-- name: PaymentInsert :exec\ninsert into payment": "PaymentInsert", "begin": "begin",
		"begin isolation level read committed; set local x = '2s'": "begin", "copy secret from stdin": "statement",
		"secret": "statement", "": "statement",
	} {
		testenv.Want(t, statementName(sql), want, "%q", sql)
	}
}

// A collector's failures are logged once, until it answers again, and its address is not.
func TestExporterLogsOnce(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	failing := &failingExporter{err: errors.New("http://collector.example/key says 500")}
	e := &exporter{next: failing, log: slog.New(slog.NewTextHandler(&out, nil))}
	for range 3 {
		_ = e.ExportSpans(t.Context(), nil)
	}
	failing.err = nil
	for range 3 {
		_ = e.ExportSpans(t.Context(), nil)
	}
	lines := strings.Count(out.String(), "\n")
	testenv.Check(t, lines == 2 && !strings.Contains(out.String(), "key"), "%d lines: %s", lines, out.String())
}

type failingExporter struct{ err error }

func (f *failingExporter) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return f.err }

func (*failingExporter) Shutdown(context.Context) error { return nil }
