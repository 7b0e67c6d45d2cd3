package acceptance

import (
	"errors"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// program runs the program itself to its end: a command's exit status is its own.
func program(t *testing.T, args ...string) (output string, status int) {
	t.Helper()
	out, errs, err := command(t, "", nil, args...)
	var failed failure
	testenv.Need(t, err == nil || errors.As(err, &failed), "%v", err)
	return out + errs, failed.status
}

// wantExit checks a command's exit status and that its output has all of these words.
func wantExit(t *testing.T, what string, output string, status, want int, words ...string) {
	t.Helper()
	for _, word := range words {
		testenv.Check(t, strings.Contains(output, word), "%s: not told of %q: %s", what, word, output)
	}
	testenv.Check(t, status == want && !strings.Contains(output, "hunter2"), "%s: exit %d: %s", what, status, output)
}
