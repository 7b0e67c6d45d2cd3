package acceptance

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gateway.example/internal/testenv"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// cluster is three PostgreSQL under Patroni, as deploy/patroni/up starts them.
type cluster struct {
	dir  string
	port int
}

func newCluster(t *testing.T) *cluster {
	dir := testenv.Must(os.MkdirTemp("", "gateway-patroni-"))(t)
	noError(t, os.Chmod(dir, 0o755))
	c := &cluster{dir: dir, port: 24100}
	t.Cleanup(c.end)
	out, err := exec.Command("../../deploy/patroni/up", dir, strconv.Itoa(c.port)).CombinedOutput()
	testenv.Need(t, err == nil, "%v\n%s", err, out)
	c.await(t)
	return c
}

func (c *cluster) portOf(server int) int { return c.port + 10*server }

// url leads to whichever server is the primary.
func (c *cluster) url() string {
	var hosts []string
	for server := range 3 {
		hosts = append(hosts, fmt.Sprintf("127.0.0.1:%d", c.portOf(server+1)))
	}
	return "postgres://postgres@" + strings.Join(hosts, ",") +
		"/postgres?sslmode=disable&connect_timeout=1&target_session_attrs=read-write"
}

// ask runs a query for a text on one server.
func (c *cluster) ask(t *testing.T, server int, query string) string {
	address := url.URL{
		Scheme: "postgres", User: url.User("postgres"), Host: fmt.Sprintf("127.0.0.1:%d", c.portOf(server)),
		Path: "/postgres", RawQuery: "sslmode=disable&connect_timeout=1",
	}
	conn, err := pgx.Connect(t.Context(), address.String())
	if err != nil {
		return ""
	}
	defer func() { _ = conn.Close(t.Context()) }()
	var answer string
	_ = conn.QueryRow(t.Context(), query).Scan(&answer)
	return answer
}

// primary is the server that takes writes, but for one; 0 where none does.
func (c *cluster) primary(t *testing.T, but int) int {
	for server := 1; server <= 3; server++ {
		if server != but && c.ask(t, server, "select pg_is_in_recovery()::text") == "false" {
			return server
		}
	}
	return 0
}

// await waits until there are a primary and two standbys, both of which have
// all that is acknowledged. A Patroni that begins while etcd is slow ends with
// an error: it is started again, as a supervisor does.
func (c *cluster) await(t *testing.T) {
	t.Helper()
	const standbys = "select count(*)::text || ' ' || count(*) filter (where sync_state = 'sync')::text from pg_stat_replication"
	err := testenv.Eventually(func() error {
		for server := 1; server <= 3; server++ {
			if !c.runs(server) {
				c.again(t, server)
			}
		}
		server := c.primary(t, 0)
		if server == 0 {
			return errors.New("there is no primary")
		}
		if have := c.ask(t, server, standbys); have != "2 2" {
			return fmt.Errorf("standbys: %s", have)
		}
		return nil
	})
	if err != nil {
		c.logTails(t)
		t.Fatal(err)
	}
}

// logTails logs the ends of the servers' logs, which are removed with the
// cluster.
func (c *cluster) logTails(t *testing.T) {
	t.Helper()
	for server := 1; server <= 3; server++ {
		name := fmt.Sprintf("server%d.log", server)
		tail, _ := exec.Command("tail", "-n", "60", filepath.Join(c.dir, name)).Output()
		t.Logf("%s ends with:\n%s", name, tail)
	}
}

func (c *cluster) pid(name string) int {
	content, _ := os.ReadFile(filepath.Join(c.dir, name))
	first, _, _ := strings.Cut(string(content), "\n")
	pid, _ := strconv.Atoi(first)
	return pid
}

// signal sends a signal to a server, its Patroni first, and all their
// processes.
func (c *cluster) signal(server int, sig syscall.Signal) {
	_ = syscall.Kill(c.pid(fmt.Sprintf("server%d.pid", server)), sig)
	postmaster := c.pid(fmt.Sprintf("data%d/postmaster.pid", server))
	if postmaster == 0 {
		return
	}
	children, _ := exec.Command("pgrep", "-P", strconv.Itoa(postmaster)).Output()
	_ = syscall.Kill(postmaster, sig)
	for child := range strings.FieldsSeq(string(children)) {
		if pid, err := strconv.Atoi(child); err == nil {
			_ = syscall.Kill(pid, sig)
		}
	}
}

// runs reports whether a server's Patroni has not ended. One that has, and that
// nobody waits for, has no program any more.
func (c *cluster) runs(server int) bool {
	_, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", c.pid(fmt.Sprintf("server%d.pid", server))))
	return err == nil
}

