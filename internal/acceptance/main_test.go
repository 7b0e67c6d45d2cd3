package acceptance

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
)

func TestMain(m *testing.M) {
	code, err := runAll(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		code = 1
	}
	os.Exit(code)
}

// runAll builds the program, runs the tests, and searches at the end what was logged and answered.
func runAll(m *testing.M) (code int, err error) {
	testenv.InMemory()
	together := parallel
	if raceDetector {
		together = parallel / 2 // the gateways need several times as much of the processor then
	}
	if err := flag.Set("test.parallel", strconv.Itoa(together)); err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "gateway-program-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := build(dir); err != nil {
		return 0, err
	}
	code = m.Run()
	browsertest.End()
	err = errors.Join(endShared(), leaks(), races(), undescribed())
	dbtest.End()
	return code, err
}

// parallel is how many tests run at the same time. Most of them wait most of the time: for the sandbox's acquirer, which
// thinks for a second, for a webhook, for a sweep.
const parallel = 6

// text is an output that several goroutines write and read.
type text struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (w *text) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(p)
}

func (w *text) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// await waits until all of these words have been written: what a process writes arrives a moment
// later.
func (w *text) await(t *testing.T, words ...string) {
	t.Helper()
	noError(t, testenv.Eventually(func() error {
		written := w.String()
		for _, word := range words {
			if !strings.Contains(written, word) {
				return fmt.Errorf("%q was not written", word)
			}
		}
		return nil
	}))
}

// logs is what every gateway that was launched wrote to its standard error.
var logs text

// instance is a running gateway and what its sandbox.json tells.
type instance struct {
	sandbox.Info
	*process
	dir            string
	stdout, stderr *text
	pool           *pgxpool.Pool
}

// launch starts a gateway and does not wait until it is ready.
func launch(dir string, variables map[string]string, args ...string) *instance {
	g := &instance{dir: dir, stdout: new(text), stderr: new(text)}
	args = append([]string{"serve", "-data-dir", dir, "-db-connections", connections()}, args...)
	cmd := gatewayCommand(context.Background(), variables, args...)
	cmd.Stdout, cmd.Stderr = g.stdout, io.MultiWriter(g.stderr, &logs)
	g.process = start(cmd, g.stderr)
	return g
}

// connections is the size of every gateway's pool: the suite must also pass with one.
func connections() string {
	if size := os.Getenv("GATEWAY_TEST_POOL"); size != "" {
		return size
	}
	return "10"
}

// anyPort has the system choose all four ports.
var anyPort = []string{
	"-api-addr", "127.0.0.1:0", "-pay-addr", "127.0.0.1:0", "-portal-addr", "127.0.0.1:0", "-ops-addr", "127.0.0.1:0",
}

// awaitSandbox waits until the instance's file is there and it says that it is ready.
func (g *instance) awaitSandbox() error {
	return testenv.Eventually(func() error {
		select {
		case <-g.ended:
			return testenv.Never(fmt.Errorf("it ended: %w\n%s", g.err, g.stderr))
		default:
		}
		var err error
		if g.Info, err = sandbox.Read(g.dir); err != nil {
			return err
		}
		return ready(g.OpsURL)
	})
}

// awaitReady waits until the program says that it is ready, or returns what it ended with.
func (p *process) awaitReady(opsURL string) error {
	return testenv.Eventually(func() error {
		select {
		case <-p.ended:
			return testenv.Never(fmt.Errorf("it ended: %w", p.err))
		default:
			return ready(opsURL)
		}
	})
}

func ready(opsURL string) error {
	response, err := http.Get(opsURL + "/readyz")
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("readyz: %d", response.StatusCode)
	}
	return nil
}

// stop ends the gateway by a signal and returns what it ended with. All that it has written has
// arrived then.
func (g *instance) stop() error {
	if g.pool != nil {
		g.pool.Close()
	}
	g.cancel()
	select {
	case <-g.ended:
		return g.err
	case <-time.After(testenv.Patience):
		g.kill()
		return errors.New("the gateway does not stop")
	}
}

