package outbound

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

const (
	notPublic = "must not name a loopback, private, link-local or metadata address"
	notHTTPS  = "must be an https URL"
	notURL    = "must be an absolute https URL"
	noUser    = "must not carry a user name or password"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	production, sandbox := NewAddresses(false), NewAddresses(true)
	for address, want := range map[string]string{
		"https://example.com":                       "",
		"https://example.com/hook?order=1#x":        "",
		"https://example.com:8443/hook":             "",
		"https://пример.рф/hook":                    "",
		"https://93.184.216.34/hook":                "",
		"https://[2606:4700:4700::1111]/hook":       "",
		"HTTPS://example.com/":                      "",
		"http://example.com/hook":                   notHTTPS,
		"http://93.184.216.34/":                     notHTTPS,
		"ftp://example.com/":                        notHTTPS,
		"file:///etc/passwd":                        notURL,
		"gopher://example.com/":                     notHTTPS,
		"//example.com/hook":                        notHTTPS,
		"example.com/hook":                          notURL,
		"/hook":                                     notURL,
		"https:example.com":                         notURL,
		"https://":                                  notURL,
		"https://:443/":                             notURL,
		"https://exa mple.com/":                     notURL,
		"https://example.com:port/":                 notURL,
		"":                                          notURL,
		"https://user@example.com/":                 noUser,
		"https://user:pass@example.com/":            noUser,
		"https://localhost/":                        notPublic,
		"https://LOCALHOST./":                       notPublic,
		"https://a.localhost/":                      notPublic,
		"https://127.0.0.1/":                        notPublic,
		"https://127.255.255.254/":                  notPublic,
		"https://[::1]/":                            notPublic,
		"https://0.0.0.0/":                          notPublic,
		"https://[::]/":                             notPublic,
		"https://10.0.0.1/":                         notPublic,
		"https://172.16.0.1/":                       notPublic,
		"https://172.31.255.255/":                   notPublic,
		"https://192.168.1.1/":                      notPublic,
		"https://169.254.0.1/":                      notPublic,
		"https://169.254.169.254/latest/meta-data/": notPublic,
		"https://[fd00:ec2::254]/":                  notPublic,
		"https://[fe80::1]/":                        notPublic,
		"https://[fe80::1%25eth0]/":                 notPublic,
		"https://[fc00::1]/":                        notPublic,
		"https://100.64.0.1/":                       notPublic,
		"https://192.0.2.1/":                        notPublic,
		"https://198.18.0.1/":                       notPublic,
		"https://224.0.0.1/":                        notPublic,
		"https://255.255.255.255/":                  notPublic,
		"https://[::ffff:127.0.0.1]/":               notPublic,
		"https://[::ffff:10.0.0.1]/":                notPublic,
		"https://[::ffff:a9fe:a9fe]/":               notPublic,
		"https://[::127.0.0.1]/":                    notPublic,
		"https://[2001:db8::1]/":                    notPublic,
		"https://[64:ff9b::7f00:1]/":                notPublic,
		"https://[2002:7f00:1::]/":                  notPublic,
		"https://[ff02::1]/":                        notPublic,
		"https://example.com/" + strings.Repeat("a", 2048-len("https://example.com/")): "",
		"https://example.com/" + strings.Repeat("a", 2049-len("https://example.com/")): "must be at most 2048 characters",
	} {
		for mode, addresses := range map[string]*Addresses{"production": production, "sandbox": sandbox} {
			testenv.Want(t, addresses.Check(address), want, "%s: Check(%.60q)", mode, address)
		}
	}
}