// again starts the Patroni of a server, which has ended.
func (c *cluster) again(t *testing.T, server int) {
	t.Helper()
	command := fmt.Sprintf("cd %s; setsid patroni server%d.yaml >>server%d.log 2>&1 & echo $! >server%d.pid", c.dir,
		server, server, server)
	as := []string{"bash", "-c", command}
	if os.Getuid() == 0 {
		as = append([]string{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"}, as...)
	}
	noError(t, exec.Command(as[0], as[1:]...).Run())
}

// comesBack has a server come back that stood still or was cut off. A Patroni
// up to 3.0.2 may take its lock back from the new primary, and what was
// acknowledged meanwhile is gone then: its machine is reset before, as a
// watchdog does.
func (c *cluster) comesBack(t *testing.T, server int, heal func()) {
	t.Helper()
	version := testenv.Must(exec.Command("patroni", "--version").Output())(t)
	var major, minor, patch int
	testenv.Must(fmt.Sscanf(string(version), "patroni %d.%d.%d", &major, &minor, &patch))(t)
	if slices.Compare([]int{major, minor, patch}, []int{3, 0, 3}) < 0 {
		c.signal(server, syscall.SIGKILL)
		defer c.again(t, server)
	}
	heal()
}

// cutOff drops what is sent to a server, and what it sends to etcd; undone by
// join.
func (c *cluster) cutOff(t *testing.T, server int) (join func()) {
	rules := func(action string) error {
		var errs []error
		for offset := range 3 {
			errs = append(errs, exec.Command("iptables", "-w", action, "INPUT", "-i", "lo", "-p", "tcp",
				"--dport", strconv.Itoa(c.portOf(server)+offset), "-j", "DROP").Run())
		}
		return errors.Join(errs...)
	}
	noError(t, rules("-I"))
	t.Cleanup(func() { _ = rules("-D") })
	return func() { noError(t, rules("-D")) }
}

func (c *cluster) end() {
	for server := 1; server <= 3; server++ {
		c.signal(server, syscall.SIGCONT)
		c.signal(server, syscall.SIGKILL)
	}
	_ = syscall.Kill(c.pid("etcd.pid"), syscall.SIGKILL)
	_ = testenv.Eventually(func() error { return os.RemoveAll(c.dir) })
}

// failoverTakes is within what time after its primary is gone every client is
// answered again.
const failoverTakes = 15 * time.Second

// The primary dies, stops without dying, and is cut off, each time under load.
// A standby that has all that was acknowledged takes its place, both gateways
// find it by themselves in time, and nothing is lost.
func TestFailover(t *testing.T) {
	if os.Getenv("GATEWAY_TEST_FAILOVER") == "" {
		t.Skip("needs Patroni and etcd, and takes minutes: GATEWAY_TEST_FAILOVER=required has it run")
	}
	c := newCluster(t)
	s := &stage{mortal: &mortal{url: c.url()}, within: failoverTakes}
	s.pool = testenv.Must(pgxpool.New(t.Context(), s.url))(t)
	t.Cleanup(s.pool.Close)
	s.loadReplicas(t, s.url)
	s.load.next(newRound())
	s.load.start(t)
	// until waits until another server is the primary.
	until := func(t *testing.T, old int) {
		testenv.Until(t, "a standby is promoted", func() bool { return c.primary(t, old) != 0 })
	}
	for _, fault := range []struct {
		name string
		do   func(t *testing.T, primary int) (heal func())
	}{
		{"the primary is killed with its machine (`kill -9`)", func(_ *testing.T, primary int) func() {
			c.signal(primary, syscall.SIGKILL)
			return func() { c.again(t, primary) }
		}},
		{"the primary stands still (`SIGSTOP`)", func(t *testing.T, primary int) func() {
			c.signal(primary, syscall.SIGSTOP)
			return func() { c.comesBack(t, primary, func() { c.signal(primary, syscall.SIGCONT) }) }
		}},
		{"the primary is cut off from etcd, clients and standbys", func(t *testing.T, primary int) func() {
			join := c.cutOff(t, primary)
			return func() { c.comesBack(t, primary, join) }
		}},
	} {
		primary := c.primary(t, 0)
		var heal func()
		var waited time.Duration
		s.suffer(t, fault.name, func(t *testing.T) {
			time.Sleep(2 * time.Second)
			began := time.Now()
			heal = fault.do(t, primary)
			until(t, primary)
			waited = time.Since(began)
		})
		took := waited + s.lines[len(s.lines)-1].back
		t.Logf("all clients were answered again %s after the fault", took)
		testenv.Check(t, took <= failoverTakes, "%s: all clients were answered again after %s", fault.name, took)
		heal()
		c.await(t)
	}
	s.load.stop()
	for _, l := range s.lines { // no later failover has taken back what one before had kept
		s.kept(t, l.promises)
	}
	s.awaitEvents(t)
}
