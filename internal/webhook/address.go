package webhook

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"code.dny.dev/ssrf"
)

// Addresses decides which addresses webhooks may go to. The zero value is of no use: call
// NewAddresses.
type Addresses struct {
	guard *ssrf.Guardian
	// loopback also admits http to a loopback address, in the sandbox.
	loopback bool
}

// NewAddresses refuses loopback, private, link-local, metadata and every other address that is not
// public. With loopback, as in the sandbox, it takes http to a loopback address too.
func NewAddresses(loopback bool) *Addresses {
	options := []ssrf.Option{ssrf.WithAnyPort(), ssrf.WithNetworks("tcp4", "tcp6")}
	if loopback {
		options = append(options,
			ssrf.WithAllowedV4Prefixes(netip.MustParsePrefix("127.0.0.0/8")),
			ssrf.WithAllowedV6Prefixes(netip.MustParsePrefix("::1/128")))
	}
	return &Addresses{guard: ssrf.New(options...), loopback: loopback}
}

// Check says what is wrong with an address a merchant gives, or "". Names are looked up only at
// delivery, where the address really dialled is judged.
func (a *Addresses) Check(address string) string {
	if flaw := a.CheckLink(address); flaw != "" {
		return flaw
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme == "http":
		return "" // one of the sandbox's, which is loopback
	case isLoopback(u.Hostname()) || !a.public(u.Hostname()):
		return "must not name a loopback, private, link-local or metadata address"
	}
	return ""
}

// CheckLink says what is wrong with an address that only a browser opens, or "".
func (a *Addresses) CheckLink(address string) string {
	u, err := url.Parse(address)
	switch {
	case len(address) > maxAddress:
		return "must be at most 2048 characters"
	case err != nil || u.Opaque != "" || u.Hostname() == "":
		return "must be an absolute https URL"
	case u.User != nil:
		return "must not carry a user name or password"
	case u.Scheme == "http" && a.loopback && isLoopback(u.Hostname()):
		return ""
	case u.Scheme != "https":
		return "must be an https URL"
	}
	return ""
}

const maxAddress = 2048

// isLoopback knows loopback by address and by its reserved name.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// public judges a literal address; of a name it knows nothing yet.
func (a *Addresses) public(host string) bool {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return true
	}
	return a.guard.SafeAddr(ip.Unmap().WithZone("")) == nil
}

// Dial connects to admitted addresses only, for others who call what somebody named.
func (a *Addresses) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout, Control: a.guard.Safe}
	return dialer.DialContext(ctx, network, address)
}

const dialTimeout = 15 * time.Second

// client sends webhooks: to admitted addresses only, following no redirect, through no proxy.
func (a *Addresses) client(timeout time.Duration) *http.Client {
	dialer := &net.Dialer{Timeout: timeout, Control: a.guard.Safe}
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true,
			MaxIdleConnsPerHost:    maxIdlePerHost,
			IdleConnTimeout:        time.Minute,
			TLSHandshakeTimeout:    timeout,
			MaxResponseHeaderBytes: 16 << 10,
		},
	}
}

const maxIdlePerHost = 16