// What only a browser opens may name any host, also one that webhooks are kept
// from: http is for the sandbox alone, and there for loopback alone.
func TestCheckLink(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]struct{ production, sandbox string }{
		"https://shop.example/thanks?order=1#x": {},
		"https://shop.example:8443":             {},
		"HTTPS://shop.example/":                 {},
		"https://пример.рф/":                    {},
		"https://localhost/":                    {},
		"https://10.0.0.1/":                     {},
		"https://[::1]/":                        {},
		"https://169.254.169.254/":              {},
		"http://localhost:3000/thanks":          {notHTTPS, ""},
		"http://LOCALHOST/":                     {notHTTPS, ""},
		"http://shop.localhost/":                {notHTTPS, ""},
		"http://127.0.0.1:8080/":                {notHTTPS, ""},
		"http://127.255.255.254/":               {notHTTPS, ""},
		"http://[::1]:3000/":                    {notHTTPS, ""},
		"http://shop.example/":                  {notHTTPS, notHTTPS},
		"http://10.0.0.1/":                      {notHTTPS, notHTTPS},
		"http://0.0.0.0/":                       {notHTTPS, notHTTPS},
		"http://localhost.evil.example/":        {notHTTPS, notHTTPS},
		"ftp://localhost/":                      {notHTTPS, notHTTPS},
		"javascript://shop.example/%0aalert(1)": {notHTTPS, notHTTPS},
		"//shop.example/":                       {notHTTPS, notHTTPS},
		"javascript:alert(1)":                   {notURL, notURL},
		"data:text/html,x":                      {notURL, notURL},
		"https:shop.example":                    {notURL, notURL},
		"https://":                              {notURL, notURL},
		"https://:443/":                         {notURL, notURL},
		"https://shop example/":                 {notURL, notURL},
		"https://shop.example:port/":            {notURL, notURL},
		"https://shop.example/\n":               {notURL, notURL},
		"/thanks":                               {notURL, notURL},
		"":                                      {notURL, notURL},
		"https://user@shop.example/":            {noUser, noUser},
		"https://shop.example@evil.example/":    {noUser, noUser},
		"http://user:pass@localhost/":           {noUser, noUser},
		"https://shop.example/" + strings.Repeat("a", 2048-len("https://shop.example/")): {},
		"https://shop.example/" + strings.Repeat("a", 2049-len("https://shop.example/")): {
			"must be at most 2048 characters", "must be at most 2048 characters",
		},
	} {
		testenv.Want(t, NewAddresses(false).CheckLink(address), want.production, "production: CheckLink(%.60q) =", address)
		testenv.Want(t, NewAddresses(true).CheckLink(address), want.sandbox, "sandbox: CheckLink(%.60q)", address)
	}
}

// Http to a loopback address is what the sandbox takes beyond, and all it does.
func TestCheckLoopback(t *testing.T) {
	t.Parallel()
	production, sandbox := NewAddresses(false), NewAddresses(true)
	for _, address := range []string{
		"http://127.0.0.1:8099/webhook", "http://127.9.9.9/", "http://localhost:8099/", "http://[::1]:8099/", "http://[::ffff:127.0.0.1]/",
	} {
		testenv.Want(t, sandbox.Check(address), "", "sandbox: Check(%q)", address)
		testenv.Want(t, production.Check(address), notHTTPS, "production: Check(%q)", address)
	}
	for _, address := range []string{"http://10.0.0.1/", "http://169.254.169.254/", "http://localhost.example.com/", "http://0.0.0.0/"} {
		testenv.Want(t, sandbox.Check(address), notHTTPS, "sandbox: Check(%q)", address)
	}
}

// Hosts that a sandbox names are sent to wherever they are, also over http.
// Nobody else is, and what only a browser opens is judged as before.
func TestPrivateHosts(t *testing.T) {
	t.Parallel()
	addresses := NewAddresses(true, "shop", "crm.internal")
	for address, want := range map[string]string{
		"http://shop/hook": "", "http://SHOP.:8080/hook": "", "https://shop/": "", "http://crm.internal/": "",
		"http://other/": notHTTPS, "http://a.shop/": notHTTPS, "http://shop.example/": notHTTPS, "http://10.0.0.1/": notHTTPS,
		"ftp://shop/": notHTTPS, "http://user@shop/": noUser, "https://10.0.0.1/": notPublic,
	} {
		testenv.Want(t, addresses.Check(address), want, "Check(%q)", address)
	}
	testenv.Want(t, addresses.CheckLink("http://shop/"), notHTTPS, "CheckLink")
}

// Networks of one's own are admitted by https alone, and nothing beside them.
func TestCheckWithin(t *testing.T) {
	t.Parallel()
	addresses := NewAddressesWithin(false,
		[]netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd12::/16")})
	for address, want := range map[string]string{
		"https://10.1.2.3/": "", "https://[::ffff:10.1.2.3]/": "", "https://[fd12::1]/": "", "https://cards.example/": "",
		"http://10.1.2.3/": notHTTPS, "https://10.2.0.1/": notPublic, "https://[fd13::1]/": notPublic,
		"https://127.0.0.1/": notPublic, "https://169.254.169.254/": notPublic, "https://[fe80::1]/": notPublic,
	} {
		testenv.Want(t, addresses.Check(address), want, "Check(%q)", address)
	}
}

// A proxy from the environment would dial for us, unjudged.
func TestNoProxy(t *testing.T) {
	t.Parallel()
	transport, ok := NewAddresses(false).Client(time.Second).Transport.(unswitched).RoundTripper.(*http.Transport)
	testenv.Check(t, ok && transport.Proxy == nil, "the client asks for a proxy")
}
