//go:build !windows

package pgserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sync"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/testenv"
)

// gatewayDirEnv turns the test binary into a gateway that runs a server there until it is killed.
const gatewayDirEnv = "PGSERVER_TEST_GATEWAY_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(gatewayDirEnv); dir != "" {
		os.Exit(playGateway(dir))
	}
	os.Exit(inOwnTemp(m.Run))
}

// inOwnTemp gives the tests a temporary directory of their own. Other accounts may pass through.
func inOwnTemp(run func() int) int {
	testenv.InMemory()
	dir, err := os.MkdirTemp("", "pgserver-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := errors.Join(os.Chmod(dir, 0o711), os.Setenv("TMPDIR", dir)); err != nil {
		panic(err)
	}
	return run()
}

func playGateway(dir string) int {
	srv, err := Start(context.Background(), Options{Dir: dir, Ephemeral: true})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(srv.proc.cmd.Process.Pid)
	<-srv.Done()
	return 0
}

// gatewayProcess starts such a gateway and returns it with its server's pid.
func gatewayProcess(t *testing.T, dir string) (*exec.Cmd, int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), gatewayDirEnv+"="+dir)
	out := testenv.Must(cmd.StdoutPipe())(t)
	testenv.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line := testenv.Must(bufio.NewReader(out).ReadString('\n'))(t)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	testenv.Need(t, err == nil, "gateway says: %s", line)
	return cmd, pid
}

// tempDir lies directly under the temporary directory: the parents of t.TempDir let no other
// account through, and the server may have to run as one.
func tempDir(t *testing.T) string {
	t.Helper()
	dir := testenv.Must(os.MkdirTemp("", "t-"))(t)
	testenv.NoError(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// cluster is the directory of a server that has been stopped.
var cluster = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "cluster-")
	if err != nil {
		return "", err
	}
	srv, err := Start(context.Background(), Options{Dir: dir, Ephemeral: true})
	if err != nil {
		return "", err
	}
	return dir, srv.Stop(context.Background())
})

// made is a directory, or one below it, whose server need not make its data any more: that takes longer than all else
// that most tests do.
func made(t *testing.T, below ...string) string {
	t.Helper()
	dir := filepath.Join(append([]string{tempDir(t)}, below...)...)
	data := theData(t, testenv.Must(cluster())(t))
	copied := filepath.Join(dir, filepath.Base(data))
	testenv.NoError(t, os.CopyFS(copied, os.DirFS(data)))
	testenv.NoError(t, os.Chmod(copied, 0o700))
	return dir
}

// testContext bounds a step generously: the machine may be busy with other packages' tests.
func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func start(t *testing.T, opts Options) *Server {
	t.Helper()
	srv := testenv.Must(Start(testContext(t), opts))(t)
	t.Cleanup(func() { _ = srv.Stop(testContext(t)) })
	return srv
}

// started is an ephemeral server in dir.
func started(t *testing.T, dir string) *Server {
	t.Helper()
	return start(t, Options{Dir: dir, Ephemeral: true})
}

func stop(t *testing.T, srv *Server) {
	t.Helper()
	testenv.NoError(t, srv.Stop(testContext(t)))
}

// ask runs statements over one connection and returns the last one's single value as text.
func ask(t *testing.T, srv *Server, statements ...string) string {
	t.Helper()
	conn := testenv.Must(pgx.Connect(testContext(t), srv.URL("postgres")))(t)
	defer func() { _ = conn.Close(context.Background()) }()
	last := len(statements) - 1
	for _, sql := range statements[:last] {
		testenv.Must(conn.Exec(testContext(t), sql))(t)
	}
	var answer string
	testenv.NoError(t, conn.QueryRow(testContext(t), statements[last]).Scan(&answer))
	return answer
}

// wantError checks the kind, when given, and that the text has every part.
func wantError(t *testing.T, err, kind error, parts ...string) {
	t.Helper()
	testenv.Need(t, err != nil, "no error")
	testenv.Check(t, kind == nil || errors.Is(err, kind), "error is not %q: %v", kind, err)
	for _, part := range parts {
		testenv.Check(t, strings.Contains(err.Error(), part), "error lacks %q: %v", part, err)
	}
}

// gone reports whether a process has ended; one that init has not reaped yet counts.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// theData is the one data directory under dir.
func theData(t *testing.T, dir string) string {
	t.Helper()
	files := testenv.Must(filepath.Glob(filepath.Join(dir, "pg*", "PG_VERSION")))(t)
	testenv.Need(t, len(files) == 1, "data directories: %v", files)
	return filepath.Dir(files[0])
}

// fakeInstall writes scripts that say they are PostgreSQL of a version.
func fakeInstall(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\necho 'postgres (PostgreSQL) %s'\n", version)
	for _, name := range []string{"postgres", "initdb"} {
		testenv.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
	return dir
}
