package acceptance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
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
	"gateway.example/internal/testenv"
)

// setup is how a gateway is started. What is not said is as most tests want it:
// a sandbox in a directory of its own, on ports that the system chooses.
type setup struct {
	dir string
	// database is an address. A sandbox without one has a PostgreSQL of its
	// own.
	database  string
	flags     []string
	variables map[string]string
	// live is a gateway in production, with the variables that one needs.
	live bool
	// fixed ports are the same at each start, and known before the first. A
	// live gateway has them always, because it writes no file that tells
	// them.
	fixed bool
	// program is what is started; "" is the program as it stands.
	program string
}

// instance is a gateway: how it is started, what its sandbox.json tells, its
// process, and what was made on it. It can be stopped or killed, and started
// again.
type instance struct {
	setup
	sandbox.Info
	*process
	pool           db.Pool
	stdout, stderr *text
	// settings is the newest version of the settings that the program is
	// known to have.
	settings atomic.Int64
	// forgiven says that a test has looked at how the process ended.
	forgiven bool

	// ids go into paths and bodies by name: "{payment}".
	ids map[string]string
	// answers and inbox are what a walk through the documents keeps, for
	// checks of their fields.
	answers map[string]answer
	inbox   *shop
	// fresh are names that stand for something new each time, and heard is
	// told what calls of lines are answered. busy says that others change
	// things meanwhile.
	fresh map[string]func() string
	heard func(row []string, got answer)
	busy  bool
}

// instance is a gateway that has not been started. Its directory must be there.
func (s setup) instance() *instance {
	g := &instance{setup: s, ids: map[string]string{}, answers: map[string]answer{}}
	api, pay, portal, ops := anyPort, anyPort, anyPort, anyPort
	if s.fixed || s.live {
		api, pay, portal, ops = freeAddr(), freeAddr(), freeAddr(), freeAddr()
		g.BaseURL, g.PayURL, g.PortalURL, g.OpsURL =
			"http://"+api, "http://"+pay, "http://"+portal, "http://"+ops
	}
	flags := []string{
		"serve", "-data-dir", s.dir, "-db-connections", "10",
		"-api-addr", api, "-pay-addr", pay, "-portal-addr", portal, "-ops-addr", ops,
	}
	switch {
	case s.live:
		variables := production()
		variables["DATABASE_URL"] = s.database
		maps.Copy(variables, s.variables)
		g.variables, g.DatabaseURL = variables, s.database
	case s.database != "":
		flags = append(flags, "-sandbox", "-database-url", s.database)
	}
	g.flags = append(flags, s.flags...)
	return g
}

// prepare is a gateway that has not been started, and is stopped when the test
// ends.
func (s setup) prepare(t *testing.T) *instance {
	t.Helper()
	if s.dir == "" {
		s.dir = openDir(t)
	}
	g := s.instance()
	t.Cleanup(func() {
		if g.process == nil || g.forgiven {
			return
		}
		err := g.stop()
		testenv.Check(t, err == nil, "%v", err)
	})
	return g
}

// start starts a gateway and waits until it is ready.
func (s setup) start(t *testing.T) *instance {
	t.Helper()
	g := s.prepare(t)
	g.start(t)
	return g
}

const anyPort = "127.0.0.1:0"

var givenAddrs sync.Map

// freeAddr is a loopback address nobody listens on, for programs that must be
// found again after a start. Its port is not one of those that systems hand
// out, so that no connection of another test takes it before the program does.
func freeAddr() string {
	for {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000)))
		if err != nil {
			continue
		}
		defer func() { _ = listener.Close() }()
		// The next one may be asked for before this one is listened on.
		if _, given := givenAddrs.LoadOrStore(listener.Addr().String(), true); !given {
			return listener.Addr().String()
		}
	}
}

// openDir is a directory that PostgreSQL may pass through when it runs as
// another user. It may take a moment longer to end than the program that
// started it.
func openDir(t *testing.T) string {
	t.Helper()
	dir := testenv.Must(os.MkdirTemp("", "gateway-of-test-"))(t)
	noError(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { _ = testenv.Eventually(func() error { return os.RemoveAll(dir) }) })
	return dir
}

