package edge

import (
	"bytes"
	"errors"
	"net"
	"strconv"
)

// OneLength wraps a TCP listener. It refuses a request with a second
// Content-Length, or with a Transfer-Encoding as well, and closes its
// connection: a proxy in front may have seen a different end of the body. It
// works on the bytes, because net/http drops the length before a handler sees
// the request.
func OneLength(l net.Listener) net.Listener { return oneLength{l} }

type oneLength struct{ net.Listener }

func (l oneLength) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		return &framedConn{TCPConn: tcp}, err
	}
	return conn, err
}

var errTwoLengths = errors.New("a request has two lengths, or one that is no number")

// A framedConn follows the requests that are read from it. It stops at chunked
// bodies, after which the server closes the connection, and at a line that
// net/http itself refuses.
type framedConn struct {
	*net.TCPConn

	blind bool
	begun bool   // the request's first line has come
	line  []byte // the next, as far as it has come
	// sized and chunked say that a Content-Length or a Transfer-Encoding
	// was seen.
	sized, chunked bool
	length         []byte // the values of Content-Length
	inLength       bool   // the last field was one: the next line may go on with it
	body           int64  // bytes that are left of it
}

const longestLine = 1 << 20 // net/http gives up before

func (c *framedConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	for rest := p[:n]; len(rest) > 0 && !c.blind; {
		if skip := min(c.body, int64(len(rest))); skip > 0 {
			c.body, rest = c.body-skip, rest[skip:]
			continue
		}
		line, behind, whole := bytes.Cut(rest, []byte("\n"))
		if !whole || len(c.line) > 0 {
			c.line = append(c.line, line...)
			line = c.line
		}
		if !whole {
			c.blind = len(c.line) > longestLine
			break
		}
		c.line, rest = c.line[:0], behind
		if !c.take(bytes.TrimSuffix(line, []byte("\r"))) {
			return 0, errTwoLengths // net/http answers 400
		}
	}
	return n, err
}

// take reports whether a request may go on after this line of its head.
func (c *framedConn) take(line []byte) bool {
	switch {
	case !c.begun:
		c.begun = true
	case len(line) == 0:
		return c.end()
	case line[0] == ' ' || line[0] == '\t': // it goes on with the field above
		if c.inLength {
			c.length = append(c.length, line...)
		}
	default:
		name, value, _ := bytes.Cut(line, []byte(":"))
		c.inLength = bytes.EqualFold(name, []byte("Content-Length"))
		c.chunked = c.chunked || bytes.EqualFold(name, []byte("Transfer-Encoding"))
		if c.inLength {
			c.sized, c.length = true, append(append(c.length, ' '), value...)
		}
	}
	return true
}

// end reports whether the head leaves no doubt about the body's length, and
// begins the body.
func (c *framedConn) end() bool {
	sized, length := c.sized, c.length
	c.begun, c.sized, c.inLength, c.length, c.body, c.blind = false, false, false, c.length[:0], 0, c.chunked
	if !sized {
		return true
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(length)), 10, 63)
	c.body = int64(n)
	return err == nil && !c.chunked
}
