package edge

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A client is who the last of our proxies heard, and nobody can write themselves another address.
func TestProxies(t *testing.T) {
	t.Parallel()
	trusted, err := ParseProxies("10.0.0.0/8, 192.0.2.1,2001:db8::/32")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ from, chain, want string }{
		{"203.0.113.9:4711", "", "203.0.113.9:4711"},
		{"203.0.113.9:4711", "198.51.100.1", "203.0.113.9:4711"},
		{"10.1.2.3:80", "", "10.1.2.3:80"},
		{"10.1.2.3:80", "198.51.100.1", "198.51.100.1"},
		{"10.1.2.3:80", "198.51.100.7, 198.51.100.1", "198.51.100.1"},
		{"10.1.2.3:80", "198.51.100.7,198.51.100.1, 192.0.2.1,10.9.9.9", "198.51.100.1"},
		{"10.1.2.3:80", "198.51.100.1:50000", "198.51.100.1"},
		{"[::ffff:10.1.2.3]:80", "2001:db9::1", "2001:db9::1"},
		{"[2001:db8::7]:80", "198.51.100.1", "198.51.100.1"},
		{"192.0.2.2:80", "198.51.100.1", "192.0.2.2:80"},
		{"10.1.2.3:80", "no address", "10.1.2.3:80"},
		{"10.1.2.3:80", "198.51.100.1, no address, 10.9.9.9", "10.9.9.9"},
		{"10.1.2.3:80", "10.9.9.9, 10.8.8.8", "10.9.9.9"},
	} {
		got := ""
		handler := trusted.In(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.RemoteAddr }))
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = test.from
		if first, last, ok := strings.Cut(test.chain, ", "); ok { // a chain may come in several headers
			r.Header.Add("X-Forwarded-For", first)
			r.Header.Add("X-Forwarded-For", last)
		} else if test.chain != "" {
			r.Header.Set("X-Forwarded-For", test.chain)
		}
		if handler.ServeHTTP(nil, r); got != test.want {
			t.Errorf("%s, %q: %s, want %s", test.from, test.chain, got, test.want)
		}
	}
	for _, bad := range []string{"proxy", "10.0.0.0/33", "10.0.0.1,x"} {
		if _, err := ParseProxies(bad); err == nil || !strings.Contains(err.Error(), "-trusted-proxies") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if none, err := ParseProxies(""); err != nil || len(none) != 0 {
		t.Errorf("none: %v, %v", none, err)
	}
}
