package webhook

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
)

// The name of a host opens the address behind it, and not the address by itself: here loopback, which
// is not admitted otherwise.
func TestDialPrivateHost(t *testing.T) {
	t.Parallel()
	b := setupWith(t, outbound.NewAddresses(false, "localhost"), 0)
	r := newReceiver(t, codes(http.StatusOK))
	port := r.URL[strings.LastIndex(r.URL, ":"):]
	if id := b.insert(t, "http://localhost"+port+"/"); !b.once(t, id) || len(r.all()) != 1 {
		t.Errorf("%d webhooks went to the host", len(r.all()))
	}
	if id := b.insert(t, "http://127.0.0.1"+port+"/"); b.once(t, id) || len(r.all()) != 1 {
		t.Errorf("%d webhooks went to the address", len(r.all()))
	}
}

// What Check cannot know is judged where it is dialled: names, and spellings that only a resolver reads as an address.
func TestDialRefuses(t *testing.T) {
	t.Parallel()
	b := setupWith(t, outbound.NewAddresses(false), 0)
	r := newReceiver(t, codes(http.StatusOK))
	port := r.URL[strings.LastIndex(r.URL, ":"):]
	for _, host := range []string{
		"localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]",
		"10.0.0.1", "192.168.0.1", "169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "[fd00:ec2::254]",
		// Decimal, hexadecimal, octal and short spellings of 127.0.0.1.
		"2130706433", "0x7f000001", "0177.0.0.1", "127.1",
	} {
		revealsNothing(t, b.wantUnsent(t, host+port, notAllowed, notResolved))
	}
	testenv.Want(t, len(r.all()), 0, "webhooks went to loopback")
}

// Why nothing is sent to an address.
const (
	notAllowed  = "the address is not allowed"
	notResolved = "the host name could not be resolved"
)

// wantUnsent wants an event for a host not to be sent, for one of the reasons, which it returns.
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

// The sandbox's exception is loopback's alone.
func TestSandboxDialRefusesPrivate(t *testing.T) {
	b := setup(t)
	for _, host := range []string{"10.0.0.1", "169.254.169.254", "192.168.0.1", "[fe80::1]", "0.0.0.0"} {
		b.wantUnsent(t, host, notAllowed)
	}
}