// start starts the gateway and waits until it is ready.
func (g *instance) start(t testing.TB) {
	t.Helper()
	noError(t, g.tryStart())
}

// tryStart is start for gateways that may refuse to: it returns what they ended
// with.
func (g *instance) tryStart() error {
	g.stdout, g.stderr, g.forgiven = new(text), new(text), false
	cmd := gatewayCommand(context.Background(), g.variables, g.flags...)
	if g.program != "" {
		cmd.Path = g.program
	}
	cmd.Stdout, cmd.Stderr = g.stdout, io.MultiWriter(g.stderr, &logs)
	g.process = start(cmd, g.stderr)
	if err := g.awaitReady(); err != nil {
		g.forgiven = true
		return err
	}
	keep(g.Info)
	var err error
	g.pool, err = pgxpool.New(context.Background(), g.DatabaseURL)
	return err
}

// awaitReady waits until the program says that it is ready, or returns what it
// ended with.
func (g *instance) awaitReady() error {
	return testenv.Eventually(func() error {
		select {
		case <-g.ended:
			return testenv.Never(fmt.Errorf("it ended: %w\n%s", g.err, g.stderr))
		default:
		}
		if !g.live {
			info, err := sandbox.Read(g.dir)
			if err != nil {
				return err
			}
			g.Info = info
		}
		return ready(g.OpsURL)
	})
}

func ready(opsURL string) error {
	got, err := trySend(http.MethodGet, opsURL+"/readyz", "", nil)
	if err == nil && got.status != http.StatusOK {
		err = fmt.Errorf("readyz: %s", got)
	}
	return err
}

// ends waits for the end of a gateway that ends by itself, and returns what it
// ended with.
func (g *instance) ends() error {
	g.forgiven = true
	select {
	case <-g.ended:
		return g.err
	case <-time.After(testenv.Patience):
		g.kill()
		return errors.New("the gateway does not end")
	}
}

// stop ends the gateway by a signal and returns what it ended with. All that it
// has written has arrived then.
func (g *instance) stop() error {
	if g.pool != nil {
		g.pool.Close()
	}
	g.cancel()
	return g.ends()
}

// kill ends the gateway as SIGKILL does: it learns nothing of it.
func (g *instance) kill() {
	g.forgiven = true
	if g.pool != nil {
		g.pool.Close()
	}
	g.process.kill()
}

// poolOf connects to a database.
func poolOf(t *testing.T, url string) db.Pool {
	t.Helper()
	return testenv.Must(pgxpool.New(t.Context(), url))(t)
}

// count runs a query for one number.
func (g *instance) count(t *testing.T, query string, args ...any) int {
	t.Helper()
	var number int
	noError(t, g.pool.QueryRow(t.Context(), query, args...).Scan(&number))
	return number
}

// texts runs a query for lines of text.
func (g *instance) texts(t *testing.T, query string, args ...any) []string {
	t.Helper()
	rows := testenv.Must(g.pool.Query(t.Context(), query, args...))(t)
	return testenv.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
}

func (g *instance) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	testenv.Must(g.pool.Exec(t.Context(), sql, args...))(t)
	g.awaitSettings(t)
}

