package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/auth"
	"gateway.example/internal/edge"
	"gateway.example/internal/foureyes"
)

// config is what the program is told by flags and environment. Secrets come by environment alone:
// flags show in lists of processes.
type config struct {
	apiAddr, payAddr, portalAddr, opsAddr string
	baseURL, payURL, portalURL            string
	// portalOrigins are those whose pages may call the portals' RPCs.
	portalOrigins []string
	dataDir       string
	databaseURL   string
	sandbox       bool
	connections   int
	headers       auth.Headers
	proxies       edge.Proxies
	markup        decimal.Decimal
	// drainDelay is how long a gateway that was told to stop still takes new requests.
	drainDelay time.Duration
	// fourEyes says which of an operator's actions take a second operator.
	fourEyes foureyes.Rules

	externalSecret string
	// vaultKeys and linkKeys have the one in use first. A sandbox has its own where none are given.
	vaultKeys, linkKeys [][]byte
}

// texts are settings as they were written, before they are checked.
type texts struct {
	markup, trusted, drain, externalSecret, vaultKeys, linkKeys string
	fourEyes, fourEyesAbove, fourEyesRate, portalOrigins        string
}

// setting ties a flag to its environment variable and default.
type setting struct {
	target                     *string
	flag, env, otherwise, help string
}

func (c *config) settings(t *texts) []setting {
	names := auth.DefaultHeaders()
	return []setting{
		{&c.apiAddr, "api-addr", "GATEWAY_API_ADDR", ":8080", "address of the merchant API and Connect"},
		{&c.payAddr, "pay-addr", "GATEWAY_PAY_ADDR", ":8081", "address of the hosted pages"},
		{&c.portalAddr, "portal-addr", "GATEWAY_PORTAL_ADDR", ":8082", "address of the portals"},
		{&c.opsAddr, "ops-addr", "GATEWAY_OPS_ADDR", "127.0.0.1:9090",
			"address of /healthz, /readyz and /metrics, which ask nobody who they are"},
		{&c.baseURL, "base-url", "GATEWAY_BASE_URL", "", "public URL of the API"},
		{&c.payURL, "pay-url", "GATEWAY_PAY_URL", "", "public URL of the hosted pages"},
		{&c.portalURL, "portal-url", "GATEWAY_PORTAL_URL", "", "public URL of the portals"},
		{
			&t.portalOrigins,
			"portal-origins",
			"GATEWAY_PORTAL_ORIGINS",
			"",
			"origins of other portals, such as https://desk.example.com, whose pages may call the portals' RPCs; separated by commas",
		},
		{
			&c.dataDir,
			"data-dir",
			"GATEWAY_DATA_DIR",
			".gateway",
			"where the managed PostgreSQL and the sandbox keep their data",
		},
		{
			&c.databaseURL,
			"database-url",
			"DATABASE_URL",
			"",
			"PostgreSQL 15 or newer; empty: the program manages its own",
		},
		{&c.headers.KeyID, "header-key-id", "GATEWAY_HEADER_KEY_ID", names.KeyID, "name of the key id header"},
		{&c.headers.Secret, "header-secret", "GATEWAY_HEADER_SECRET", names.Secret, "name of the secret header"},
		{
			&c.headers.Signature,
			"header-signature",
			"GATEWAY_HEADER_SIGNATURE",
			names.Signature,
			"name of the signature header",
		},
		{&t.trusted, "trusted-proxies", "GATEWAY_TRUSTED_PROXIES", "",
			"networks of the proxies in front, whose X-Forwarded-For names the client; separated by commas"},
		{&t.markup, "markup-percent", "GATEWAY_MARKUP_PERCENT", "0", "markup where nothing else names one"},
		{&t.drain, "drain-delay", "GATEWAY_DRAIN_DELAY", "",
			"how long to go on serving, but not ready, when told to stop; empty: 5s, in a sandbox 0s"},
		{&t.fourEyes, "four-eyes", "GATEWAY_FOUR_EYES", "",
			"whether moving money by hand takes a second operator, on or off; empty: on, in a sandbox off"},
		{&t.fourEyesAbove, "four-eyes-above", "GATEWAY_FOUR_EYES_ABOVE", "1000",
			"how many USDT one operator alone may confirm as a deposit, or change an insurance by"},
		{&t.fourEyesRate, "four-eyes-rate-percent", "GATEWAY_FOUR_EYES_RATE_PERCENT", "5",
			"how many percent one operator alone may change a rate by where no feed has a band for it"},
	}
}

const (
	envExternalSecret = "GATEWAY_EXTERNAL_PAYMENTS_SECRET"
	envVaultKeys      = "GATEWAY_VAULT_KEYS"
	envLinkKeys       = "GATEWAY_LINK_KEYS"

	defaultConnections = 20
)

// parseConfig reads a command's flags, with the environment as their defaults. Only serve needs all
// of them right; the other commands use the database alone.
func parseConfig(command string, args []string, getenv func(string) string, usage io.Writer) (config, error) {
	var c config
	var t texts
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.SetOutput(usage)
	settings := c.settings(&t)
	for _, s := range settings {
		value := s.otherwise
		if set := getenv(s.env); set != "" {
			value = set
		}
		flags.StringVar(s.target, s.flag, value, s.help+" ("+s.env+")")
	}
	flags.BoolVar(&c.sandbox, "sandbox", false, "run a sandbox on the given database, too")
	flags.IntVar(
		&c.connections,
		"db-connections",
		defaultConnections,
		"connections for creations; other calls, and reads, have half as many each, and what works by itself 19",
	)
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	t.externalSecret, t.vaultKeys, t.linkKeys = getenv(envExternalSecret), getenv(envVaultKeys), getenv(envLinkKeys)
	c.sandbox = c.sandbox || c.databaseURL == ""
	if command != "serve" {
		return c, nil
	}
	return c, c.complete(t)
}

// localURL is how this machine reaches a listener.
func localURL(listener net.Listener) string {
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return "http://127.0.0.1:" + port
}
