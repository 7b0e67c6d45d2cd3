//go:build !linux

package testenv

// InMemory does nothing, because this system has no directory in memory that
// every user may use.
func InMemory() {}