// shared is the sandbox most tests use together, started by the first that asks. It manages its own
// PostgreSQL, on which other tests make databases of theirs.
var shared struct {
	once sync.Once
	*instance
	// drop drops its database where that is one of a Citus cluster.
	drop func() error
	err  error
}

func sharedSandbox(t *testing.T) *instance {
	t.Helper()
	shared.once.Do(func() {
		dir, err := os.MkdirTemp("", "gateway-e2e-")
		if err == nil {
			// PostgreSQL may run as another user, who has to pass through.
			err = os.Chmod(dir, 0o711)
		}
		if shared.err = err; err != nil {
			return
		}
		flags := anyPort
		if dbtest.OnCitus() {
			var address string
			if address, shared.drop, shared.err = dbtest.Distributed(context.Background()); shared.err != nil {
				return
			}
			flags = slices.Concat([]string{"-sandbox", "-database-url", address}, flags)
		}
		shared.instance = launch(dir, nil, flags...)
		if shared.err = shared.awaitSandbox(); shared.err == nil {
			shared.pool, shared.err = pgxpool.New(context.Background(), shared.DatabaseURL)
			keep(shared.Info)
		}
	})
	noError(t, shared.err)
	return shared.instance
}

func endShared() error {
	if shared.instance == nil {
		return nil
	}
	defer func() { _ = os.RemoveAll(shared.dir) }()
	err := shared.stop()
	if shared.drop != nil {
		err = errors.Join(err, shared.drop())
	}
	return err
}

// seeded is the database of a sandbox that has been started once, of which others are copies.
var seeded struct {
	sync.Mutex
	url string
}

// freshSandbox starts a sandbox that a test has to itself. It has the shared one's key, so that its database can be a
// copy of one that was seeded before.
func freshSandbox(t *testing.T, flags ...string) *instance {
	t.Helper()
	return newSandbox(t, copyKey(t, sharedSandbox(t).dir), sandboxDatabase(t), flags...)
}

// sandboxDatabase is a database as a sandbox's first start leaves it, if the sandbox has the shared one's key.
func sandboxDatabase(t *testing.T) string {
	t.Helper()
	if dbtest.OnCitus() {
		return dbtest.URL(t)
	}
	seeded.Lock()
	defer seeded.Unlock()
	if seeded.url == "" {
		address := dbtest.Kept(t)
		g := launch(copyKey(t, sharedSandbox(t).dir), nil,
			slices.Concat([]string{"-sandbox", "-database-url", address}, anyPort)...)
		noError(t, g.awaitSandbox())
		keep(g.Info)
		noError(t, g.stop())
		seeded.url = address
	}
	return dbtest.Copy(t, seeded.url)
}

// hurried has a database's users call faster than people do. A program reads that when it starts.
func hurried(t *testing.T, address string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	noError(t, err)
	_, err = conn.Exec(t.Context(), "update rate_limit set calls = calls * 100 where name = 'user'")
	noError(t, err)
	noError(t, conn.Close(t.Context()))
	return address
}

// newSandbox starts a sandbox on a database, for a test that must have one to itself.
func newSandbox(t *testing.T, dir, databaseURL string, more ...string) *instance {
	t.Helper()
	g := launch(dir, nil, slices.Concat([]string{"-sandbox", "-database-url", databaseURL}, anyPort, more)...)
	t.Cleanup(func() {
		if err := g.stop(); err != nil {
			t.Error(err)
		}
	})
	noError(t, g.awaitSandbox())
	keep(g.Info)
	var err error
	g.pool, err = pgxpool.New(t.Context(), databaseURL)
	noError(t, err)
	return g
}

// command runs one of the program's commands to its end.
func command(
	t *testing.T,
	stdin string,
	variables map[string]string,
	args ...string,
) (stdout, stderr string, err error) {
	t.Helper()
	return run(t.Context(), stdin, variables, args...)
}

