//go:build unix

package db

import (
	"errors"
	"net"
	"syscall"
)

// isSilent reports whether a connection is open and has received nothing
// unexpected. It neither blocks nor reads from the socket: the driver may have
// a reader blocked there, which Control, unlike Read, does not wait for.
func isSilent(conn net.Conn) bool {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	silent := false
	err = raw.Control(func(fd uintptr) {
		_, _, peeked := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		silent = errors.Is(peeked, syscall.EAGAIN)
	})
	return err == nil && silent
}
