package main

import "syscall"

// childAttributes keeps the terminal's signals from the child, which the bench
// stops itself, and ends the child with the bench.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// The signals for a gateway: freeze, go on, and begin or end the profile.
const (
	freeze       = syscall.SIGSTOP
	thaw         = syscall.SIGCONT
	beginProfile = syscall.SIGUSR1
	endProfile   = syscall.SIGUSR2
)
