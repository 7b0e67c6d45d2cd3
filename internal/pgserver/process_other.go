//go:build !linux && !windows

package pgserver

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent has no counterpart here; the next start finds the orphan by its lock and stops it.
func dieWithParent(*syscall.SysProcAttr) {}

// namespaceAttr is nil: there are no user namespaces here.
func namespaceAttr(account) *syscall.SysProcAttr {
	return nil
}

// isPostmaster tells a server from a stranger that was given the same pid, by its name alone.
func isPostmaster(pid int, _ string) bool {
	out, err := exec.Command("ps", "-o", "comm=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && filepath.Base(strings.TrimSpace(string(out))) == "postgres"
}
