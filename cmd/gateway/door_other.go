//go:build !linux

package main

import "net"

// refuse does nothing here: only Linux lets a listener refuse connections for a while.
func refuse(net.Listener) error { return nil }

func take(net.Listener) error { return nil }
