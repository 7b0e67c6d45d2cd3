//go:build !linux

package edge

import "net"

// Refuse does nothing here: only Linux lets a listener refuse connections for a
// while.
func Refuse(net.Listener) error { return nil }

// Take does nothing here either.
func Take(net.Listener) error { return nil }
