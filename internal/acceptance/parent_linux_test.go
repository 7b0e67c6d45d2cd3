package acceptance

import "syscall"

// childAttributes ends a child with us: when the tests are ended, by their time
// limit say, no gateway is left behind.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
