//go:build !windows

package pgserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gateway.example/internal/fault"
)

const (
	logName = "postgres.log"
	// tailBytes and tailLines limit how much of the log an error quotes.
	tailBytes = 4096
	tailLines = 10
)

// openLog starts a new log and keeps the previous one. The server writes to the
// file itself and not through a pipe, so nothing is lost if this process dies
// first.
func openLog(dir string) (*os.File, error) {
	path := filepath.Join(dir, logName)
	if err := os.Rename(path, path+".old"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("pgserver: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return f, fault.Doing("pgserver", err)
}

// tail is the end of a log, as far as it can be read.
func tail(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	text = text[max(0, len(text)-tailBytes):]
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
