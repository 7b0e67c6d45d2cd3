package portal

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/report"
	"gateway.example/internal/testenv"
)

// Long files keep only those waiting who want files: one user has so many at
// once, all users together have so many.
func TestExportsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &server{exports: edge.NewTurnstile(exportsAtOnce), userExports: edge.NewTurnstile(userExports)}
		read := make(chan struct{})
		send := func(user int64, write func(*CSVFile) error) error {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			v := &Visit{server: p, W: httptest.NewRecorder(), R: r, Who: caller.Caller{ID: user}}
			return v.SendCSV("file.csv", write)
		}
		for i := range exportsAtOnce {
			go func() {
				testenv.NoError(t, send(int64(i/userExports), func(*CSVFile) error { <-read; return t.Context().Err() }))
			}()
		}
		synctest.Wait()
		for user, who := range map[int64]string{0: "who has two already", exportsAtOnce: "one too many"} {
			err := send(user, func(*CSVFile) error { t.Errorf("%s: written", who); return nil })
			testenv.Check(t, errors.Is(err, fault.ErrBusy), "%s: %v", who, err)
		}
		close(read)
		synctest.Wait()
		testenv.NoError(t, send(0, func(*CSVFile) error { return nil }))
	})
}

// A page that panics says that something is broken. The log has where, and
// nothing of the panic's text, which may quote anything.
//
//nolint:paralleltest // it reads the log of the process
func TestPanicIsNotQuoted(t *testing.T) {
	var logged bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	defer slog.SetDefault(before)
	pages := testenv.Must(New(Core{Clock: clock.Real{}, Reports: new(report.Service)}, Route{
		Pattern: "GET /broken", Open: true, Handle: func(*Visit) error { panic("hunter2") },
	}))(t)
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/broken", nil))
	testenv.Want(t, w.Code, http.StatusInternalServerError, "the answer is")
	testenv.Check(t, strings.Contains(logged.String(), "TestPanicIsNotQuoted"), "logged without the stack: %s", &logged)
	testenv.Check(t, !strings.Contains(logged.String()+w.Body.String(), "hunter2"), "quoted: %s\n%s", &logged, w.Body)
}

// A shell takes every text in a command that is copied as it is.
func TestQuoted(t *testing.T) {
	t.Parallel()
	for _, hostile := range []string{
		"plain", "it's", "'; touch /tmp/x; '", "$(id) `id` \"q\" \\ \n !", "'\\''", "--help", "", "a b\tc", "№ \u202e end",
	} {
		got, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+quoted(hostile)).Output()
		testenv.Check(t, err == nil && string(got) == hostile, "%q becomes %q, %v", hostile, got, err)
	}
}
