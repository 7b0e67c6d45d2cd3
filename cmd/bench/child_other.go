//go:build !linux

package main

import "syscall"

// What the CPU went to is read on Linux only, and so no part gets as far as to
// a child's attributes or signals elsewhere.
func childAttributes() *syscall.SysProcAttr { return nil }

const freeze, thaw, beginProfile, endProfile = syscall.SIGTERM, syscall.SIGTERM, syscall.SIGTERM, syscall.SIGTERM
