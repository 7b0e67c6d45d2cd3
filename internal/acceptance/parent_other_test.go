//go:build !linux

package acceptance

import "syscall"

// childAttributes has nothing to ask for where a child cannot be told to end
// with its parent.
func childAttributes() *syscall.SysProcAttr { return nil }
