package browsertest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	browsertest.End()
	os.Exit(code)
}

// A tab that a test has given back remembers nothing of it.
func TestTabsAreCleaned(t *testing.T) { //nolint:paralleltest // the second test is to get the tab of the first
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<script>window.ran = true</script>`)
	}))
	t.Cleanup(server.Close)
	const look = `[
		"script " + !!window.ran, "before " + !!window.before, "cookie " + document.cookie, "kept " + (localStorage.kept || ""),
		"dark " + matchMedia("(prefers-color-scheme: dark)").matches, "width " + innerWidth, "pages " + history.length,
	].join(", ")`
	const fresh = "script true, before false, cookie , kept , dark false, width 360, pages 2"
	for range 2 {
		t.Run("looks and leaves traces", func(t *testing.T) {
			tab := browsertest.New(t)
			tab.Open(server.URL)
			testenv.Want(t, browsertest.Eval[string](tab, look), fresh, "the tab has")
			browsertest.Eval[bool](tab, `(localStorage.kept = document.cookie = "a=b", true)`)
			tab.Theme("dark")
			tab.Before("window.before = true")
			tab.WithoutScript()
			tab.Open(server.URL)
			tab.Open(server.URL + "/other")
		})
	}
}
