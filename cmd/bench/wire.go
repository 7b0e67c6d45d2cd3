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
	"strings"
	"sync/atomic"
	"time"
)

// wire is a client's keep-alive connection. It sends ready-made requests and
// reuses its buffers, so that the bench takes as little CPU as possible.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	body bytes.Buffer
}

// errStatus is an answer other than success, errBusy one that asks to try
// again.
var (
	errStatus = errors.New("the gateway answered")
	errBusy   = fmt.Errorf("%w, busy", errStatus)
)

// send sends a request and reads the answer. The body stays valid until the
// next call.
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
		return nil, fmt.Errorf("%w %s: %s", statusError(response), response.Status, w.body.Bytes())
	}
	return w.body.Bytes(), nil
}

func statusError(response *http.Response) error {
	if response.StatusCode == http.StatusServiceUnavailable {
		return errBusy
	}
	return errStatus
}

// busyMost is how long a call may be busy before the measurement fails.
const busyMost = 5 * time.Second

// busyAnswers counts the calls that were busy and tried again.
var busyAnswers atomic.Int64

// insist tries again while the answer is busy, as callers do. The whole time
// counts.
func insist[T any](ask func() (T, error)) (T, error) {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		answer, err := ask()
		if !errors.Is(err, errBusy) || time.Since(began) > busyMost {
			return answer, err
		}
		busyAnswers.Add(1)
	}
}

// address is the host and port of the gateway's API.
func (b *bench) address() string {
	return strings.TrimPrefix(b.gateway.BaseURL, "http://")
}

// callers are clients of the gateway, each with a connection. Their requests
// are made beforehand; a client that has used up its own makes more.
type callers struct {
	wires []*wire
	make  func(client int) []byte
	// made has a list for each client, so that they need no lock.
	made [][][]byte
}

// callers connects them. The gateway closes idle connections, so they are
// opened just before they are needed.
func (b *bench) callers(ctx context.Context, clients int, request func(client int) []byte) *callers {
	c := &callers{make: request, made: make([][][]byte, clients)}
	for range clients {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", b.address())
		if err != nil {
			c.hangUp()
			check(err, "reach the gateway")
		}
		c.wires = append(c.wires, &wire{conn: conn, in: bufio.NewReaderSize(conn, 8<<10)})
	}
	return c
}

func (c *callers) hangUp() {
	for _, w := range c.wires {
		_ = w.conn.Close()
	}
}

// prepare makes so many requests beforehand.
func (c *callers) prepare(count int) {
	for client := range c.made {
		c.made[client] = nil
		for range count / len(c.made) {
			c.made[client] = append(c.made[client], c.make(client))
		}
	}
}

func (c *callers) take(client int) []byte {
	list := c.made[client]
	if len(list) == 0 {
		return c.make(client)
	}
	c.made[client] = list[1:]
	return list[0]
}

// act sends the client's next request until it is accepted.
func (c *callers) act(_ context.Context, client int) (bool, error) {
	request := c.take(client)
	_, err := insist(func() ([]byte, error) { return c.wires[client].send(request) })
	return err == nil, err
}

// each sends count requests over all clients and passes the answers to read,
// unless that is nil. It returns the time this took, without connecting.
func (b *bench) each(ctx context.Context, count int, request func(i int) []byte, read func(i int, answer []byte) error) time.Duration {
	c := b.callers(ctx, b.clients, nil)
	defer c.hangUp()
	return must(workOff(ctx, b.clients, count, func(_ context.Context, client, i int) error {
		made := request(i)
		answer, err := insist(func() ([]byte, error) { return c.wires[client].send(made) })
		if err == nil && read != nil {
			err = read(i, answer)
		}
		return err
	}))
}

// along lets clients call again and again until the part ends. They may be
// busy.
func (b *bench) along(ctx context.Context, clients int, request func(client int) []byte) {
	c := b.callers(ctx, clients, request)
	b.atEnd(meanwhile(ctx, func(ctx context.Context) {
		context.AfterFunc(ctx, c.hangUp)
		_, _, err := closedLoop(ctx, clients, time.Hour, func(_ context.Context, client int) (bool, error) {
			_, err := c.wires[client].send(c.take(client))
			if errors.Is(err, errStatus) {
				err = nil
			}
			return true, err
		})
		if err != nil && ctx.Err() == nil {
			b.say("  beside it: %v", err)
		}
	}))
}

// bearer is a Connect call in JSON, authenticated by a bearer token.
func (b *bench) bearer(procedure, token, body string) []byte {
	return post(b.address(), procedure, []byte(body), "Authorization", "Bearer "+token)
}

const (
	operatorService = "/portal.v1.OperatorService/"
	traderService   = "/portal.v1.TraderService/"
)

// get loads a page. A redirect to the sign-in is an error.
func get(ctx context.Context, client *http.Client, address string, header map[string]string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err == nil && (response.StatusCode != http.StatusOK || response.Header.Get("HX-Redirect") != "") {
		_ = response.Body.Close()
		err = fmt.Errorf("%w: %s of %s", statusError(response), response.Status, request.URL.Path)
	}
	return response, err
}

// read loads a page uncompressed.
func read(ctx context.Context, address string) ([]byte, error) {
	response, err := get(ctx, http.DefaultClient, address, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	return io.ReadAll(response.Body)
}
