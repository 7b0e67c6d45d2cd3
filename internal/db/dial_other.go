//go:build !linux

package db

import (
	"net"
	"time"
)

// dialer opens connections with keep-alive probes.
func dialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 2 * time.Second, Interval: time.Second, Count: 3},
	}
}
