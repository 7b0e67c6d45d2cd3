//go:build unix

package db

import (
	"net"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// sockets are both ends of a TCP connection.
func sockets(t *testing.T) (ours, theirs net.Conn) {
	t.Helper()
	listener := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = listener.Close() }()
	ours = testenv.Must(net.Dial("tcp", listener.Addr().String()))(t)
	theirs = testenv.Must(listener.Accept())(t)
	t.Cleanup(func() { _, _ = ours.Close(), theirs.Close() })
	return ours, theirs
}

// await waits until a socket is no longer silent: what is sent takes a moment,
// on loopback too.
func await(t *testing.T, conn net.Conn) {
	t.Helper()
	testenv.Until(t, "the socket is no longer silent", func() bool { return !isSilent(conn) })
}

func TestSilent(t *testing.T) {
	t.Parallel()
	ours, theirs := sockets(t)
	testenv.Check(t, isSilent(ours), "nothing was sent")
	_, _ = theirs.Write([]byte("E"))
	await(t, ours)
	one := make([]byte, 1)
	n, err := ours.Read(one)
	testenv.Check(t, n == 1 && err == nil && isSilent(ours), "looking has changed what is read: %d, %v", n, err)
	_ = theirs.Close()
	await(t, ours)
	_ = ours.Close()
	testenv.Check(t, !isSilent(ours), "our own end is closed")
}

// The driver leaves a reader blocked on a connection on which it once could not
// write at once. Whoever looks must not wait for it.
func TestSilentBesideAReader(t *testing.T) {
	t.Parallel()
	ours, theirs := sockets(t)
	reading := make(chan error, 1)
	go func() { _, err := ours.Read(make([]byte, 1)); reading <- err }()
	time.Sleep(50 * time.Millisecond) // the reader is there, or comes while we look
	looked := make(chan bool, 1)
	go func() { looked <- isSilent(ours) }()
	select {
	case silent := <-looked:
		testenv.Check(t, silent, "nothing was sent")
	case <-time.After(testenv.Patience):
		t.Error("it waits for the reader")
	}
	_ = theirs.Close()
	<-reading
	await(t, ours)
}
