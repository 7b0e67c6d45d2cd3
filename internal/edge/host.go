package edge

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// OnlyOwnHosts refuses calls whose Host is a name of somebody else's. A sandbox
// signs anybody in, so a page of a stranger, whose name is made to stand for
// this machine while it is open in a browser here, would be an operator. An
// address is no such name, nor is one without a dot, as networks of containers
// have.
func OnlyOwnHosts(next http.Handler, publicURLs ...string) http.Handler {
	var own []string
	for _, public := range publicURLs {
		if u, err := url.Parse(public); err == nil {
			own = append(own, strings.ToLower(u.Hostname()))
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.ToLower((&url.URL{Host: r.Host}).Hostname())
		_, err := netip.ParseAddr(name)
		if err != nil && strings.Contains(name, ".") && !slices.Contains(own, name) {
			http.Error(
				w,
				"This sandbox is not at this address: -base-url, -pay-url and -portal-url name those it is at.",
				http.StatusMisdirectedRequest,
			)
			return
		}
		next.ServeHTTP(w, r)
	})
}
