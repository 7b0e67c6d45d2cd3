package acceptance

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gateway.example/internal/dbtest"
)

// program runs the program itself to its end: a command's exit status is its own.
func program(t *testing.T, stdin string, args ...string) (output string, status int) {
	t.Helper()
	out, errs, err := command(t, stdin, nil, args...)
	var failed failure
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return out + errs, failed.status
}

// wantExit checks a command's exit status and that its output has all of these words.
func wantExit(t *testing.T, what string, output string, status, want int, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(output, word) {
			t.Errorf("%s: not told of %q: %s", what, word, output)
		}
	}
	if status != want || strings.Contains(output, "hunter2") {
		t.Errorf("%s: exit %d: %s", what, status, output)
	}
}

// An audit of nothing is no audit: it fails apart from what does not hold, and makes and changes
// nothing. Neither does the making of an operator.
func TestAuditOnlyReads(t *testing.T) {
	t.Parallel()
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	empty := dbtest.EmptyURL(t)
	pool := poolOf(t, empty)
	tables := func() (count int) {
		noError(t,
			pool.QueryRow(t.Context(), "select count(*) from pg_tables where schemaname = 'public'").Scan(&count))
		return count
	}
	for _, command := range [][]string{{"audit"}, {"operator", "create", "-login", "root"}} {
		failed := 2
		if command[0] == "operator" {
			failed = 1
		}
		run := func(args ...string) (string, int) {
			return program(t, "correct horse battery", append(command, args...)...)
		}
		out, status := run("-data-dir", nowhere)
		wantExit(t, "nothing there", out, status, failed, "no gateway database here", nowhere)
		if _, err := os.Stat(nowhere); err == nil {
			t.Error("a data directory was made")
		}
		out, status = run("-database-url", empty)
		wantExit(t, "an empty database", out, status, failed, "no gateway database here")
		out, status = run("-database-url", strings.Replace(empty, "/test_", "/none_", 1))
		wantExit(t, "no database", out, status, failed, "no gateway database here", "none_")
		if n := tables(); n != 0 {
			t.Errorf("%v has made %d tables", command, n)
		}
		out, status = run("-database-url", "postgres://user:hunter2@127.0.0.1:1/none")
		wantExit(t, "no server", out, status, failed)
	}
	out, status := program(t, "", "audit", "-no-such-flag")
	wantExit(t, "a wrong flag", out, status, 2)
	for range 2 {
		out, status = program(t, "", "migrate", "-database-url", empty)
		wantExit(t, "migrate", out, status, 0)
	}
	out, status = program(t, "", "audit", "-database-url", empty)
	wantExit(t, "a new database", out, status, 0, "clean", `audited: database "test_`,
		"0 payments, 0 payouts, 0 transfers")
	for what, sql := range map[string]string{
		"an older schema": "delete from goose_db_version where version_id = (select max(version_id) from goose_db_version)",
		"a newer schema":  "insert into goose_db_version (version_id, is_applied) values (99999, true), (99998, true)",
	} {
		_, err := pool.Exec(t.Context(), sql)
		noError(t, err)
		out, status = program(t, "", "audit", "-database-url", empty)
		wantExit(t, what, out, status, 2, "the database has schema", "this program")
	}
}

// The audit names what it audited, and its status tells a ledger that does not hold.
func TestAuditStatus(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	id := g.create(t, g.first(), nil).text("data.id")
	out, status := program(t, "", "audit", "-data-dir", g.dir)
	wantExit(t, "beside a server", out, status, 0, "clean", "1 payments")
	g.exec(t, "update payment set hold_usdt = hold_usdt + 1 where id = $1::text::bigint", id)
	out, status = program(t, "", "audit", "-data-dir", g.dir)
	wantExit(t, "a broken ledger", out, status, 1, "payment "+id, "the ledger does not hold", "audited: database")
}

// A sandbox that is stopped has a ledger too: its server is started for the audit, and stopped
// after it.
func TestAuditOfAStoppedSandbox(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "gateway-stopped-")
	noError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	noError(t, os.Chmod(dir, 0o711))
	g := launch(dir, nil, anyPort...)
	t.Cleanup(func() { g.cancel(); <-g.ended })
	noError(t, g.awaitSandbox())
	keep(g.Info)
	g.create(t, g.first(), nil)
	noError(t, g.stop())
	for range 2 {
		out, status := program(t, "", "audit", "-data-dir", dir)
		wantExit(t, "stopped", out, status, 0, "clean", "1 payments", `database "gateway"`)
	}
}
