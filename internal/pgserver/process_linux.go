package pgserver

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// dieWithParent makes the kernel ask the child for a fast shutdown when the
// thread that started it ends.
func dieWithParent(attr *syscall.SysProcAttr) {
	attr.Pdeathsig = syscall.SIGINT
}

// namespaceAttr makes root look like another user to the child, while its files
// stay root's outside. It works wherever root may write.
func namespaceAttr(as account) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: as.uid, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: as.gid, HostID: os.Getegid(), Size: 1}},
	}
}

// isPostmaster tells a server of this data directory from another process with
// the same pid: a postmaster's working directory is its data.
func isPostmaster(pid int, data string) bool {
	comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil || !bytes.HasPrefix(comm, []byte("postgres")) {
		return false
	}
	cwd, err := os.Stat(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		return false
	}
	want, err := os.Stat(data)
	return err == nil && os.SameFile(cwd, want)
}
