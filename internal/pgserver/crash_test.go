//go:build !windows

package pgserver

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

func TestSecondStartIsRefused(t *testing.T) {
	t.Parallel()
	dir := made(t)
	srv := started(t, dir)
	_, err := Start(testContext(t), Options{Dir: dir})
	wantError(t, err, ErrInUse, dir, "another gateway", "GATEWAY_DATA_DIR")
	testenv.Want(t, ask(t, srv, "SELECT 'ok'"), "ok", "the first server suffered")
}

func TestSecondStartHonoursItsContext(t *testing.T) {
	t.Parallel()
	dir := made(t)
	started(t, dir)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, err := Start(ctx, Options{Dir: dir})
	wantError(t, err, context.DeadlineExceeded)
}

// A killed gateway takes its server with it, and the next one starts at once with everything committed.
func TestKilledGateway(t *testing.T) {
	t.Parallel()
	dir := made(t)
	gateway, pid := gatewayProcess(t, dir)
	viaFile := &Server{socketDir: filepath.Join(dir, "run")}
	ask(t, viaFile, "CREATE TABLE kept (word text)", "INSERT INTO kept VALUES ('yes') RETURNING word")
	noError(t, gateway.Process.Kill())
	_ = gateway.Wait()

	srv := started(t, dir)
	testenv.Want(t, ask(t, srv, "SELECT word FROM kept"), "yes", "kept")
	testenv.Check(t, gone(pid), "the old server still runs")
}

func TestKilledGatewayLeavesNoServer(t *testing.T) {
	t.Parallel()
	gateway, pid := gatewayProcess(t, made(t))
	if gone(pid) {
		t.Fatal("no server to begin with")
	}
	noError(t, gateway.Process.Kill())
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
			noError(t, os.WriteFile(filepath.Join(data, pidFileName), []byte(content), 0o600))
			run := filepath.Join(dir, "run")
			noError(t, os.MkdirAll(run, 0o700))
			noError(t, os.WriteFile(socketFile(run)+".lock", []byte(content), 0o600))
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
	noError(t, cmd.Run())
	return cmd.Process.Pid
}

func strangerPID(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("sleep", "100")
	noError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd.Process.Pid
}

// byHand runs a server on existing data without Start, and without the parent-death signal; lock may be nil.
func byHand(t *testing.T, dir string, lock *os.File) *exec.Cmd {
	t.Helper()
	who := must(chooseIdentity(testContext(t), false))(t)
	inst := must(chooseInstall(testContext(t), Options{Dir: dir}, who))(t)
	data := theData(t, dir)
	args := append([]string{"-D", data}, settings(Options{MaxConnections: 10, Ephemeral: true}, data)...)
	cmd := who.command(inst.postgres(), args...)
	cmd.SysProcAttr = withoutParentDeath(cmd.SysProcAttr)
	if lock != nil {
		cmd.ExtraFiles = []*os.File{lock}
	}
	noError(t, cmd.Start())
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGQUIT); <-ended })
	testenv.Until(t, "the server is ready", func() bool { return readPIDFile(data).status == "ready" })
	return cmd
}

// A server that someone started on our data without us is the one live owner of a pid file.
func TestServerStartedByHandIsRespected(t *testing.T) {
	t.Parallel()
	dir := made(t)
	stop(t, started(t, dir))
	hand := byHand(t, dir, nil)
	_, err := Start(testContext(t), Options{Dir: dir, Ephemeral: true})
	wantError(t, err, ErrInUse, dir, "by hand", fmt.Sprint(hand.Process.Pid))
	testenv.Check(t, !gone(hand.Process.Pid), "it was stopped")
}

// Where no signal tells the server of its gateway's death, the next start finds the orphan by the lock it inherited.
func TestOrphanIsStopped(t *testing.T) {
	t.Parallel()
	dir := made(t)
	stop(t, started(t, dir))
	held := must(lockDir(testContext(t), dir))(t)
	orphan := byHand(t, dir, held.server)
	held.release()
	srv := started(t, dir)
	if got := ask(t, srv, "SELECT 'ok'"); got != "ok" {
		t.Error(got)
	}
	testenv.Check(t, gone(orphan.Process.Pid), "the orphan still runs")
}

// An unwritable place is an error that says so.
func TestUnusableDirectory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(tempDir(t), "file")
	noError(t, os.WriteFile(file, nil, 0o600))
	_, err := Start(testContext(t), Options{Dir: filepath.Join(file, "below")})
	wantError(t, err, nil, "GATEWAY_DATA_DIR", strings.TrimSuffix(file, "/"))
}
