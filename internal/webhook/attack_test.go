package webhook

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
)

// names is a DNS server of an attacker's. What a name stands for may be another
// address at each question.
type names struct {
	mu    sync.Mutex
	of    map[string][]string
	asked map[string]int
}

// answer takes the next of a name's addresses, and stays with the last. Several
// in one, separated by commas, are one answer.
func (n *names) answer(name string) []netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	turns := n.of[strings.TrimSuffix(name, ".")]
	if len(turns) == 0 {
		return nil
	}
	turn := turns[min(n.asked[name], len(turns)-1)]
	n.asked[name]++
	var all []netip.Addr
	for one := range strings.SplitSeq(turn, ",") {
		all = append(all, netip.MustParseAddr(one))
	}
	return all
}

// reply answers a question for IPv4 addresses, and with those of IPv6 the one
// for these.
func (n *names) reply(question []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return nil, err
	}
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	asked := m.Questions[0]
	var found []netip.Addr
	if v6 := strings.HasPrefix(asked.Name.String(), "v6-"); v6 == (asked.Type == dnsmessage.TypeAAAA) {
		found = n.answer(asked.Name.String())
	}
	for _, address := range found {
		head := dnsmessage.ResourceHeader{Name: asked.Name, Class: dnsmessage.ClassINET}
		var body dnsmessage.ResourceBody = &dnsmessage.AAAAResource{AAAA: address.As16()}
		if asked.Type == dnsmessage.TypeA {
			body = &dnsmessage.AResource{A: address.As4()}
		}
		m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: body})
	}
	return m.Pack()
}

// resolveBy has every lookup of this process asked of the server until the test
// ends. Tests that run at the same time would ask it too, so the test that
// calls it must not be parallel.
func resolveBy(t *testing.T, n *names) {
	t.Helper()
	conn := testenv.Must(net.ListenPacket("udp", "127.0.0.1:0"))(t)
	go func() {
		packet := make([]byte, 1500)
		for {
			size, from, err := conn.ReadFrom(packet)
			if err != nil {
				return // the test has ended
			}
			if answer, err := n.reply(packet[:size]); err == nil {
				_, _ = conn.WriteTo(answer, from)
			}
		}
	}()
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
	t.Cleanup(func() {
		net.DefaultResolver = before
		_ = conn.Close()
	})
}

// A name is judged by the address that is dialled, at each attempt anew: that
// it stood for an admitted one before helps nobody.
func TestRebinding(t *testing.T) {
	n := &names{asked: map[string]int{}, of: map[string][]string{
		"rebinds.test": {"127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0"},
		"both.test":    {"10.0.0.1,169.254.169.254"},
	}}
	resolveBy(t, n)
	b := setupWith(t, outbound.NewAddresses(true), 0) // a sandbox, which sends to loopback
	r := newReceiver(t, func(w http.ResponseWriter, _ int) {
		w.Header().Set("Connection", "close") // the next attempt looks the name up
	})
	id := b.insert(t, "http://rebinds.test"+r.Port()+"/")
	testenv.Need(t, b.once(t, id), "the first address was not called")
	for _, host := range []string{"rebinds.test", "rebinds.test", "rebinds.test", "both.test"} {
		b.wantUnsent(t, host+r.Port(), notAllowed)
	}
	testenv.Want(t, len(r.All()), 1, "webhooks arrived")
}

// What a name stands for in either family, or what a client reads as an address
// by itself, is judged as the address that is dialled.
func TestNamesOfPrivateAddresses(t *testing.T) {
	n := &names{asked: map[string]int{}, of: map[string][]string{}}
	hosts := testenv.Rows(t, "names.txt")
	for _, row := range hosts {
		if len(row) > 1 {
			n.of[row[0]] = row[1:]
		}
	}
	resolveBy(t, n)
	b := setupWith(t, outbound.NewAddresses(false), 0)
	r := newReceiver(t, codes(http.StatusOK))
	for _, row := range hosts {
		reasons := []string{notAllowed, notResolved}
		b.wantUnsent(t, row[0]+r.Port(), reasons[:3-len(row)]...)
	}
	testenv.Want(t, len(r.All()), 0, "webhooks went to loopback")
}

// The name of a host opens the address behind it, and not the address by
// itself: here loopback, which is not admitted otherwise.
func TestDialPrivateHost(t *testing.T) {
	t.Parallel()
	b := setupWith(t, outbound.NewAddresses(false, "localhost"), 0)
	r := newReceiver(t, codes(http.StatusOK))
	for host, goes := range map[string]bool{"localhost": true, "127.0.0.1": false} {
		testenv.Want(t, b.once(t, b.insert(t, "http://"+host+r.Port()+"/")), goes, "a webhook goes to %s", host)
	}
	testenv.Want(t, len(r.All()), 1, "webhooks that went there")
}

// What Check cannot know is judged where it is dialled: names, and spellings
// that only a resolver reads as an address. The sandbox's exception is
// loopback's alone.
func TestDialRefuses(t *testing.T) {
	t.Parallel()
	loopback := []string{
		"localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::]", "[::ffff:169.254.169.254]", "[fd00:ec2::254]",
		// Decimal, hexadecimal, octal and short spellings of 127.0.0.1.
		"2130706433", "0x7f000001", "0177.0.0.1", "127.1",
	}
	for sandbox, reasons := range map[bool][]string{false: {notAllowed, notResolved}, true: {notAllowed}} {
		hosts := []string{"10.0.0.1", "192.168.0.1", "169.254.169.254", "[fe80::1]", "0.0.0.0"}
		if !sandbox {
			hosts = append(hosts, loopback...)
		}
		b := setupWith(t, outbound.NewAddresses(sandbox), 0)
		r := newReceiver(t, codes(http.StatusOK))
		for _, host := range hosts {
			revealsNothing(t, b.wantUnsent(t, host+r.Port(), reasons...))
		}
		testenv.Want(t, len(r.All()), 0, "webhooks went to loopback")
	}
}

// Why nothing is sent to an address.
const (
	notAllowed  = "the address is not allowed"
	notResolved = "the host name could not be resolved"
)

// wantUnsent wants an event for a host not to be sent, for one of the reasons,
// which it returns.
func (b *bundle) wantUnsent(t *testing.T, host string, reasons ...string) string {
	t.Helper()
	id := b.insert(t, "http://"+host+"/")
	if b.once(t, id) {
		t.Errorf("%s: delivered", host)
		return ""
	}
	problem := b.await(t, id, 1)[0].Error
	if problem == nil || !slices.Contains(reasons, *problem) {
		t.Errorf("%s: %v", host, problem)
		return ""
	}
	return *problem
}

// An endpoint that switches to another protocol has answered, and then says
// nothing for as long as it likes. Its connection would be the caller's, whom
// no time limit frees.
func TestSwitchedProtocol(t *testing.T) {
	t.Parallel()
	b := setupWith(t, outbound.NewAddresses(true), time.Second)
	r := newReceiver(t, func(w http.ResponseWriter, _ int) {
		conn, _ := testenv.Must2(http.NewResponseController(w).Hijack())(t)
		t.Cleanup(func() { _ = conn.Close() })
		_, _ = conn.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: silence\r\n\r\n"))
	})
	id := b.add(t, r.URL)
	code := b.await(t, id, 1)[0].StatusCode
	testenv.Check(t, code != nil && *code == http.StatusSwitchingProtocols && b.status(t, id) == statusPending,
		"answered %v, and the event is %s", code, b.status(t, id))
}
