//go:build !windows

package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/testenv"
)

func TestDataIsKeptAcrossStarts(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	begin := time.Now()
	srv := start(t, Options{Dir: dir})
	t.Logf("cold start: %v", time.Since(begin))
	ask(t, srv, "CREATE TABLE kept (word text)", "INSERT INTO kept VALUES ('yes') RETURNING word")
	stop(t, srv)

	begin = time.Now()
	srv = start(t, Options{Dir: dir})
	t.Logf("warm start: %v", time.Since(begin))
	testenv.Want(t, ask(t, srv, "SELECT word FROM kept"), "yes", "kept")
}

func TestTwoServersSideBySide(t *testing.T) {
	t.Parallel()
	one, two := started(t, made(t)), started(t, made(t))
	ask(t, one, "CREATE TABLE mine ()", "SELECT 'ok'")
	testenv.Want(t, ask(t, two, "SELECT coalesce(to_regclass('mine')::text, 'none')"), "none",
		"the second server sees the first one's table")
}

func TestSettings(t *testing.T) {
	t.Parallel()
	durable := map[string]string{
		"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "listen_addresses": "",
		"max_connections": "200", "log_min_error_statement": "panic", "log_statement": "none",
		"log_min_duration_statement": "-1", "log_parameter_max_length_on_error": "0", "server_encoding": "UTF8",
	}
	ephemeral := map[string]string{
		"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "77",
	}
	for _, c := range []struct {
		opts Options
		want map[string]string
	}{{Options{Dir: made(t)}, durable}, {Options{Dir: made(t), Ephemeral: true, MaxConnections: 77}, ephemeral}} {
		srv := start(t, c.opts)
		for name, want := range c.want {
			testenv.Want(t, ask(t, srv, "SHOW "+name), want, "%s", name)
		}
	}
}

func TestUnusualDirectories(t *testing.T) {
	t.Parallel()
	for name, sub := range map[string]string{
		"long": strings.Repeat("long/", 40), "comma": "a,b", "quotes": `it's a "gateway" & 1+1 more?`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := started(t, made(t, sub))
			testenv.Want(t, ask(t, srv, "SELECT 'ok'"), "ok", "answered")
			info := testenv.Must(os.Stat(srv.socketDir))(t)
			testenv.Want(t, info.Mode().Perm(), 0o700, "socket directory has mode %v", info.Mode())
			stop(t, srv)
			_, err := os.Stat(srv.socketDir)
			testenv.Check(t, !srv.proc.sock.temporary || err != nil, "%s is left behind", srv.socketDir)
		})
	}
}

func TestRelativeDirectory(t *testing.T) {
	t.Parallel()
	here := testenv.Must(os.Getwd())(t)
	dir := testenv.Must(filepath.Rel(here, made(t)))(t)
	srv := started(t, dir)
	testenv.Want(t, ask(t, srv, "SELECT 'ok'"), "ok", "answered")
}

func TestNoDirectory(t *testing.T) {
	t.Parallel()
	wantError(t, testenv.ErrOf(Start(testContext(t), Options{})), nil, "no directory")
}

func TestStopTwice(t *testing.T) {
	t.Parallel()
	srv := started(t, made(t))
	select {
	case <-srv.Done():
		t.Fatal("done while running")
	default:
	}
	stop(t, srv)
	stop(t, srv)
	<-srv.Done()
	testenv.NoError(t, srv.Err())
}

// An open transaction must not hold a stop up, nor must a context that has
// ended already.
func TestStopWithoutTime(t *testing.T) {
	t.Parallel()
	srv := started(t, made(t))
	conn := testenv.Must(pgx.Connect(testContext(t), srv.URL("postgres")))(t)
	defer func() { _ = conn.Close(context.Background()) }()
	testenv.Must(conn.Exec(testContext(t), "BEGIN"))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	testenv.NoError(t, srv.Stop(ctx))
}

func TestDeathIsReported(t *testing.T) {
	t.Parallel()
	dir := made(t)
	srv := started(t, dir)
	testenv.NoError(t, syscall.Kill(srv.proc.cmd.Process.Pid, syscall.SIGTERM))
	select {
	case <-srv.Done():
	case <-time.After(testenv.Patience):
		t.Fatal("not noticed")
	}
	wantError(t, srv.Err(), nil, "ended by itself", "database system is shut down")
	stop(t, srv)
	started(t, dir)
}

