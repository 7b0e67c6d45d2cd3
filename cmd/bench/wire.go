package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
)

// wire is a client's kept-alive connection. It sends requests as they were made and reuses its
// buffers, so that the generator takes as little of the machine as it can.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	body bytes.Buffer
}

func dial(ctx context.Context, address string) (*wire, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("reach the gateway: %w", err)
	}
	return &wire{conn: conn, in: bufio.NewReaderSize(conn, 8<<10)}, nil
}

// errStatus is an answer that is no success, and errBusy one that asks to come again.
var (
	errStatus = errors.New("the gateway answered")
	errBusy   = fmt.Errorf("%w, busy", errStatus)
)

// send sends a request and reads the answer, whose body stays valid until the next.
func (w *wire) send(request []byte) ([]byte, error) {
	if _, err := w.conn.Write(request); err != nil {
		return nil, fmt.Errorf("send: %w", err)
	}
	response, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	w.body.Reset()
	_, err = io.Copy(&w.body, response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if response.StatusCode/100 != http.StatusOK/100 {
		status := errStatus
		if response.StatusCode == http.StatusServiceUnavailable {
			status = errBusy
		}
		return nil, fmt.Errorf("%w %d: %s", status, response.StatusCode, w.body.Bytes())
	}
	return w.body.Bytes(), nil
}

// dialAll opens a connection for each client; hangUp closes them.
func dialAll(ctx context.Context, address string, clients int) (wires []*wire, hangUp func(), err error) {
	hangUp = func() {
		for _, w := range wires {
			_ = w.conn.Close()
		}
	}
	for range clients {
		w, err := dial(ctx, address)
		if err != nil {
			hangUp()
			return nil, nil, err
		}
		wires = append(wires, w)
	}
	return wires, hangUp, nil
}