// count runs a query for one number.
func (g *instance) count(t *testing.T, query string, args ...any) int {
	t.Helper()
	var number int
	noError(t, g.pool.QueryRow(t.Context(), query, args...).Scan(&number))
	return number
}

func (g *instance) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := g.pool.Exec(t.Context(), sql, args...)
	noError(t, err)
	g.awaitSettings(t)
}

// awaitSettings waits until the program knows of every change of what it keeps in memory.
func (g *instance) awaitSettings(t *testing.T) {
	t.Helper()
	version := g.count(t, "select version from setting_version")
	noError(t, testenv.Eventually(func() error {
		if known, err := g.metric("gateway_settings_version"); err != nil || int(known) < version {
			return fmt.Errorf("settings of version %v are known of %d: %w", known, version, err)
		}
		return nil
	}))
}

// metric reads one of the program's metrics.
func (g *instance) metric(name string) (float64, error) {
	scraped, err := trySend("GET", g.OpsURL+"/metrics", "", nil)
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(scraped.raw, "\n"+name+" ")
	if !found {
		return 0, fmt.Errorf("no metric %s", name)
	}
	value, _, _ := strings.Cut(rest, "\n")
	return strconv.ParseFloat(value, 64)
}

// texts runs a query for lines of text.
func (g *instance) texts(t *testing.T, query string, args ...any) []string {
	t.Helper()
	rows, err := g.pool.Query(t.Context(), query, args...)
	noError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	noError(t, err)
	return lines
}

// freeAddr is a loopback address nobody listens on, for programs that must be found again after a
// start. Its port is not one of those that systems hand out, so that no connection of another test
// takes it before the program does.
func freeAddr(t *testing.T) string {
	t.Helper()
	for {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000)))
		if err != nil {
			continue
		}
		defer func() { _ = listener.Close() }()
		return listener.Addr().String()
	}
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// secrets are what no log may hold.
var secrets struct {
	sync.Mutex
	all []string
}

// keep remembers every secret of a sandbox's file.
func keep(info sandbox.Info) {
	found := []string{info.ExternalPaymentsSecret}
	for _, box := range info.Cashboxes {
		found = append(found, box.Secret, box.WebhookSecret, strings.TrimPrefix(box.WebhookSecret, "whsec_"))
	}
	for _, key := range info.LegacyKeys {
		found = append(found, key.Secret)
	}
	for _, user := range info.Users {
		found = append(found, user.Password, user.Token)
	}
	keepSecret(found...)
}

func keepSecret(found ...string) {
	secrets.Lock()
	defer secrets.Unlock()
	secrets.all = append(secrets.all, found...)
}

// leaks searches all that was logged for every secret the tests came by: keys, tokens, passwords,
// links.
func leaks() error {
	logged := logs.String()
	secrets.Lock()
	defer secrets.Unlock()
	var found []error
	for _, secret := range secrets.all {
		if at := strings.Index(logged, secret); secret != "" && at >= 0 {
			found = append(found, fmt.Errorf("a secret was logged: …%s…", logged[max(0, at-200):at+10]))
		}
	}
	return errors.Join(found...)
}

// races finds what the race detector saw in gateways whose end nobody looked at: their exit status
// would tell.
func races() error {
	logged := logs.String()
	if at := strings.Index(logged, "WARNING: DATA RACE"); at >= 0 {
		return fmt.Errorf("a data race in a gateway:\n%s", logged[at:min(len(logged), at+10_000)])
	}
	return nil
}

// copyKey makes a data directory with the same sandbox key, as a replica's.
func copyKey(t *testing.T, from string) string {
	t.Helper()
	dir := t.TempDir()
	giveKey(t, from, dir)
	return dir
}

// giveKey gives a data directory the sandbox key of another.
func giveKey(t *testing.T, from, to string) {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(from, "sandbox.key"))
	noError(t, err)
	noError(t, os.WriteFile(filepath.Join(to, "sandbox.key"), key, 0o600))
}
