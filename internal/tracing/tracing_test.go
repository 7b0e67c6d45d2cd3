package tracing

import (
	"compress/gzip"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"gateway.example/internal/testenv"
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

// A span leaves the program without what is not listed: attributes, events, and
// the text of errors.
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

// A collector's failures are logged once, until it answers again, and its
// address is not.
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

// A busy collector gets the same spans again, compressed and with its key, over
// a connection that the operator's certificate proves.
func TestSentAgain(t *testing.T) {
	t.Parallel()
	var took []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, _ := io.ReadAll(unpacked)
		var data tracepb.TracesData
		if err := proto.Unmarshal(body, &data); err != nil {
			t.Error(err)
		}
		took = append(took, r.URL.Path+" "+r.Header.Get("Api-Key")+" "+data.GetResourceSpans()[0].GetSchemaUrl())
		if len(took) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	authority := filepath.Join(t.TempDir(), "authority.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	testenv.NoError(t, os.WriteFile(authority, certificate, 0o600))
	c := fromVariables(t, map[string]string{
		envEndpoint: server.URL + "/base/", envHeaders: "api-key=a%20key",
		envCompression: "gzip", envCertificate: authority,
	})
	c.wait = time.Millisecond
	if err := c.UploadTraces(t.Context(), []*tracepb.ResourceSpans{{SchemaUrl: "sent"}}); err != nil {
		t.Error(err)
	}
	want := "/base/v1/traces a key sent"
	testenv.Check(t, len(took) == 2 && took[0] == want && took[1] == want, "%q", took)
}

// Spans that the collector took only in part, or refuses for good, are a
// failure, and nothing is sent again.
func TestRefusedSpans(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]struct {
		status int
		body   string
		fails  bool
	}{
		"taken":               {http.StatusOK, "", false},
		"taken, with nothing": {http.StatusOK, "\x0a\x00", false},
		"some rejected":       {http.StatusOK, "\x0a\x02\x08\x03", true},
		"a message":           {http.StatusOK, "\x0a\x04\x12\x02no", true},
		"no message":          {http.StatusOK, "\xff\xff", false},
		"refused":             {http.StatusBadRequest, "", true},
	} {
		var asked int
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.WriteHeader(answer.status)
			_, _ = io.WriteString(w, answer.body)
		}))
		c := fromVariables(t, map[string]string{envEndpoint: server.URL})
		err := c.UploadTraces(t.Context(), nil)
		testenv.Check(t, (err != nil) == answer.fails && asked == 1, "%s: %v, after %d requests", name, err, asked)
		server.Close()
	}
}

// The endpoint of all signals is a base, and that of traces is taken as it is.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	const tracesAlone = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	for want, variables := range map[string]map[string]string{
		"http://a:4318/v1/traces":   {envEndpoint: "http://a:4318"},
		"https://a/base/v1/traces":  {envEndpoint: "https://a/base/"},
		"https://b/own":             {envEndpoint: "http://a", tracesAlone: "https://b/own"},
		"https://b/":                {tracesAlone: "https://b"},
		"http://a/v1/traces":        {envEndpoint: "https://a", envInsecure: "true"},
		"https://a:4318/v1/traces":  {envEndpoint: "http://a:4318", envInsecure: "false"},
		"http://a:4318/x/v1/traces": {envEndpoint: " http://a:4318/x "},
	} {
		got := fromVariables(t, variables).url
		testenv.Check(t, got == want, "%s, not %s", got, want)
	}
}

func fromVariables(t *testing.T, variables map[string]string) *collector {
	t.Helper()
	return testenv.Must(newCollector(func(name string) string { return variables[name] }))(t)
}

// A collector that never answers does not hold up the end, which comes before
// the upload of a collector's client alone is given up.
func TestSilentCollector(t *testing.T) {
	t.Setenv("OTEL_BSP_EXPORT_TIMEOUT", "3600000")
	silent, ended, upload := make(chan struct{}), make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-silent }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(silent) })
	variables := map[string]string{envEndpoint: server.URL, envTimeout: "3600000"}
	end := testenv.Must(Open(t.Context(), func(name string) string { return variables[name] }, slog.New(slog.DiscardHandler)))(t)
	alone := fromVariables(t, variables)
	go func() {
		defer close(upload)
		_ = alone.UploadTraces(t.Context(), nil)
	}()
	_, span := Call(t.Context(), "a call")
	span.End()
	go func() {
		defer close(ended)
		end()
	}()
	select {
	case <-ended:
	case <-upload:
		t.Error("it waits for the collector")
	}
}