// awaitSettings waits until the program knows of every change of what it keeps
// in memory.
func (g *instance) awaitSettings(t *testing.T) {
	t.Helper()
	version := g.count(t, "select version from setting_version")
	if int(g.settings.Load()) >= version {
		return
	}
	noError(t, testenv.Eventually(func() error {
		known, err := g.metric("gateway_settings_version")
		if err != nil || int(known) < version {
			return fmt.Errorf("settings of version %v are known of %d: %w", known, version, err)
		}
		g.settings.Store(int64(known))
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

// wantAudit runs the audit command on the instance's database.
func (g *instance) wantAudit(t *testing.T) {
	t.Helper()
	out, errs, err := command(t, "", nil, "audit", "-database-url", g.DatabaseURL)
	testenv.Check(t, err == nil && strings.HasPrefix(out, "clean"), "audit: %v\n%s%s", err, out, errs)
}

// box is the cashbox whose key has the id; a legacy key's has nothing but the
// key.
func (g *instance) box(t testing.TB, keyID string) sandbox.Cashbox {
	t.Helper()
	boxes := slices.Clone(g.Cashboxes)
	for _, key := range g.LegacyKeys {
		boxes = append(boxes, sandbox.Cashbox{KeyID: key.KeyID, Secret: key.Secret})
	}
	at := slices.IndexFunc(boxes, func(box sandbox.Cashbox) bool { return box.KeyID == keyID })
	testenv.Need(t, at >= 0, "no cashbox %s", keyID)
	return boxes[at]
}

// first is the cashbox that has all a test of RUB payments needs.
func (g *instance) first() sandbox.Cashbox { return g.Cashboxes[0] }

func (g *instance) user(t testing.TB, login string) sandbox.User {
	t.Helper()
	at := slices.IndexFunc(g.Users, func(u sandbox.User) bool { return u.Login == login })
	testenv.Need(t, at >= 0, "no user %s", login)
	return g.Users[at]
}

// shared is the sandbox most tests use together, started by the first that
// asks. It manages its own PostgreSQL, on which other tests make databases of
// theirs.
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
		var s setup
		if s.dir, shared.err = os.MkdirTemp("", "gateway-e2e-"); shared.err != nil {
			return
		}
		// PostgreSQL may run as another user, who has to pass through.
		if shared.err = os.Chmod(s.dir, 0o711); shared.err != nil {
			return
		}
		if dbtest.OnCitus() {
			s.database, shared.drop, shared.err = dbtest.Distributed(context.Background())
			if shared.err != nil {
				return
			}
		}
		shared.instance = s.instance()
		shared.err = shared.tryStart()
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

// seeded is the database of a sandbox that has been started once, of which
// others are copies.
var seeded struct {
	sync.Mutex
	url string
}

// fresh is a sandbox that a test has to itself. It has the shared one's key, so
// that its database can be a copy of one that was seeded before.
func fresh(t *testing.T, flags ...string) setup {
	t.Helper()
	return setup{dir: copyKey(t, sharedSandbox(t).dir), database: seededDatabase(t), flags: flags}
}

func freshSandbox(t *testing.T, flags ...string) *instance {
	t.Helper()
	return fresh(t, flags...).start(t)
}

// restartable is a fresh sandbox that keeps its ports when it is started again.
func restartable(t *testing.T, flags ...string) *instance {
	t.Helper()
	s := fresh(t, flags...)
	s.fixed = true
	return s.start(t)
}

// seededDatabase is a database as a sandbox's first start leaves it, if the
// sandbox has the shared one's key.
func seededDatabase(t *testing.T) string {
	t.Helper()
	if dbtest.OnCitus() {
		return dbtest.URL(t)
	}
	seeded.Lock()
	defer seeded.Unlock()
	if seeded.url == "" {
		address := dbtest.Kept(t)
		first := setup{dir: copyKey(t, sharedSandbox(t).dir), database: address}.start(t)
		noError(t, first.stop())
		seeded.url = address
	}
	return dbtest.Copy(t, seeded.url)
}

// altered changes what a program reads of a database when it starts.
func altered(t *testing.T, address, sql string) string {
	t.Helper()
	conn := testenv.Must(pgx.Connect(t.Context(), address))(t)
	testenv.Must(conn.Exec(t.Context(), sql))(t)
	noError(t, conn.Close(t.Context()))
	return address
}

// copyKey makes a data directory with the same sandbox key, as a replica's.
func copyKey(t *testing.T, from string) string {
	t.Helper()
	dir := t.TempDir()
	key := testenv.Must(os.ReadFile(filepath.Join(from, "sandbox.key")))(t)
	noError(t, os.WriteFile(filepath.Join(dir, "sandbox.key"), key, 0o600))
	return dir
}
