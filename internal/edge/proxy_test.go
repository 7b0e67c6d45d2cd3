package edge

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/testenv"
)

// A client is who the last of our proxies heard, and nobody can write
// themselves another address.
func TestProxies(t *testing.T) {
	t.Parallel()
	trusted := testenv.Must(ParseProxies("10.0.0.0/8, 192.0.2.1,2001:db8::/32"))(t)
	for _, test := range []struct{ from, chain, want string }{
		{"203.0.113.9:4711", "", "203.0.113.9:4711"},
		{"203.0.113.9:4711", "198.51.100.1", "203.0.113.9:4711"},
		{"10.1.2.3:80", "", "10.1.2.3:80"},
		{"10.1.2.3:80", "198.51.100.1", "198.51.100.1"},
		{"10.1.2.3:80", "198.51.100.7, 198.51.100.1", "198.51.100.1"},
		{"10.1.2.3:80", "198.51.100.7,198.51.100.1, 192.0.2.1,10.9.9.9", "198.51.100.1"},
		{"10.1.2.3:80", "198.51.100.1:50000", "198.51.100.1"},
		{"[::ffff:10.1.2.3]:80", "2001:db9::1", "2001:db9::1"},
		{"[2001:db8::7]:80", "198.51.100.1", "198.51.100.1"},
		{"192.0.2.2:80", "198.51.100.1", "192.0.2.2:80"},
		{"10.1.2.3:80", "no address", "10.1.2.3:80"},
		{"10.1.2.3:80", "198.51.100.1, no address, 10.9.9.9", "10.9.9.9"},
		{"10.1.2.3:80", "10.9.9.9, 10.8.8.8", "10.9.9.9"},
	} {
		got := ""
		handler := trusted.In(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.RemoteAddr }))
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = test.from
		if first, last, ok := strings.Cut(test.chain, ", "); ok { // a chain may come in several headers
			r.Header.Add("X-Forwarded-For", first)
			r.Header.Add("X-Forwarded-For", last)
		} else if test.chain != "" {
			r.Header.Set("X-Forwarded-For", test.chain)
		}
		if handler.ServeHTTP(nil, r); got != test.want {
			t.Errorf("%s, %q: %s, want %s", test.from, test.chain, got, test.want)
		}
	}
	for _, bad := range []string{"proxy", "10.0.0.0/33", "10.0.0.1,x"} {
		_, err := ParseProxies(bad)
		testenv.Check(t, err != nil && strings.Contains(err.Error(), "-trusted-proxies"), "%q: %v", bad, err)
	}
	none, err := ParseProxies("")
	testenv.Check(t, err == nil && len(none) == 0, "none: %v, %v", none, err)
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	inside := ""
	handler := WithRequestID(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { inside = RequestID(r.Context()) }))
	ask := func(sent string) string {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.Header.Set("X-Request-Id", sent)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		testenv.Want(t, answer.Header().Get("X-Request-Id"), inside, "answered, inside")
		return inside
	}
	for _, good := range []string{"a", "A-Z_0.9", strings.Repeat("x", 64), "...", uuid.NewString()} {
		testenv.Want(t, ask(good), good, "the answer became")
	}
	seen := map[string]bool{}
	for _, bad := range []string{"", " ", strings.Repeat("x", 65), "a b", "a/b", "a\nb", "ж", "a\x00", "<script>", "a;b", "\xff", "a\n"} {
		got := ask(bad)
		_, err := uuid.Parse(got)
		testenv.Check(t, err == nil && !seen[got], "%q became %q; want an id of ours, and a new one", bad, got)
		seen[got] = true
	}
}

// What callers choose is answered with, and kept only as far as it cannot be a
// secret.
func TestKeptRequestID(t *testing.T) {
	t.Parallel()
	id := uuid.NewString()
	for sent, harmless := range map[string]bool{
		"request-1":                         true,
		id:                                  true,
		"1763839200123":                     true, // a time in milliseconds
		"4111111111111111":                  false,
		"order.4111111111111111.7":          false,
		"a4111-1111-1111-1111b":             false,
		"4111.1111_1111-1111":               false,
		"4111111111111112":                  true, // the check digit is wrong
		"sk_0123456789abcdef0123456789abcd": false,
		"k2qhE0rhW6wScthkvct9oi3wCNGBN475Fw8YbSr__zc":             false,
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01": true,
	} {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.Header.Set("X-Request-Id", sent)
		var shown, kept string
		WithRequestID(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			shown, kept = RequestID(r.Context()), KeptRequestID(r.Context())
		})).ServeHTTP(httptest.NewRecorder(), request)
		testenv.Check(t, shown == sent && (kept == sent) == harmless && (uuid.Validate(kept) == nil || harmless),
			"%s is shown as %q, kept as %q", sent, shown, kept)
	}
}

// Where an operator looks as another user the log says who.
func TestViewersAreLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	observer := NewObserver(slog.New(slog.NewTextHandler(&log, nil)), prometheus.NewRegistry(),
		func(http.Header) string { return "" }, nil)
	pages := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		NoteViewer(r.Context(), "operator:1 as trader:2")
	})
	observer.Observe(pages).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/trader", nil))
	line := log.String()
	testenv.Check(t, strings.Contains(line, `viewer="operator:1 as trader:2"`), "logged %s", line)
}

// The text of a panic may quote anything, so it reaches neither the log nor the
// answer. What broke is logged and counted.
func TestPanicOfAnyHandler(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	observer := NewObserver(slog.Default(), prometheus.NewRegistry(), func(http.Header) string { return "" }, nil)
	answer := httptest.NewRecorder()
	broken := func(http.ResponseWriter, *http.Request) { panic("hunter2") }
	observer.Observe(http.HandlerFunc(broken)).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	testenv.Want(t, answer.Code, http.StatusInternalServerError, "the answer is")
	testenv.Check(t, strings.Contains(log.String(), "TestPanicOfAnyHandler") && strings.Contains(log.String(), "status=500"),
		"logged %s", &log)
	testenv.Check(t, !strings.Contains(log.String()+answer.Body.String(), "hunter2"), "quoted: %s\n%s", &log, answer.Body)

	begun := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("half"))
		panic("hunter2")
	}
	func() {
		defer func() { testenv.Want(t, recover(), any(http.ErrAbortHandler), "half an answer ends with") }()
		observer.Observe(http.HandlerFunc(begun)).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	}()
	testenv.Check(t, !strings.Contains(log.String(), "hunter2"), "quoted: %s", &log)
}

// Pages are logged and counted by the pattern of their path. The path itself is
// a credential and must not be seen.
func TestPagesAreNamedByTheirPattern(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /r/{token}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	var log bytes.Buffer
	metrics := prometheus.NewRegistry()
	observer := NewObserver(slog.New(slog.NewTextHandler(&log, nil)), metrics, func(http.Header) string { return "" }, nil)
	answer := httptest.NewRecorder()
	observer.Observe(Named(mux, nil)).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/r/secret-link?x=secret", nil))
	line := log.String()
	testenv.Check(t, strings.Contains(line, `procedure="GET /r/{token}"`) &&
		strings.Contains(line, "status=410") && !strings.Contains(line, "secret"), "logged %s", line)
	testenv.Check(t, answer.Header().Get("X-Request-Id") != "", "no request id")
	families, err := metrics.Gather()
	testenv.Need(t, err == nil && len(families) == 1, "%d families, %v", len(families), err)
	labels := families[0].GetMetric()[0].GetLabel()
	testenv.Check(t, labels[0].GetValue() == "GET /r/{token}" && labels[1].GetValue() == "410", "counted as %v", labels)
}
