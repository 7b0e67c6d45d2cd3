package rpc

import (
	"net/http"
	"slices"
	"strings"

	"gateway.example/internal/edge"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
)

// pages says which paths pages of other origins may call, and what browsers are
// told. None of them uses cookies: a link gives access to the checkout, and
// portals send a bearer token that their own script holds.
type pages struct {
	prefixes         []string
	methods, headers string
	// origins are those whose pages may call; with any, all may.
	origins   []string
	anyOrigin bool
}

// rules are the checkout's, for all pages, and the portals', for the configured
// origins.
func rules(portalOrigins []string) []pages {
	const connectHeaders = "Content-Type, X-Request-Id, Connect-Protocol-Version, Connect-Timeout-Ms"
	return []pages{{
		prefixes: []string{"/api/v1/checkout/", "/" + gatewayv1connect.CheckoutServiceName + "/"},
		methods:  "GET, POST", headers: connectHeaders,
		anyOrigin: true,
	}, {
		prefixes: []string{"/portal.v1.", "/api/merchant-portal/"},
		methods:  "GET, POST, DELETE", headers: "Authorization, " + connectHeaders,
		origins: portalOrigins,
	}}
}

// AllowPages lets pages of every origin call the checkout, and those of the
// given origins the portals. It has to be the outermost handler, so that pages
// can read every error.
func AllowPages(portalOrigins []string, next http.Handler) http.Handler {
	all := rules(portalOrigins)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := slices.IndexFunc(all, func(p pages) bool { return p.has(r.URL.Path) })
		if i < 0 || !all[i].allow(w.Header(), r.Header.Get("Origin")) {
			next.ServeHTTP(w, r)
			return
		}
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			edge.WithRequestID(http.HandlerFunc(all[i].preflight)).ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (p pages) has(path string) bool {
	return slices.ContainsFunc(p.prefixes, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// allow tells the browser that a page of the origin may read the answer, if it
// may.
func (p pages) allow(header http.Header, origin string) bool {
	allowed := "*"
	if !p.anyOrigin {
		header.Add("Vary", "Origin") // no cache gives one origin's answer to another
		if !slices.Contains(p.origins, origin) {
			return false
		}
		allowed = origin
	}
	header.Set("Access-Control-Allow-Origin", allowed)
	header.Set("Access-Control-Expose-Headers", "Retry-After, X-Request-Id")
	return true
}

func (p pages) preflight(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	header.Set("Access-Control-Allow-Methods", p.methods)
	header.Set("Access-Control-Allow-Headers", p.headers)
	header.Set("Access-Control-Max-Age", "7200")
	w.WriteHeader(http.StatusNoContent)
}
