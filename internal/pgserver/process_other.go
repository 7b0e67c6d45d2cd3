//go:build !linux && !windows

package pgserver

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent does nothing on this system: the next start finds the orphan by
// its lock and stops it.
func dieWithParent(*syscall.SysProcAttr) {}

// namespaceAttr is nil: this system has no user namespaces.
func namespaceAttr(account) *syscall.SysProcAttr {
	return nil
}

// isPostmaster tells a server from another process with the same pid by its
// name only.
func isPostmaster(pid int, _ string) bool {
	out, err := exec.Command("ps", "-o", "comm=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && filepath.Base(strings.TrimSpace(string(out))) == "postgres"
}
