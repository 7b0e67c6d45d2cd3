package pgserver

import "syscall"

func withoutParentDeath(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	attr.Pdeathsig = 0
	return attr
}
