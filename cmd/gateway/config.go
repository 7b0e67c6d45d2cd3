package main

import (
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/shopspring/decimal"

	"gateway/internal/auth"
)

// config is what the program is told by flags and environment. Secrets come by environment alone: flags show in lists
// of processes.
type config struct {
	apiAddr, payAddr, portalAddr, opsAddr string
	baseURL, payURL, portalURL            string
	dataDir                               string
	databaseURL                           string
	sandbox                               bool
	connections                           int
	headers                               auth.Headers
	proxies                               proxies
	markup                                decimal.Decimal

	externalSecret string
	// vaultKeys and linkKeys are base64, separated by commas, the newest first.
	vaultKeys, linkKeys string
}

// setting ties a flag to its environment variable and default.
type setting struct {
	target                     *string
	flag, env, otherwise, help string
}

func (c *config) settings(markup, trusted *string) []setting {
	names := auth.DefaultHeaders()
	return []setting{
		{&c.apiAddr, "api-addr", "GATEWAY_API_ADDR", ":8080", "address of the merchant API and Connect"},
		{&c.payAddr, "pay-addr", "GATEWAY_PAY_ADDR", ":8081", "address of the hosted pages"},
		{&c.portalAddr, "portal-addr", "GATEWAY_PORTAL_ADDR", ":8082", "address of the portals"},
		{&c.opsAddr, "ops-addr", "GATEWAY_OPS_ADDR", ":9090", "address of /healthz, /readyz and /metrics"},
		{&c.baseURL, "base-url", "GATEWAY_BASE_URL", "", "public URL of the API"},
		{&c.payURL, "pay-url", "GATEWAY_PAY_URL", "", "public URL of the hosted pages"},
		{&c.portalURL, "portal-url", "GATEWAY_PORTAL_URL", "", "public URL of the portals"},
		{&c.dataDir, "data-dir", "GATEWAY_DATA_DIR", ".gateway", "where the managed PostgreSQL and the sandbox keep their data"},
		{&c.databaseURL, "database-url", "DATABASE_URL", "", "PostgreSQL 15 or newer; empty: the program manages its own"},
		{&c.headers.KeyID, "header-key-id", "GATEWAY_HEADER_KEY_ID", names.KeyID, "name of the key id header"},
		{&c.headers.Secret, "header-secret", "GATEWAY_HEADER_SECRET", names.Secret, "name of the secret header"},
		{&c.headers.Signature, "header-signature", "GATEWAY_HEADER_SIGNATURE", names.Signature, "name of the signature header"},
		{trusted, "trusted-proxies", "GATEWAY_TRUSTED_PROXIES", "",
			"networks of the proxies in front, whose X-Forwarded-For names the client; separated by commas"},
		{markup, "markup-percent", "GATEWAY_MARKUP_PERCENT", "0", "markup where nothing else names one"},
	}
}

const (
	envExternalSecret = "GATEWAY_EXTERNAL_PAYMENTS_SECRET"
	envVaultKeys      = "GATEWAY_VAULT_KEYS"
	envLinkKeys       = "GATEWAY_LINK_KEYS"

	defaultConnections = 20
)

// parseConfig reads a command's flags, with the environment as their defaults.
func parseConfig(command string, args []string, getenv func(string) string, usage io.Writer) (config, error) {
	var c config
	var markup, trusted string
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.SetOutput(usage)
	for _, s := range c.settings(&markup, &trusted) {
		value := s.otherwise
		if set := getenv(s.env); set != "" {
			value = set
		}
		flags.StringVar(s.target, s.flag, value, s.help+" ("+s.env+")")
	}
	flags.BoolVar(&c.sandbox, "sandbox", false, "run a sandbox on the given database, too")
	flags.IntVar(&c.connections, "db-connections", defaultConnections, "size of the connection pool")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	c.externalSecret, c.vaultKeys, c.linkKeys = getenv(envExternalSecret), getenv(envVaultKeys), getenv(envLinkKeys)
	c.sandbox = c.sandbox || c.databaseURL == ""
	return c, c.complete(markup, trusted)
}

func (c *config) complete(markup, trusted string) error {
	var err error
	if c.proxies, err = parseProxies(trusted); err != nil {
		return err
	}
	if c.markup, err = decimal.NewFromString(markup); err != nil || c.markup.IsNegative() || c.markup.GreaterThan(decimal.NewFromInt(100)) {
		return errors.New("-markup-percent must be between 0 and 100")
	}
	if c.connections < 1 {
		return errors.New("-db-connections must be at least 1")
	}
	if c.sandbox {
		return nil
	}
	for _, needed := range []struct{ name, value string }{
		{envVaultKeys, c.vaultKeys}, {envLinkKeys, c.linkKeys},
		{"GATEWAY_BASE_URL", c.baseURL}, {"GATEWAY_PAY_URL", c.payURL}, {"GATEWAY_PORTAL_URL", c.portalURL},
	} {
		if needed.value == "" {
			return fmt.Errorf("%s is needed in production (a database is given and -sandbox is not)", needed.name)
		}
	}
	return nil
}

// decodeKeys reads a list of base64 keys.
func decodeKeys(name, list string) ([][]byte, error) {
	var keys [][]byte
	for _, text := range strings.Split(list, ",") {
		key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		if err != nil {
			// The error would quote the key.
			return nil, fmt.Errorf("%s must be base64 keys separated by commas", name)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// localURL is how this machine reaches a listener.
func localURL(listener net.Listener) string {
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return "http://127.0.0.1:" + port
}
