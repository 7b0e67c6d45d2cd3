package edge

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// Where an operator looks as another user the log says who.
func TestViewersAreLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	observer := NewObserver(
		slog.New(slog.NewTextHandler(&log, nil)), prometheus.NewRegistry(), func(http.Header) string { return "" },
	)
	pages := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		NoteViewer(r.Context(), "operator:1 as trader:2")
	})
	observer.Observe(pages).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/trader", nil))
	if line := log.String(); !strings.Contains(line, `viewer="operator:1 as trader:2"`) {
		t.Errorf("logged %s", line)
	}
}

// Pages are logged and counted by the pattern of their path. The path itself is a credential and
// must not be seen.
func TestPagesAreNamedByTheirPattern(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /r/{token}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	var log bytes.Buffer
	metrics := prometheus.NewRegistry()
	observer := NewObserver(slog.New(slog.NewTextHandler(&log, nil)), metrics, func(http.Header) string { return "" })
	answer := httptest.NewRecorder()
	observer.Observe(Named(mux)).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/r/secret-link?x=secret", nil))
	if line := log.String(); !strings.Contains(line, `procedure="GET /r/{token}"`) ||
		!strings.Contains(line, "status=410") ||
		strings.Contains(line, "secret") {
		t.Errorf("logged %s", line)
	}
	if answer.Header().Get("X-Request-Id") == "" {
		t.Error("no request id")
	}
	families, err := metrics.Gather()
	if err != nil || len(families) != 1 {
		t.Fatalf("%d families, %v", len(families), err)
	}
	labels := families[0].GetMetric()[0].GetLabel()
	if labels[0].GetValue() != "GET /r/{token}" || labels[1].GetValue() != "410" {
		t.Errorf("counted as %v", labels)
	}
}
