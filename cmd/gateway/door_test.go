package main

import (
	"context"
	"net"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// A sandbox takes another port where one that nobody asked for is in use, and says so. A port that was
// given, or that a public URL leads to, is kept to, and so is every port of production.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	taken := testenv.Must(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = taken.Close() })
	open := func(sandbox bool, fixed, url string) (address, told string, err error) {
		const free = "127.0.0.1:0"
		c := config{
			sandbox: sandbox, fixed: map[string]bool{fixed: true}, baseURL: url,
			apiAddr: taken.Addr().String(), payAddr: free, portalAddr: free, opsAddr: free,
		}
		d, err := openDoors(context.Background(), &c, func(format string, _ ...any) { told += format })
		if err == nil {
			defer d.close()
			testenv.Want(t, c.baseURL, localURL(d.api), "the URL")
			address = d.api.Addr().String()
		}
		return address, told, err
	}
	address, told, err := open(true, flagPayAddr, "")
	testenv.Check(t, err == nil && address != taken.Addr().String() && told != "", "%s, told %q: %v", address, told, err)
	for name, attempt := range map[string]struct {
		sandbox    bool
		fixed, url string
	}{
		"given":      {true, flagAPIAddr, ""},
		"public URL": {true, "", "https://api.example.com"},
		"production": {false, "", ""},
	} {
		_, told, err := open(attempt.sandbox, attempt.fixed, attempt.url)
		testenv.Check(t, err != nil && strings.Contains(err.Error(), "-"+flagAPIAddr) && told == "",
			"%s: told %q: %v", name, told, err)
	}
}

// Addresses count as given by flag and by variable alike.
func TestAddressesGiven(t *testing.T) {
	t.Parallel()
	variables := map[string]string{"GATEWAY_PAY_ADDR": ":8081"}
	c, err := parseConfig([]string{"-api-addr", ":8080"}, func(name string) string { return variables[name] }, nil)
	testenv.Check(t, err == nil && c.fixed[flagAPIAddr] && c.fixed[flagPayAddr] && !c.fixed[flagPortalAddr] && !c.fixed[flagOpsAddr],
		"%v: %v", c.fixed, err)
}
