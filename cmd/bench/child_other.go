//go:build !linux

package main

import "syscall"

// CPU times can be read only on Linux, so on other systems no part runs far
// enough to need attributes or signals of a child.
func childAttributes() *syscall.SysProcAttr { return nil }

const freeze, thaw, beginProfile, endProfile = syscall.SIGTERM, syscall.SIGTERM, syscall.SIGTERM, syscall.SIGTERM
