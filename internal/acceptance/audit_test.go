package acceptance

import (
	"errors"
	"strings"
	"testing"
)

// program runs the program itself to its end: a command's exit status is its own.
func program(t *testing.T, args ...string) (output string, status int) {
	t.Helper()
	out, errs, err := command(t, "", nil, args...)
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