func TestFailedStartQuotesTheLog(t *testing.T) {
	t.Parallel()
	dir := made(t)
	stop(t, started(t, dir))
	testenv.NoError(t, os.WriteFile(filepath.Join(theData(t, dir), "postgresql.conf"), []byte("work_mem = plenty\n"), 0o600))
	wantError(t, testenv.ErrOf(Start(testContext(t), Options{Dir: dir})), nil, "ended by itself", logName, "work_mem")
}

func TestCancelledStart(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	for _, patience := range []time.Duration{0, 30 * time.Millisecond, 150 * time.Millisecond, 300 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		srv, err := Start(ctx, Options{Dir: dir, Ephemeral: true})
		cancel()
		if err == nil { // a fast machine
			stop(t, srv)
		} else if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", patience, err)
		}
	}
	started(t, dir)
}

// What a crash in the middle of initdb leaves is never taken for a cluster.
func TestLeftOverInitIsRemoved(t *testing.T) {
	t.Parallel()
	dir := made(t)
	stop(t, started(t, dir))
	data := theData(t, dir)
	testenv.NoError(t, os.Rename(data, data+".init"))
	testenv.NoError(t, os.Remove(filepath.Join(data+".init", "global", "pg_control")))
	started(t, dir)
	testenv.Check(t, testenv.ErrOf(os.Stat(data+".init")) != nil, "the left-over is still there")
}

func TestLogHasNoStatementData(t *testing.T) {
	t.Parallel()
	const pan = "4111111111111111"
	srv := start(t, Options{Dir: made(t)})
	conn := testenv.Must(pgx.Connect(testContext(t), srv.URL("postgres")))(t)
	defer func() { _ = conn.Close(context.Background()) }()
	testenv.Must(conn.Exec(testContext(t), "CREATE TABLE card (pan text PRIMARY KEY CHECK (pan = '"+pan+"'))"))(t)
	for _, c := range []struct {
		sql  string
		args []any
	}{
		{"INSERT INTO card VALUES ($1)", []any{pan}},
		{"INSERT INTO card VALUES ($1)", []any{pan}},
		{"INSERT INTO card VALUES ($1)", []any{pan + "0"}},
		{"SELECT nonsense_" + pan, nil},
		{"SELECT 'x" + pan + "'::text::int", nil},
		{"DO $$ BEGIN RAISE WARNING 'card " + pan + "'; END $$", nil},
	} {
		_, _ = conn.Exec(testContext(t), c.sql, c.args...)
	}
	stop(t, srv)
	text := testenv.Must(os.ReadFile(srv.proc.log.Name()))(t)
	testenv.Check(t, !strings.Contains(string(text), pan), "the log has the card number:\n%s", text)
	testenv.Check(t, strings.Contains(string(text), "ready to accept connections"), "the log lacks the server's own events:\n%s", text)
}

func TestSecondStartIsRefused(t *testing.T) {
	t.Parallel()
	dir := made(t)
	srv := started(t, dir)
	wantError(t, testenv.ErrOf(Start(testContext(t), Options{Dir: dir})), ErrInUse, dir, "another gateway", "GATEWAY_DATA_DIR")
	testenv.Want(t, ask(t, srv, "SELECT 'ok'"), "ok", "the first server suffered")
}

func TestSecondStartHonoursItsContext(t *testing.T) {
	t.Parallel()
	dir := made(t)
	started(t, dir)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	wantError(t, testenv.ErrOf(Start(ctx, Options{Dir: dir})), context.DeadlineExceeded)
}

// A killed gateway takes its server with it, and the next one starts at once
// with everything committed.
func TestKilledGateway(t *testing.T) {
	t.Parallel()
	dir := made(t)
	gateway, pid := gatewayProcess(t, dir)
	ask(t, &Server{socketDir: filepath.Join(dir, "run")}, "CREATE TABLE kept (word text)", "INSERT INTO kept VALUES ('yes') RETURNING word")
	testenv.NoError(t, gateway.Process.Kill())
	_ = gateway.Wait()

	testenv.Want(t, ask(t, started(t, dir), "SELECT word FROM kept"), "yes", "kept")
	testenv.Check(t, gone(pid), "the old server still runs")
}

