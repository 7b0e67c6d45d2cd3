//go:build !windows

package pgserver

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Whoever only wants to read makes no cluster, and no directory for one.
func TestExisting(t *testing.T) {
	t.Parallel()
	dir := made(t)
	nowhere := filepath.Join(dir, "nowhere")
	if _, err := Start(testContext(t), Options{Dir: nowhere, Existing: true}); !errors.Is(err, ErrNoData) {
		t.Errorf("nothing there: %v", err)
	}
	if _, err := os.Stat(nowhere); err == nil {
		t.Error("a directory was made")
	}
	// The data of another version is none that this server could open.
	other := filepath.Join(dir, "other")
	noError(t, os.MkdirAll(filepath.Join(other, "pg9"), 0o700))
	noError(t, os.WriteFile(filepath.Join(other, "pg9", "PG_VERSION"), []byte("9\n"), 0o600))
	if _, err := Start(
		testContext(t), Options{Dir: other, Ephemeral: true, Existing: true},
	); !errors.Is(err, ErrNoData) {
		t.Errorf("another version's data: %v", err)
	}
	start(t, Options{Dir: filepath.Join(dir, "own"), Ephemeral: true})
}
