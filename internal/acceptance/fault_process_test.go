package acceptance

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"gateway.example/internal/testenv"
)

// gatewayStandsStill has a gateway stand still for longer than it leases the feed of what users are told, and go on as if
// nothing had been.
func (s *stage) gatewayStandsStill(t *testing.T) {
	noError(t, s.a.cmd.Process.Signal(syscall.SIGSTOP))
	time.Sleep(12 * time.Second)
	noError(t, s.a.cmd.Process.Signal(syscall.SIGCONT))
}

// descriptorsAreTaken has a gateway open nothing more: no connection of a client, none to PostgreSQL or to a receiver.
func (s *stage) descriptorsAreTaken(t *testing.T) {
	pid := s.a.cmd.Process.Pid
	limits := func(descriptors string) {
		out, err := exec.Command("prlimit", "--pid", fmt.Sprint(pid), "--nofile="+descriptors+":").CombinedOutput()
		testenv.Check(t, err == nil, "prlimit: %v %s", err, out)
	}
	was := testenv.Must(exec.Command("prlimit", "--pid", fmt.Sprint(pid), "--nofile", "--output=SOFT", "--noheadings").Output())(t)
	limits("16")
	for range 4 { // what is open stays so: it has to come again
		client.Transport.(judged).next.(*http.Transport).CloseIdleConnections()
		s.connectionsEnd(t)
		time.Sleep(time.Second)
	}
	testenv.Check(t, strings.Contains(s.a.stderr.String(), "too many open files"), "the gateway had descriptors left")
	limits(strings.TrimSpace(string(was)))
}

// connectionsEnd ends all connections to PostgreSQL.
func (s *stage) connectionsEnd(t *testing.T) {
	testenv.Must(s.pool.Exec(t.Context(),
		"select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gateway'"))(t)
}

// memoryIsShort starts a gateway with a limit below what it needs, so that it collects garbage all the time. One that goes on
// beyond the limit of a machine or a container is killed.
func (s *stage) memoryIsShort(t *testing.T) {
	before := s.a.variables
	s.a.again(t, s.a.program, map[string]string{"GOMEMLIMIT": "16MiB"})
	time.Sleep(3 * time.Second)
	s.a.again(t, s.a.program, before)
}

// dnsFails has both gateways' names unknown: first nobody answers, then somebody who fails. The merchant's endpoint has a name,
// and what is to go there comes when names are known again.
func (s *stage) dnsFails(t *testing.T) {
	names := newNames(t)
	for _, g := range []*instance{s.a, s.b} {
		variables := map[string]string{"DNS_OF_TEST": names.address}
		if tmp := g.variables["TMPDIR"]; tmp != "" {
			variables["TMPDIR"] = tmp
		}
		g.again(t, s.unsteady, variables)
	}
	named := func(host string) *shop { // another each time: to a known one there are connections
		at := newShop(t, s.load.boxes[0].WebhookSecret)
		at.URL = strings.Replace(at.URL, "127.0.0.1", host+".localhost", 1)
		s.bad.Store(&[]*shop{at})
		return at
	}
	names.do.Store(knows)
	known := named("known")
	testenv.Until(t, "a webhook comes to a name", func() bool { return len(known.all()) > 0 })
	for do, lasts := range map[int32]time.Duration{silent: 4 * time.Second, fails: 3 * time.Second} {
		before := names.asked.Load()
		names.do.Store(do)
		named(fmt.Sprint("unknown-", do))
		time.Sleep(lasts)
		testenv.Check(t, names.asked.Load() > before, "no gateway has asked for a name while names do %d", do)
	}
	s.bad.Store(nil)
	names.do.Store(knows)
}

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
