package acceptance

import (
	"fmt"
	"net/http"
	"testing"
)

// The pages of the ledger are published on the API address and the portal alike, to anybody, and may
// be kept by caches for a while.
func TestLedgerRoots(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for _, address := range []string{g.BaseURL, g.PortalURL} {
		const path = "/.well-known/ledger-roots.json"
		got := fetched(t, http.MethodGet, address+path, "", nil)
		if got.status != http.StatusOK || got.text("format") != "gateway-ledger-roots-1" ||
			got.header.Get("Cache-Control") != "public, max-age=300" ||
			got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s, %v", address, got, got.header)
		}
		got = fetched(t, http.MethodGet, address+path+"?month=2026-13", "", nil)
		got.want(t, fmt.Sprintf("%s, a month that there is not", address), http.StatusNotFound)
	}
}
