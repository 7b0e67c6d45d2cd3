package db_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/edge"
	"gateway.example/internal/testenv"
)

// silence has server processes stand still until the test ends.
func silence(t *testing.T, pids []uint32) {
	t.Helper()
	for _, pid := range pids {
		testenv.NoError(t, syscall.Kill(int(pid), syscall.SIGSTOP))
		t.Cleanup(func() { _ = syscall.Kill(int(pid), syscall.SIGCONT) })
	}
}

// among opens a pool of a group.
func among(t *testing.T, group *db.Group, d *dbtest.DB, conns int, kind db.Kind) db.Pool {
	t.Helper()
	pool := testenv.Must(group.Open(t.Context(), d.URL, conns, kind))(t)
	t.Cleanup(pool.Close)
	return pool
}

// Connections that are open and silent, as when the other machine has vanished,
// are found when one is asked after its idle time, and all pools of the process
// get new ones.
func TestSilentConnectionsAreReplaced(t *testing.T) {
	d := setup(t)
	var group db.Group
	asked, other := among(t, &group, d, 2, db.ForReads), among(t, &group, d, 1, db.ForReads)
	// Work in the background may take minutes, and is under way when its
	// connection goes silent.
	work := among(t, &group, d, 1, db.ForWork)
	worked := make(chan error, 1)
	stopped := fill(t, work)
	silence(t, append(stopped, append(fill(t, asked), fill(t, other)...)...))
	go func() {
		_, err := work.Exec(t.Context(), "select 1")
		worked <- err
	}()
	time.Sleep(1100 * time.Millisecond)
	testenv.Want(t, db.Driver(other).Stat().IdleConns(), 1, "connections of the other pool, silent")
	_, err := asked.Exec(t.Context(), "select 1")
	testenv.Check(t, err == nil, "the pool that asked: %v", err)
	// It has no time to lose on its own silent connection.
	testenv.Want(t, db.Driver(other).Stat().IdleConns(), 0, "connections of the other pool, kept")
	_, err = other.Exec(t.Context(), "select 1")
	testenv.Check(t, err == nil, "the other pool: %v", err)
	select {
	case err := <-worked:
		testenv.Want(t, edge.Fault(err), db.ErrUnavailable, "the work: %v", err)
	case <-time.After(testenv.Patience):
		t.Error("the work still waits")
	}
}

// Where every connection is waiting for an answer, none is asked after its idle
// time. The one that is asked every second tells of the silence then.
func TestSilenceIsNoticedWhileAllWait(t *testing.T) {
	d := setup(t)
	var group db.Group
	beat := among(t, &group, d, 1, db.ForReads)
	testenv.NoError(t, group.Beat(t.Context(), beat))
	// A statement itself has ten minutes there.
	work := among(t, &group, d, 1, db.ForWork)
	silence(t, append(fill(t, beat), fill(t, work)...))
	worked := make(chan error, 1)
	go func() {
		_, err := work.Exec(t.Context(), "select 1")
		worked <- err
	}()
	testenv.Check(t, group.Beat(t.Context(), beat) != nil, "a silent connection was taken for a good one")
	select {
	case err := <-worked:
		testenv.Want(t, edge.Fault(err), db.ErrUnavailable, "the work: %v", err)
	case <-time.After(testenv.Patience):
		t.Fatal("the work still waits")
	}
	testenv.Must(work.Exec(t.Context(), "select 1"))(t)
	testenv.NoError(t, group.Beat(t.Context(), beat))
}

