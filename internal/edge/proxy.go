package edge

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"gateway.example/internal/limit"
)

// Proxies are the networks of the load balancers and reverse proxies in front
// of the program.
type Proxies []netip.Prefix

// ParseProxies parses a list of networks or addresses, separated by commas.
func ParseProxies(list string) (Proxies, error) {
	var trusted Proxies
	for text := range strings.SplitSeq(list, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		network, err := netip.ParsePrefix(text)
		if address, one := netip.ParseAddr(text); one == nil {
			network, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("-trusted-proxies: %q is neither a network nor an address", text)
		}
		trusted = append(trusted, network.Masked())
	}
	return trusted, nil
}

// has reports whether an address is a proxy's.
func (p Proxies) has(address netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(address) })
}

// In gives the handler the client's address instead of a proxy's. Each proxy
// appends the address it was called from to X-Forwarded-For, so the last one
// that is not a proxy is the client. Anybody may have written what is before
// it.
func (p Proxies) In(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chain := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		for client, err := limit.ParseAddress(r.RemoteAddr); err == nil && p.has(client) && len(chain) > 0; {
			last := len(chain) - 1
			if client, err = limit.ParseAddress(strings.TrimSpace(chain[last])); err == nil {
				r.RemoteAddr = client.String()
			}
			chain = chain[:last]
		}
		handler.ServeHTTP(w, r)
	})
}
