package main

import "syscall"

// childAttributes keeps the terminal's signals from the child, which is stopped in its turn, and
// ends it with us.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
