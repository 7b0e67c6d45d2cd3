package acceptance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/pgserver"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// mortal is a PostgreSQL that a test may kill while a gateway that was given it goes on.
type mortal struct {
	*pgserver.Server
	options pgserver.Options
	dir     string
	url     string
}

func newMortal(t *testing.T) *mortal {
	t.Helper()
	return newMortalWith(t, pgserver.Options{Ephemeral: true})
}

// newMortalWith is newMortal with a server of one's own choice.
func newMortalWith(t *testing.T, options pgserver.Options) *mortal {
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
	var err error
	m.Server, err = pgserver.Start(t.Context(), m.options)
	noError(t, err)
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

// tally counts what callers were answered, and keeps what they must never be.
type tally struct {
	mu      sync.Mutex
	answers map[string]int
	wrong   []string
}

func (c *tally) add(kind string, status int, retry, detail string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers[fmt.Sprintf("%s %d", kind, status)]++
	known := strings.Contains(detail, "outcome_unknown")
	if status != 200 && (status != 503 || retry != "1" && !known) {
		c.wrong = append(c.wrong, fmt.Sprintf("%s: %d, Retry-After %q: %s", kind, status, retry, detail))
	}
}

func (c *tally) count(answer string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answers[answer]
}

// callers call a gateway in every way there is until ctx ends.
func callers(ctx context.Context, t *testing.T, g *instance, c *tally) *sync.WaitGroup {
	t.Helper()
	created := g.create(t, g.first(), nil)
	page, id := created.text("data.paymentPageUrl"), created.text("data.uuid")
	keepSecret(page[strings.LastIndex(page, "/")+1:])
	calls := map[string]func() (status int, retry, detail string, err error){
		"REST": func() (int, string, string, error) {
			body := order(nil)
			got, err := trySend(http.MethodPost, g.BaseURL+payments, body, signed(g.first(), body))
			return got.status, got.header.Get("Retry-After"), got.raw, err
		},
		"read": func() (int, string, string, error) {
			got, err := trySend(http.MethodGet, g.BaseURL+payments+"/"+id, "", signed(g.first(), ""))
			return got.status, got.header.Get("Retry-After"), got.raw, err
		},
		"Connect": func() (int, string, string, error) {
			_, err := g.merchantClient(g.first()).
				GetPayment(ctx, connect.NewRequest(&gatewayv1.GetPaymentRequest{PaymentId: id}))
			failed := new(connect.Error)
			switch {
			case err == nil:
				return 200, "", "", nil
			case !errors.As(err, &failed):
				return 0, "", "", err
			case failed.Code() == connect.CodeUnavailable:
				return 503, failed.Meta().Get("Retry-After"), failed.Error(), nil
			}
			return 500, "", failed.Error(), nil
		},
		"page": func() (int, string, string, error) {
			response, err := client.Get(page)
			if err != nil {
				return 0, "", "", err
			}
			defer func() { _ = response.Body.Close() }()
			text, err := io.ReadAll(response.Body)
			if response.StatusCode == 503 && !strings.Contains(string(text), "Something went wrong") {
				return 500, "", "a 503 without words: " + string(text), err
			}
			return response.StatusCode, response.Header.Get("Retry-After"), "", err
		},
	}
	var running sync.WaitGroup
	for kind, call := range calls {
		for range 4 {
			running.Go(func() {
				for ctx.Err() == nil {
					status, retry, detail, err := call()
					if ctx.Err() != nil {
						return
					}
					if err != nil {
						status, detail = 0, err.Error()
					}
					c.add(kind, status, retry, detail)
					time.Sleep(20 * time.Millisecond)
				}
			})
		}
	}
	return &running
}

// A PostgreSQL that is killed under load is a matter of coming back for every caller, whatever they
// were about: no answer is one of the gateway's own faults. Once it is there again, so is the
// gateway.
func TestDatabaseIsKilled(t *testing.T) {
	testenv.Long(t, "kills a database under load")
	t.Parallel()
	m := newMortal(t)
	g := setup{database: m.url}.start(t)
	ctx, cancel := context.WithCancel(t.Context())
	c := &tally{answers: map[string]int{}}
	running := callers(ctx, t, g, c)
	await := func(status int, more int) {
		t.Helper()
		for _, kind := range []string{"REST", "read", "Connect", "page"} {
			answer := fmt.Sprintf("%s %d", kind, status)
			want := c.count(answer) + more
			enough := func() bool { return c.count(answer) >= want }
			testenv.Until(t, fmt.Sprintf("%d are answered %s", want, answer), enough)
		}
	}
	for range 2 {
		await(200, 10)
		m.kill(t)
		await(503, 10)
		if err := ready(g.OpsURL); err == nil {
			t.Error("ready without a database")
		}
		m.start(t)
		await(200, 10)
		pool, err := pgxpool.New(ctx, m.url)
		noError(t, err)
		// What an administrator ends under load is in flight or idle, and nobody's fault either.
		for range 5 {
			_, err = pool.Exec(ctx,
				"select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gateway'")
			noError(t, err)
			await(200, 2)
		}
		pool.Close()
	}
	cancel()
	running.Wait()
	for _, wrong := range c.wrong[:min(len(c.wrong), 20)] {
		t.Error(wrong)
	}
	t.Log(c.answers)
}
