package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
)

// proxy stands between a gateway and PostgreSQL on a unix socket of its own, passes every byte on,
// and hands what was said to a tap.
type proxy struct {
	listener net.Listener
	dir      string
	server   string
	heard    func(unit)

	mu    sync.Mutex
	conns []net.Conn
	open  sync.WaitGroup
}

// socketFile is how PostgreSQL and its clients name a socket by the default port.
const socketFile = ".s.PGSQL.5432"

// openProxy listens in dir for those who want to reach the server of databaseURL.
func openProxy(ctx context.Context, dir, databaseURL string, heard func(unit)) (*proxy, error) {
	u, err := url.Parse(databaseURL)
	if err != nil {
		return nil, errors.New("the database's URL is not valid")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "unix", filepath.Join(dir, socketFile))
	if err != nil {
		return nil, fmt.Errorf("open a proxy: %w", err)
	}
	p := &proxy{listener: listener, dir: dir, server: filepath.Join(u.Query().Get("host"), socketFile), heard: heard}
	p.open.Go(p.accept)
	return p, nil
}

// url is the database's as seen through the proxy.
func (p *proxy) url(databaseURL string) string {
	u, err := url.Parse(databaseURL)
	if err != nil {
		return ""
	}
	query := u.Query()
	query.Set("host", p.dir)
	u.RawQuery = query.Encode()
	return u.String()
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", p.server) //nolint:noctx // ends with the proxy
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		t := newTap(p.heard)
		// The first message has no type.
		p.open.Go(func() { pump(client, server, true, t.fromClient) })
		p.open.Go(func() { pump(server, client, false, t.fromServer) })
	}
}

func (p *proxy) close() {
	_ = p.listener.Close()
	p.mu.Lock()
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	p.mu.Unlock()
	p.open.Wait()
}

// pump copies messages one way until either end closes. What is heard of a message is noted before
// it is passed on, so that nobody can know of an answer that is not noted. Messages that came
// together go on together.
func pump(from, to net.Conn, untypedFirst bool, hear func(kind byte, body []byte)) {
	defer func() { _, _ = from.Close(), to.Close() }()
	in, out := bufio.NewReaderSize(from, 64<<10), bufio.NewWriterSize(to, 64<<10)
	for untyped := untypedFirst; ; untyped = false {
		message, err := readMessage(in, untyped)
		if err != nil {
			return
		}
		if !untyped {
			hear(message[0], message[5:])
		}
		if _, err := out.Write(message); err != nil {
			return
		}
		if in.Buffered() > 0 {
			continue
		}
		if err := out.Flush(); err != nil {
			return
		}
	}
}

const maxMessage = 1 << 28

// readMessage reads a message whole: a byte of type, but for the first, then a length that counts
// itself.
func readMessage(in *bufio.Reader, untyped bool) ([]byte, error) {
	head := 5
	if untyped {
		head = 4
	}
	peeked, err := in.Peek(head)
	if err != nil {
		return nil, err
	}
	length := binary.BigEndian.Uint32(peeked[head-4:])
	if length < 4 || length > maxMessage {
		return nil, errors.New("not a message of PostgreSQL's")
	}
	message := make([]byte, head-4+int(length))
	_, err = io.ReadFull(in, message)
	return message, err
}
