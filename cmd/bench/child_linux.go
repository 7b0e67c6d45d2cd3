package main

import "syscall"

// childAttributes keeps the terminal's signals from the child, which is stopped
// in its turn, and ends it with us.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// What a gateway is told: to freeze and to go on, and to begin and end its
// profile.
const (
	freeze       = syscall.SIGSTOP
	thaw         = syscall.SIGCONT
	beginProfile = syscall.SIGUSR1
	endProfile   = syscall.SIGUSR2
)
