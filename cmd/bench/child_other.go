//go:build !linux

package main

import "syscall"

// childAttributes keeps the terminal's signals from the child, which is stopped in its turn.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