// A server that stands still takes connections, or does not even do that.
// Nobody waits long there for a cancellation to arrive: the pool has one
// connection less meanwhile, and some have only one.
func TestSilentServerIsNotAwaited(t *testing.T) {
	pool := testenv.Must(db.Open(t.Context(), setup(t).URL, 1, db.ForReads))(t)
	t.Cleanup(pool.Close)
	conn := testenv.Must(db.Driver(pool).Acquire(t.Context()))(t)
	t.Cleanup(conn.Release)
	// The driver cancels a statement by another connection that it makes
	// like the first.
	dial := conn.Conn().Config().DialFunc
	still := standStill(t)
	taken := testenv.Must(dial(t.Context(), "tcp", still))(t)
	t.Cleanup(func() { _ = taken.Close() })
	ended := make(chan error, 1)
	go func() {
		_, err := taken.Read(make([]byte, 1))
		ended <- err
	}()
	select {
	case err := <-ended:
		testenv.Check(t, errors.Is(err, os.ErrDeadlineExceeded), "a cancellation that was taken: %v", err)
	case <-time.After(testenv.Patience):
		t.Error("a cancellation that was taken is still waited for")
	}
	_, err := dial(t.Context(), "tcp", still)
	testenv.Check(t, errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded), "a cancellation that is not taken: %v", err)
}

// standStill listens, has the kernel take one connection, and takes none
// itself.
func standStill(t *testing.T) (address string) {
	t.Helper()
	socket := testenv.Must(syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0))(t)
	t.Cleanup(func() { _ = syscall.Close(socket) })
	testenv.NoError(t, syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	testenv.NoError(t, syscall.Listen(socket, 0))
	bound := testenv.Must(syscall.Getsockname(socket))(t).(*syscall.SockaddrInet4)
	return fmt.Sprintf("127.0.0.1:%d", bound.Port)
}

// bouncer starts PgBouncer before the test's server, and returns the URL of the
// test's database by it.
func bouncer(t *testing.T, d *dbtest.DB, settings string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		testenv.Missing(t, "no pgbouncer")
	}
	server := testenv.Must(pgx.ParseConfig(d.URL))(t)
	listener := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	port := listener.Addr().(*net.TCPAddr).Port
	testenv.NoError(t, listener.Close())
	file := filepath.Join(t.TempDir(), "pgbouncer.ini")
	testenv.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `[databases]
* = host=%s port=%d user=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
%s
`, server.Host, server.Port, server.User, port, settings), 0o600))
	process := exec.CommandContext(t.Context(), program, file)
	// It refuses to run as root. In a namespace of its own it is somebody
	// else, who may open our files.
	process.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	var log strings.Builder
	process.Stderr = &log
	testenv.NoError(t, process.Start())
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	url := fmt.Sprintf("postgres://gateway@127.0.0.1:%d/%s?sslmode=disable", port, server.Database)
	testenv.NoError(t, testenv.Eventually(func() error {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			return err
		}
		return conn.Close(t.Context())
	}))
	return url
}

// A pooler that would lose what the gateway keeps on connections is refused in
// words, and nothing is left behind: the next start, without it, works.
func TestPoolers(t *testing.T) {
	d := setup(t)
	const ignored = "ignore_startup_parameters = jit,statement_timeout,lock_timeout,idle_in_transaction_session_timeout"
	byTransaction := bouncer(t, d, "pool_mode = transaction\n"+ignored)
	for range 3 {
		err := db.Migrate(t.Context(), byTransaction)
		testenv.Check(t, err != nil && strings.Contains(db.Explain(err), "pool_mode=session"), "by transaction: %v", err)
	}
	testenv.NoError(t, db.Migrate(t.Context(), d.URL))
	bySession := bouncer(t, d, "pool_mode = session\n"+ignored)
	testenv.NoError(t, db.Migrate(t.Context(), bySession))
	for url, want := range map[string]string{
		bySession: "drops the settings of connections", bouncer(t, d, "pool_mode = session"): "takes no settings of connections",
	} {
		pool, err := db.Open(t.Context(), url, 1, db.ForReads)
		if err == nil {
			pool.Close()
		}
		testenv.Check(t, err != nil && strings.Contains(db.Explain(err), want), "%v; want %q", err, want)
	}
}
