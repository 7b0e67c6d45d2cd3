// Package outbound decides which addresses the gateway calls when somebody else
// names them: merchants' webhooks, feeds of rates, and traders' processors.
package outbound

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"code.dny.dev/ssrf"
)

// Addresses decides which addresses may be called. It is made by NewAddresses
// or NewAddressesWithin.
type Addresses struct {
	guard *ssrf.Guardian
	// loopback also admits http to a loopback address, in the sandbox.
	loopback bool
	// private are the names of hosts that may have any address, and may be
	// called over http.
	private []string
}

// NewAddresses refuses every address that is not public, such as loopback,
// private, link-local and metadata addresses. With loopback, as in the sandbox,
// it also admits http to loopback addresses. Private names hosts, in lower
// case, that are admitted whatever their address is.
func NewAddresses(loopback bool, private ...string) *Addresses {
	return &Addresses{guard: guard(loopback, nil), loopback: loopback, private: private}
}

// NewAddressesWithin also admits https to these networks, for services in the
// operator's own network.
func NewAddressesWithin(loopback bool, networks []netip.Prefix) *Addresses {
	return &Addresses{guard: guard(loopback, networks), loopback: loopback}
}

// guard makes the check of addresses. It judges the address that is connected
// to and not the name, so that a name cannot lead to another address later. It
// admits what is public and the given networks, at any port.
func guard(loopback bool, networks []netip.Prefix) *ssrf.Guardian {
	if loopback {
		networks = append(slices.Clone(networks),
			netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	}
	var v4, v6 []netip.Prefix
	for _, network := range networks {
		if network.Addr().Is4() {
			v4 = append(v4, network)
		} else {
			v6 = append(v6, network)
		}
	}
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithNetworks("tcp4", "tcp6"),
		ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
}

// Check says what is wrong with an address that somebody wants to be called, or
// "". It does not look names up, so a name may still stand for a private
// address: Dial and Client judge the address that they connect to.
func (a *Addresses) Check(address string) string {
	if flaw := a.check(address, a.isPrivate); flaw != "" {
		return flaw
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme == "http" || a.isPrivate(u.Hostname()):
		return "" // http is admitted for some hosts of the sandbox only
	case isLoopback(u.Hostname()) || !a.public(u.Hostname()):
		return "must not name a loopback, private, link-local or metadata address"
	}
	return ""
}

// isPrivate tells whether a host is admitted whatever its address is.
func (a *Addresses) isPrivate(host string) bool {
	return slices.Contains(a.private, strings.ToLower(strings.TrimSuffix(host, ".")))
}

// CheckLink says what is wrong with an address that only a browser opens, or
// "".
func (a *Addresses) CheckLink(address string) string {
	return a.check(address, func(string) bool { return false })
}

// check judges the form of an address. It takes http to loopback, in a sandbox,
// and to plain hosts.
//
//rule:which addresses the gateway calls
func (a *Addresses) check(address string, plain func(host string) bool) string {
	u, err := url.Parse(address)
	switch {
	case len(address) > maxAddress:
		return "must be at most 2048 characters"
	case err != nil || u.Hostname() == "":
		return "must be an absolute https URL"
	case u.User != nil:
		return "must not carry a user name or password"
	case u.Scheme == "http" && (a.loopback && isLoopback(u.Hostname()) || plain(u.Hostname())):
		return ""
	case u.Scheme != "https":
		return "must be an https URL"
	}
	return ""
}

const maxAddress = 2048

// isLoopback recognises loopback addresses and the names reserved for them.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// public judges a literal address. Every name passes.
func (a *Addresses) public(host string) bool {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return true
	}
	return a.guard.SafeAddr(ip.Unmap().WithZone("")) == nil
}

// Dial connects, if the address that a name stands for now is admitted. It does
// not know the private hosts.
func (a *Addresses) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout, Control: a.guard.Safe}
	return dialer.DialContext(ctx, network, address)
}

const dialTimeout = 15 * time.Second

// Client returns a client that calls admitted addresses only. It follows no
// redirect and uses no proxy.
func (a *Addresses) Client(timeout time.Duration) *http.Client {
	guarded := &net.Dialer{Timeout: timeout, Control: a.guard.Safe}
	free := &net.Dialer{Timeout: timeout}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, _, err := net.SplitHostPort(address); err == nil && a.isPrivate(host) {
			return free.DialContext(ctx, network, address)
		}
		return guarded.DialContext(ctx, network, address)
	}
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: Transport(&http.Transport{
			DialContext:            dial,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true,
			MaxIdleConnsPerHost:    maxIdlePerHost,
			IdleConnTimeout:        time.Minute,
			TLSHandshakeTimeout:    timeout,
			MaxResponseHeaderBytes: 16 << 10,
		}),
	}
}

// Watched stands in for the transport of every client. Only tests have one, and
// a program that they can kill at each of its calls.
var Watched func(http.RoundTripper) http.RoundTripper

// Transport is that of a client that calls addresses which somebody else names.
func Transport(transport http.RoundTripper) http.RoundTripper {
	transport = unswitched{transport}
	if Watched == nil {
		return transport
	}
	return Watched(transport)
}

// unswitched hangs up on who answers in another protocol than HTTP: net/http
// gives such a connection away, and no time limit ends what is read from it.
type unswitched struct{ http.RoundTripper }

func (u unswitched) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := u.RoundTripper.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusSwitchingProtocols {
		_ = response.Body.Close()
		response.Body = http.NoBody
	}
	return response, err
}

const maxIdlePerHost = 16

// maxRetryAfter limits the wait that an answer can ask for.
const maxRetryAfter = 24 * time.Hour

// RetryAfter parses the Retry-After header of an answer, in seconds or as a
// date; any other value is 0.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	}
	if date, err := http.ParseTime(text); err == nil {
		return min(max(date.Sub(now), 0), maxRetryAfter)
	}
	return 0
}
