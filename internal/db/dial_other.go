//go:build !linux

package db

import (
	"net"
	"time"
)

// dialer opens connections that ask an idle other side whether it is still there.
func dialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 2 * time.Second, Interval: time.Second, Count: 3},
	}
}
