//go:build unix

package db

import (
	"errors"
	"net"
	"syscall"
)

// isSilent reports whether a connection is open and nothing has arrived on it that nobody asked for. It does not wait.
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
	err = raw.Read(func(fd uintptr) bool {
		_, readErr := syscall.Read(int(fd), make([]byte, 1))
		silent = errors.Is(readErr, syscall.EAGAIN)
		return true // whatever was there: do not wait for more
	})
	return err == nil && silent
}
