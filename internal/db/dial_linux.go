package db

import (
	"net"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// silentPeer is how long packets to the database may stay unacknowledged before
// a connection is given up, in use or not.
const silentPeer = 5 * time.Second

// dialer opens connections that notice if the other side vanishes.
func dialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 2 * time.Second, Interval: time.Second, Count: 3},
		Control: func(network, _ string, raw syscall.RawConn) error {
			if !strings.HasPrefix(network, "tcp") {
				return nil
			}
			var err error
			if refused := raw.Control(func(fd uintptr) {
				err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silentPeer.Milliseconds()))
			}); refused != nil {
				return refused
			}
			return err
		},
	}
}
