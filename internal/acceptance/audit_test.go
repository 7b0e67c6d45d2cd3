package acceptance

import (
	"errors"
	"strings"
	"testing"
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

// A sandbox that is stopped has a ledger too: its server is started for the audit, and stopped
// after it.
func TestAuditOfAStoppedSandbox(t *testing.T) {
	t.Parallel()
	g := setup{}.start(t)
	g.create(t, g.first(), nil)
	noError(t, g.stop())
	for range 2 {
		out, status := program(t, "", "audit", "-data-dir", g.dir)
		wantExit(t, "stopped", out, status, 0, "clean", "1 payment,", `database "gateway"`)
	}
}