func TestKilledGatewayLeavesNoServer(t *testing.T) {
	t.Parallel()
	gateway, pid := gatewayProcess(t, made(t))
	testenv.Need(t, !gone(pid), "no server to begin with")
	testenv.NoError(t, gateway.Process.Kill())
	_ = gateway.Wait()
	testenv.Until(t, "the server has ended", func() bool { return gone(pid) })
}

func TestStalePIDFile(t *testing.T) {
	t.Parallel()
	dir := made(t)
	stop(t, started(t, dir))
	data := theData(t, dir)
	for name, content := range map[string]string{
		"dead": pidLines(deadPID(t), data), "empty": "", "cut short": "12", "garbage": "who\nknows\n",
		"our own": pidLines(os.Getpid(), data), "a stranger's": pidLines(strangerPID(t), data),
	} {
		t.Run(name, func(t *testing.T) {
			testenv.NoError(t, os.WriteFile(filepath.Join(data, pidFileName), []byte(content), 0o600))
			run := filepath.Join(dir, "run")
			testenv.NoError(t, os.MkdirAll(run, 0o700))
			testenv.NoError(t, os.WriteFile(socketFile(run)+".lock", []byte(content), 0o600))
			stop(t, started(t, dir))
		})
	}
}

// pidLines is a pid file as the server leaves it when it is ready.
func pidLines(pid int, data string) string {
	return fmt.Sprintf("%d\n%s\n1700000000\n5432\n/tmp\n\n  1  1\nready   \n", pid, data)
}

func deadPID(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	testenv.NoError(t, cmd.Run())
	return cmd.Process.Pid
}

func strangerPID(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("sleep", "100")
	testenv.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd.Process.Pid
}

// byHand runs a server on existing data without Start, and without the
// parent-death signal; lock may be nil.
func byHand(t *testing.T, dir string, lock *os.File) *exec.Cmd {
	t.Helper()
	who := testenv.Must(chooseIdentity(testContext(t), false))(t)
	inst := testenv.Must(chooseInstall(testContext(t), Options{Dir: dir}, who))(t)
	data := theData(t, dir)
	args := append([]string{"-D", data}, settings(Options{MaxConnections: 10, Ephemeral: true}, data)...)
	cmd := who.command(inst.postgres(), args...)
	cmd.SysProcAttr = withoutParentDeath(cmd.SysProcAttr)
	if lock != nil {
		cmd.ExtraFiles = []*os.File{lock}
	}
	testenv.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGQUIT); <-ended })
	testenv.Until(t, "the server is ready", func() bool { return readPIDFile(data).status == "ready" })
	return cmd
}

// A server that someone started on our data without us is the one live owner of
// a pid file.
func TestServerStartedByHandIsRespected(t *testing.T) {
	t.Parallel()
	dir := made(t)
	stop(t, started(t, dir))
	hand := byHand(t, dir, nil)
	wantError(t, testenv.ErrOf(Start(testContext(t), Options{Dir: dir, Ephemeral: true})), ErrInUse, dir, "by hand", fmt.Sprint(hand.Process.Pid))
	testenv.Check(t, !gone(hand.Process.Pid), "it was stopped")
}

// Where no signal tells the server of its gateway's death, the next start finds
// the orphan by the lock it inherited.
func TestOrphanIsStopped(t *testing.T) {
	t.Parallel()
	dir := made(t)
	stop(t, started(t, dir))
	held := testenv.Must(lockDir(testContext(t), dir))(t)
	orphan := byHand(t, dir, held.server)
	held.release()
	testenv.Want(t, ask(t, started(t, dir), "SELECT 'ok'"), "ok", "answered")
	testenv.Check(t, gone(orphan.Process.Pid), "the orphan still runs")
}

// An unwritable place is an error that says so.
func TestUnusableDirectory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(tempDir(t), "file")
	testenv.NoError(t, os.WriteFile(file, nil, 0o600))
	wantError(t, testenv.ErrOf(Start(testContext(t), Options{Dir: filepath.Join(file, "below")})), nil, "GATEWAY_DATA_DIR", strings.TrimSuffix(file, "/"))
}
