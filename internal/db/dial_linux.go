package db

import (
	"net"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// silentPeer is how long the machine of the database may leave packets without a sign of having got
// them. Then a connection is given up, in use or not.
const silentPeer = 5 * time.Second

// dialer opens connections whose end is noticed also when the other side has vanished.
func dialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 2 * time.Second, Interval: time.Second, Count: 3},
		Control: func(network, _ string, raw syscall.RawConn) error {
			if !strings.HasPrefix(network, "tcp") {
				return nil
			}
			var err error
			if refused := raw.Control(func(fd uintptr) {
				err = unix.SetsockoptInt(
					int(fd),
					unix.IPPROTO_TCP,
					unix.TCP_USER_TIMEOUT,
					int(silentPeer.Milliseconds()),
				)
			}); refused != nil {
				return refused
			}
			return err
		},
	}
}
