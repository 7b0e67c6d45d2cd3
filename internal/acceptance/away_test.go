package acceptance

import (
	"context"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/pgserver"
	"gateway.example/internal/testenv"
)

// mortal is a PostgreSQL that a test may kill while a gateway that was given it goes on.
type mortal struct {
	*pgserver.Server
	options pgserver.Options
	dir     string
	url     string
}

func newMortal(t *testing.T, options pgserver.Options) *mortal {
	t.Helper()
	dir := testenv.Must(os.MkdirTemp("", "gateway-mortal-"))(t)
	noError(t, os.Chmod(dir, 0o711))
	options.Dir = dir
	m := &mortal{dir: dir, options: options}
	m.start(t)
	t.Cleanup(func() {
		_ = m.Stop(context.Background())
		_ = os.RemoveAll(dir)
	})
	m.url = m.URL("postgres")
	return m
}

func (m *mortal) start(t *testing.T) {
	t.Helper()
	m.Server = testenv.Must(pgserver.Start(t.Context(), m.options))(t)
}

// kill ends the server as kill -9 does, and returns once it is gone.
func (m *mortal) kill(t *testing.T) {
	t.Helper()
	files := testenv.Must(filepath.Glob(filepath.Join(m.dir, "pg*", "postmaster.pid")))(t)
	content := testenv.Must(os.ReadFile(files[0]))(t)
	first, _, _ := strings.Cut(string(content), "\n")
	pid := testenv.Must(strconv.Atoi(first))(t)
	noError(t, syscall.Kill(pid, syscall.SIGKILL))
	<-m.Done()
}

// A PostgreSQL that is killed is a matter of coming back for every caller, whatever they ask for: no answer is one of the
// gateway's own faults. Once it is there again, so is the gateway.
func TestDatabaseIsKilled(t *testing.T) {
	testenv.Long(t, "kills a database that syncs")
	t.Parallel()
	m := newMortal(t, pgserver.Options{}) // it syncs: what it has answered outlives it
	g := setup{database: m.url}.start(t)
	created := g.create(t, g.first(), nil)
	page, id, about := created.text("data.paymentPageUrl"), created.text("data.id"), order(nil)
	keepSecret(path.Base(page))
	calls := map[string]func() (answer, error){
		"a creation": func() (answer, error) {
			return trySend(http.MethodPost, g.BaseURL+payments, about, signed(g.first(), about))
		},
		"a read": func() (answer, error) {
			return trySend(http.MethodGet, g.BaseURL+payments+"/"+id, "", signed(g.first(), ""))
		},
		"Connect": func() (answer, error) {
			body := `{"paymentId":"` + id + `"}`
			return trySend(http.MethodPost, g.BaseURL+"/gateway.v1.PaymentService/GetPayment", body, signed(g.first(), body))
		},
		"a page": func() (answer, error) { return trySend(http.MethodGet, page, "", nil) },
	}
	asked := func(name string) int {
		t.Helper()
		got := testenv.Must(calls[name]())(t)
		testenv.Need(t, got.status == 200 || got.status == 503 && (got.header.Get("Retry-After") == "1" ||
			strings.Contains(got.raw, "outcome_unknown")), "%s: %s", name, got)
		testenv.Check(t, name != "a page" || got.status == 200 || strings.Contains(got.raw, "Something went wrong"), "no words: %s", got)
		return got.status
	}
	for range 2 {
		for name := range calls {
			testenv.Until(t, name+" is answered", func() bool { return asked(name) == 200 })
		}
		m.kill(t)
		for name := range calls {
			testenv.Until(t, name+" is refused", func() bool { return asked(name) == 503 }) // its last processes end by themselves
		}
		testenv.Until(t, "it is not ready", func() bool { return ready(g.OpsURL) != nil })
		m.start(t)
	}
}

// A COMMIT that waits for a standby which is away is not cut short when its caller has been told that the
// outcome is unknown: nobody sees it, and a call that comes again is not acknowledged, until it is on the standby.
func TestCommitWaitsForItsStandby(t *testing.T) {
	testenv.Long(t, "waits for a commit that nobody confirms")
	t.Parallel()
	m := newMortal(t, pgserver.Options{})
	v := setup{database: m.url, fixed: true}.start(t)
	pool := testenv.Must(pgxpool.New(t.Context(), m.url))(t)
	defer pool.Close()
	standby := func(setting string) {
		t.Helper()
		for _, sql := range []string{"alter system " + setting, "select pg_reload_conf()"} {
			testenv.Must(pool.Exec(t.Context(), sql))(t)
		}
	}
	id := v.create(t, v.first(), nil).text("data.id")
	standby("set synchronous_standby_names = 'nobody'")
	testenv.Until(t, "a commit waits", func() bool { // until a commit waits
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := pool.Exec(ctx, "select pg_logical_emit_message(true, 'probe', '')")
		return err != nil
	})
	stands := func() (status string) {
		t.Helper()
		noError(t,
			pool.QueryRow(t.Context(), "select status from payment where id = $1::text::bigint", id).Scan(&status))
		return status
	}
	complete := func() answer { return v.callback(t, id, `{"status":"completed"}`) }
	if got := complete(); got.text("code") != "outcome_unknown" {
		t.Errorf("without a standby: %s", got)
	}
	time.Sleep(4 * time.Second)
	if status := stands(); status != "pending" {
		t.Errorf("it is seen as %s, which is on no standby", status)
	}
	complete().want(t, "again, without a standby", http.StatusServiceUnavailable)
	standby("reset synchronous_standby_names")
	testenv.Until(t, "the commit is acknowledged", func() bool {
		got := complete()
		return got.status == http.StatusOK
	})
	testenv.Want(t, stands(), "completed", "in the end")
}
