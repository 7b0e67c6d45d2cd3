package acceptance

import (
	"net"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"gateway.example/internal/testenv"
)

// asks has a program ask the test's names.
const asks = `package main

import (
	"context"
	"net"
	"os"
)

func init() {
	if at := os.Getenv("DNS_OF_TEST"); at != "" {
		net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp", at)
		}}
	}
}
`

// names is a server of names, each of which is of this machine.
type names struct {
	address string
	// do is what it does when it is asked.
	do, asked atomic.Int32
}

const (
	knows = iota
	silent
	fails
)

func newNames(t *testing.T) *names {
	t.Helper()
	listener := testenv.Must(net.ListenPacket("udp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	n := &names{address: listener.LocalAddr().String()}
	go func() {
		buffer := make([]byte, 1500)
		for {
			length, from, err := listener.ReadFrom(buffer)
			if err != nil {
				return
			}
			if answer := n.answer(buffer[:length]); answer != nil {
				_, _ = listener.WriteTo(answer, from)
			}
		}
	}()
	return n
}

func (n *names) answer(question []byte) []byte {
	n.asked.Add(1)
	var m dnsmessage.Message
	do := n.do.Load()
	if m.Unpack(question) != nil || do == silent {
		return nil
	}
	m.Response, m.Additionals = true, nil
	switch q := m.Questions[0]; {
	case do == fails:
		m.RCode = dnsmessage.RCodeServerFailure
	case q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class},
			Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	answer, _ := m.Pack()
	return answer
}
