package tracing

import (
	"compress/gzip"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"gateway.example/internal/testenv"
)

// A busy collector gets the same spans again, compressed and with its key, over a connection that the
// operator's certificate proves.
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

// Spans that the collector took only in part, or refuses for good, are a failure, and nothing is sent
// again.
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
