package portal

import (
	"os/exec"
	"testing"

	"gateway.example/internal/testenv"
)

// A shell takes every text in a command that is copied as it is.
func TestQuoted(t *testing.T) {
	t.Parallel()
	for _, hostile := range []string{
		"plain", "it's", "'; touch /tmp/x; '", "$(id) `id` \"q\" \\ \n !", "'\\''", "--help", "", "a b\tc", "№ \u202e end",
	} {
		got, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+quoted(hostile)).Output()
		testenv.Check(t, err == nil && string(got) == hostile, "%q becomes %q, %v", hostile, got, err)
	}
}
