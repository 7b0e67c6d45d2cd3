package acceptance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/sandbox"
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
	return code, errors.Join(endShared(), leaks(), races(), undescribed())
}

// patience bounds every wait: the machine may be busy with other packages' tests, and a webhook
// whose first tries failed comes again after a minute.
const patience = 150 * time.Second

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
	noError(t, waitFor(patience, func() error {
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
	"-api-addr",
	"127.0.0.1:0",
	"-pay-addr",
	"127.0.0.1:0",
	"-portal-addr",
	"127.0.0.1:0",
	"-ops-addr",
	"127.0.0.1:0",
}

// awaitSandbox waits until the instance's file is there and it says that it is ready.
func (g *instance) awaitSandbox() error {
	return waitFor(patience, func() error {
		select {
		case <-g.ended:
			return fatal{fmt.Errorf("it ended: %w\n%s", g.err, g.stderr)}
		default:
		}
		var err error
		if g.Info, err = sandbox.Read(g.dir); err != nil {
			return err
		}
		return ready(g.OpsURL)
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

// fatal ends a wait at once.
type fatal struct{ error }

// waitFor tries until it succeeds, and returns the last error when the time is over.
func waitFor(limit time.Duration, try func() error) error {
	for deadline := time.Now().Add(limit); ; time.Sleep(25 * time.Millisecond) {
		err := try()
		if err == nil || errors.As(err, new(fatal)) || time.Now().After(deadline) {
			return err
		}
	}
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
	case <-time.After(patience):
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

var databases atomic.Int64

// template is the migrated database that others are copies of.
var template struct {
	sync.Mutex // PostgreSQL refuses to make a copy while another is made, now and then
	migrated   bool
}

// newDatabase makes a migrated database on the shared sandbox's PostgreSQL and returns its URL. Where the tests are made
// on Citus, it is a distributed one.
func newDatabase(t *testing.T) string {
	t.Helper()
	if dbtest.OnCitus() {
		address, drop, err := dbtest.Distributed(t.Context())
		noError(t, err)
		t.Cleanup(func() { noError(t, drop()) })
		return address
	}
	sharedSandbox(t)
	template.Lock()
	defer template.Unlock()
	if !template.migrated {
		noError(t, db.Migrate(t.Context(), createDatabase(t, "migrated", "template0")))
		template.migrated = true
	}
	return createDatabase(t, fmt.Sprintf("other_%d", databases.Add(1)), "migrated")
}

// hurriedDatabase is a new database whose users may call faster than people do. A program reads that when it starts.
func hurriedDatabase(t *testing.T) string {
	t.Helper()
	address := newDatabase(t)
	conn, err := pgx.Connect(t.Context(), address)
	noError(t, err)
	_, err = conn.Exec(t.Context(), "update rate_limit set calls = calls * 100 where name = 'user'")
	noError(t, err)
	noError(t, conn.Close(t.Context()))
	return address
}

// emptyDatabase makes a database without a schema, and returns its URL.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	return createDatabase(t, fmt.Sprintf("other_%d", databases.Add(1)), "template0")
}

func createDatabase(t *testing.T, name, copied string) string {
	t.Helper()
	g := sharedSandbox(t)
	_, err := g.pool.Exec(t.Context(), "create database "+name+" template "+copied)
	noError(t, err)
	address, err := url.Parse(g.DatabaseURL)
	noError(t, err)
	address.Path = "/" + name
	return address.String()
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
	noError(t, waitFor(patience, func() error {
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
	key, err := os.ReadFile(filepath.Join(from, "sandbox.key"))
	noError(t, err)
	noError(t, os.WriteFile(filepath.Join(dir, "sandbox.key"), key, 0o600))
	return dir
}
