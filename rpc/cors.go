package rpc

import (
	"net/http"
	"strings"

	"gateway.example/internal/edge"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
)

// checkoutPrefixes are the paths that any page may call: their link is the access, and no cookie
// means anything there.
var checkoutPrefixes = []string{"/api/v1/checkout/", "/" + gatewayv1connect.CheckoutServiceName + "/"}

// AllowCheckout lets pages of every origin call the checkout, without credentials. It is the
// outermost layer, so that errors of whatever is inside can be read too.
func AllowCheckout(next http.Handler) http.Handler {
	preflight := edge.WithRequestID(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		header := w.Header()
		header.Set("Access-Control-Allow-Methods", "GET, POST")
		header.Set(
			"Access-Control-Allow-Headers",
			"Content-Type, X-Request-Id, Connect-Protocol-Version, Connect-Timeout-Ms",
		)
		header.Set("Access-Control-Max-Age", "7200")
		w.WriteHeader(http.StatusNoContent)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isCheckout(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Expose-Headers", "Retry-After, X-Request-Id")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			preflight.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isCheckout(path string) bool {
	for _, prefix := range checkoutPrefixes {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}
