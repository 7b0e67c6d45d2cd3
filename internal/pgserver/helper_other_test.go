//go:build !linux && !windows

package pgserver

import "syscall"

func withoutParentDeath(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	return attr
}
