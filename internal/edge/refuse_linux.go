package edge

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// Refuse has a listener keep its address and refuse connections, until Take.
func Refuse(listener net.Listener) error {
	return onSocket(listener, func(fd int) error { return unix.Shutdown(fd, unix.SHUT_RD) })
}

// Take has a listener take connections again.
func Take(listener net.Listener) error {
	return onSocket(listener, func(fd int) error { return unix.Listen(fd, unix.SOMAXCONN) })
}

// onSocket makes a call on the socket of a listener, which stays open
// meanwhile. A listener without a socket is net.ErrClosed.
func onSocket(listener net.Listener, do func(fd int) error) error {
	socket, ok := listener.(syscall.Conn)
	if !ok {
		return net.ErrClosed
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = do(int(fd)) }); err != nil {
		return err
	}
	return failed
}
