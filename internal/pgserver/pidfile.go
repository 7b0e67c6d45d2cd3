//go:build !windows

package pgserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// pidFile is what is needed of postmaster.pid; zero if there is none or it is
// incomplete.
type pidFile struct {
	pid    int
	status string
}

const (
	pidFileName = "postmaster.pid"
	// statusLine is the index of the line with "starting", "ready" and so
	// on.
	statusLine = 7
)

// readPIDFile reads what the server has written of itself. The file may be left
// from a crash, and its number may be another process's by now: the caller has
// to check that.
func readPIDFile(data string) pidFile {
	text, err := os.ReadFile(filepath.Join(data, pidFileName))
	if err != nil {
		return pidFile{}
	}
	lines := strings.Split(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil {
		return pidFile{}
	}
	pf := pidFile{pid: pid}
	if len(lines) > statusLine {
		pf.status = strings.TrimSpace(lines[statusLine])
	}
	return pf
}

// clearPIDFile removes a pid file. With the server's lock held it is stale,
// unless somebody started a server on these data by hand. PostgreSQL itself is
// misled by an empty file, and by another process with the same pid.
func clearPIDFile(data string) error {
	if pid := readPIDFile(data).pid; pid > 1 && isPostmaster(pid, data) {
		return fmt.Errorf(
			"pgserver: %w: %s: a PostgreSQL started by hand (pid %d) runs on it; stop it first",
			ErrInUse,
			data,
			pid,
		)
	}
	err := os.Remove(filepath.Join(data, pidFileName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("pgserver: %w", err)
	}
	return nil
}
