//go:build !windows

package pgserver

import (
	"context"
	"errors"
	"os"
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
			if got := ask(t, srv, "SELECT 'ok'"); got != "ok" {
				t.Error(got)
			}
			info := must(os.Stat(srv.socketDir))(t)
			testenv.Want(t, info.Mode().Perm(), 0o700, "socket directory has mode %v", info.Mode())
			stop(t, srv)
			if _, err := os.Stat(srv.socketDir); srv.proc.sock.temporary && err == nil {
				t.Errorf("%s is left behind", srv.socketDir)
			}
		})
	}
}

func TestRelativeDirectory(t *testing.T) {
	t.Parallel()
	here := must(os.Getwd())(t)
	dir := must(filepath.Rel(here, made(t)))(t)
	srv := started(t, dir)
	if got := ask(t, srv, "SELECT 'ok'"); got != "ok" {
		t.Error(got)
	}
}

func TestNoDirectory(t *testing.T) {
	t.Parallel()
	_, err := Start(testContext(t), Options{})
	wantError(t, err, nil, "no directory")
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
	noError(t, srv.Err())
}

// An open transaction must not hold a stop up, nor must a context that has ended already.
func TestStopWithoutTime(t *testing.T) {
	t.Parallel()
	srv := started(t, made(t))
	conn := must(pgx.Connect(testContext(t), srv.URL("postgres")))(t)
	defer func() { _ = conn.Close(context.Background()) }()
	must(conn.Exec(testContext(t), "BEGIN"))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	noError(t, srv.Stop(ctx))
}

func TestDeathIsReported(t *testing.T) {
	t.Parallel()
	dir := made(t)
	srv := started(t, dir)
	noError(t, syscall.Kill(srv.proc.cmd.Process.Pid, syscall.SIGTERM))
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
	conf := filepath.Join(theData(t, dir), "postgresql.conf")
	noError(t, os.WriteFile(conf, []byte("work_mem = plenty\n"), 0o600))
	_, err := Start(testContext(t), Options{Dir: dir})
	wantError(t, err, nil, "ended by itself", logName, "work_mem")
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
	noError(t, os.Rename(data, data+".init"))
	noError(t, os.Remove(filepath.Join(data+".init", "global", "pg_control")))
	started(t, dir)
	if _, err := os.Stat(data + ".init"); err == nil {
		t.Error("the left-over is still there")
	}
}

func TestLogHasNoStatementData(t *testing.T) {
	t.Parallel()
	const pan = "4111111111111111"
	srv := start(t, Options{Dir: made(t)})
	conn := must(pgx.Connect(testContext(t), srv.URL("postgres")))(t)
	defer func() { _ = conn.Close(context.Background()) }()
	must(conn.Exec(testContext(t), "CREATE TABLE card (pan text PRIMARY KEY CHECK (pan = '"+pan+"'))"))(t)
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
	text := must(os.ReadFile(srv.proc.log.Name()))(t)
	testenv.Check(t, !strings.Contains(string(text), pan), "the log has the card number:\n%s", text)
	testenv.Check(t, strings.Contains(string(text), "ready to accept connections"),
		"the log lacks the server's own events:\n%s", text)
}
