package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"gateway.example/internal/edge"
	"gateway.example/internal/money"
	"gateway.example/internal/sandbox"
	"gateway.example/internal/vault"
)

const (
	// productionDrain is long enough for a load balancer to see that the
	// gateway is no longer ready.
	productionDrain = 5 * time.Second
	maxDrain        = time.Minute
	// minExternalSecret is the least length of the secret that lets the
	// application set any status.
	minExternalSecret = 32
)

// problems collects everything that is wrong with the settings, so that one
// start reports all of it.
type problems []error

func (p *problems) add(name, format string, args ...any) {
	*p = append(*p, fmt.Errorf("%s %s", name, fmt.Sprintf(format, args...)))
}

// These bounds make sure that data is kept until the deadline of a dispute and
// the last attempt of a webhook.
const leastDays, mostDays = 30, 36500

// readDays reads how many days something is kept.
func (p *problems) readDays(into *time.Duration, name, text string) {
	if text == "" {
		return
	}
	days, err := strconv.Atoi(text)
	if err != nil || days < leastDays || days > mostDays {
		p.add(name, "must be a number of days from %d to %d, or empty", leastDays, mostDays)
		return
	}
	*into = time.Duration(days) * 24 * time.Hour
}

// complete checks every setting of a gateway that is to serve.
func (c *config) complete(t texts) error {
	var found problems
	c.checkAddresses(&found)
	c.checkHeaders(&found)
	var err error
	if c.proxies, err = edge.ParseProxies(t.trusted); err != nil {
		found = append(found, err)
	}
	if c.markup, err = decimal.NewFromString(t.markup); err != nil || c.markup.IsNegative() ||
		c.markup.GreaterThan(decimal.NewFromInt(100)) {
		found.add("-markup-percent (GATEWAY_MARKUP_PERCENT)", "must be between 0 and 100")
	}
	if c.connections < 1 {
		found.add("-db-connections", "must be at least 1")
	}
	c.readCallbackSignature(&found, t.callbackSignature)
	c.checkDatabaseURL(&found)
	c.checkReadURL(&found)
	c.readPortalOrigins(&found, t.portalOrigins)
	c.readDrain(&found, t.drain)
	c.readFourEyes(&found, t)
	found.readSwitch(&c.giveBackOutages, "-give-back-outages (GATEWAY_GIVE_BACK_OUTAGES)", t.giveBackOutages)
	found.readSwitch(&c.confirmDepositsSeen, "-confirm-deposits-seen (GATEWAY_CONFIRM_DEPOSITS_SEEN)", t.confirmDepositsSeen)
	c.readCallbackHosts(&found, t.callbackHosts)
	c.readProcessorNetworks(&found, t.processorNetworks)
	found.readDays(&c.keepFiles, "-keep-files (GATEWAY_KEEP_FILES)", t.keepFiles)
	found.readDays(&c.keepRequisites, "-keep-payout-requisites (GATEWAY_KEEP_PAYOUT_REQUISITES)", t.keepRequisites)
	found.readDays(&c.keepAttempts, "-keep-attempts (GATEWAY_KEEP_ATTEMPTS)", t.keepAttempts)
	found.readDays(&c.keepMessages, "-keep-messages (GATEWAY_KEEP_MESSAGES)", t.keepMessages)
	c.readSecrets(&found, t)
	c.readChains(&found, t.chains)
	c.notify.read(&found)
	return errors.Join(found...)
}

func (c *config) checkDatabaseURL(found *problems) {
	if _, err := pgxpool.ParseConfig(c.databaseURL); err != nil {
		// The error itself would quote the URL with its password.
		found.add("-database-url (DATABASE_URL)",
			"is not a valid PostgreSQL URL, such as postgres://USER:PASSWORD@HOST:5432/DATABASE")
	}
}

func (c *config) checkReadURL(found *problems) {
	const name = "-database-read-url (DATABASE_READ_URL)"
	if _, err := pgxpool.ParseConfig(c.readURL); err != nil {
		found.add(name, "is not a valid PostgreSQL URL, such as postgres://USER:PASSWORD@HOST:5432/DATABASE")
	} else if c.readURL != "" && c.databaseURL == "" {
		found.add(name, "needs DATABASE_URL: a database that the program manages by itself has no standby")
	}
}

// readDrain reads how long a stopping gateway still takes requests. The
// default is productionDrain, and nothing in a sandbox.
func (c *config) readDrain(found *problems, text string) {
	if c.drainDelay = productionDrain; c.sandbox {
		c.drainDelay = 0
	}
	if text == "" {
		return
	}
	var err error
	if c.drainDelay, err = time.ParseDuration(text); err != nil || c.drainDelay < 0 || c.drainDelay > maxDrain {
		found.add("-drain-delay (GATEWAY_DRAIN_DELAY)", "must be a duration such as 5s, at most %s", maxDrain)
	}
}

// readCallbackSignature reads which signature a callback needs. Whoever has
// seen one plain signature can use it to complete any payment at any time, so
// production accepts it only if the setting says so.
func (c *config) readCallbackSignature(found *problems, text string) {
	switch text {
	case "":
		c.callbackV2 = !c.sandbox
	case "any", "v2":
		c.callbackV2 = text == "v2"
	default:
		found.add("-callback-signature (GATEWAY_CALLBACK_SIGNATURE)", "must be any or v2")
	}
}

// hostName is the form of host names in a compose network. It excludes
// addresses, which could open a whole network.
var hostName = regexp.MustCompile(`^[a-z]([a-z0-9_.-]*[a-z0-9_])?$`)

// readCallbackHosts reads the private hosts to which a sandbox may send
// webhooks. Production allows none.
func (c *config) readCallbackHosts(found *problems, text string) {
	if text == "" {
		return
	}
	const setting = "-sandbox-callback-hosts (GATEWAY_SANDBOX_CALLBACK_HOSTS)"
	if !c.sandbox {
		found.add(setting, "is for a sandbox only: webhooks of production go to public https addresses")
		return
	}
	for _, host := range strings.Split(strings.ToLower(text), ",") {
		host = strings.TrimSpace(host)
		if _, err := netip.ParseAddr(host); err == nil || !hostName.MatchString(host) {
			found.add(setting, "must be names of hosts, such as shop, separated by commas: %q is not", host)
		}
		c.callbackHosts = append(c.callbackHosts, host)
	}
}

// private are the networks of private machines. metadata are addresses in them
// at which clouds hand out a machine's secrets.
var (
	private = []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"),
		netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("fc00::/7"),
	}
	metadata = []netip.Addr{netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd20:ce::254")}
)

// readProcessorNetworks reads the private networks to which whole card numbers
// may be sent. Loopback, link-local and cloud metadata addresses are never
// allowed.
func (c *config) readProcessorNetworks(found *problems, text string) {
	if text == "" {
		return
	}
	const setting = "-processor-networks (GATEWAY_PROCESSOR_NETWORKS)"
	for one := range strings.SplitSeq(text, ",") {
		network, err := netip.ParsePrefix(strings.TrimSpace(one))
		within := func(p netip.Prefix) bool { return p.Bits() <= network.Bits() && p.Contains(network.Addr()) }
		switch {
		case err != nil || !slices.ContainsFunc(private, within):
			found.add(setting, "must be networks within 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or fc00::/7, "+
				"separated by commas: %q is not", one)
		case slices.ContainsFunc(metadata, network.Contains):
			found.add(setting, "must not hold the address of a cloud's metadata, as %q does", one)
		default:
			c.processorNetworks = append(c.processorNetworks, network)
		}
	}
}

// readPortalOrigins reads a list of origins in the form in which browsers send
// them. Anything else would never match, so it is refused.
func (c *config) readPortalOrigins(found *problems, text string) {
	if text == "" {
		return
	}
	const name = "-portal-origins (GATEWAY_PORTAL_ORIGINS)"
	for one := range strings.SplitSeq(text, ",") {
		origin := strings.TrimSpace(one)
		standard := strings.HasPrefix(origin, "https:") && strings.HasSuffix(origin, ":443") ||
			strings.HasPrefix(origin, "http:") && strings.HasSuffix(origin, ":80")
		switch {
		case !originForm.MatchString(origin), standard:
			found.add(name, "must be origins such as https://desk.example.com, in lower case and without a path, "+
				"an end slash, a wildcard or a standard port, and has %q", origin)
		case !strings.HasPrefix(origin, "https:") && !c.sandbox:
			found.add(name, "must begin with https:// in production, and has %q", origin)
		default:
			c.portalOrigins = append(c.portalOrigins, origin)
		}
	}
}

// originForm is how browsers write an origin, except that they leave out
// standard ports.
var originForm = regexp.MustCompile(`^https?://([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(:[1-9][0-9]{0,4})?$`)

func (p *problems) readSwitch(into *bool, name, text string) {
	if *into = text == "on"; !*into && text != "off" {
		p.add(name, "must be on or off")
	}
}

// readFourEyes reads which actions need a second operator.
func (c *config) readFourEyes(found *problems, t texts) {
	switch t.fourEyes {
	case "":
		c.fourEyes.On = !c.sandbox
	case "on", "off":
		c.fourEyes.On = t.fourEyes == "on"
	default:
		found.add("-four-eyes (GATEWAY_FOUR_EYES)", "must be on or off")
	}
	var err error
	if c.fourEyes.Above, err = money.ParseUSDT(t.fourEyesAbove); err != nil {
		found.add("-four-eyes-above (GATEWAY_FOUR_EYES_ABOVE)", "must be an amount of USDT: %s", err)
	}
	if c.fourEyes.RatePercent, err = money.ParsePercent(t.fourEyesRate); err != nil {
		found.add("-four-eyes-rate-percent (GATEWAY_FOUR_EYES_RATE_PERCENT)", "must be a percent: %s", err)
	}
}

// checkAddresses checks the form of listening addresses and public URLs, and
// removes slashes at the end of the URLs. It opens nothing: whether an address
// is free shows when the server starts.
func (c *config) checkAddresses(found *problems) {
	for _, address := range []struct{ name, value string }{
		{"-api-addr (GATEWAY_API_ADDR)", c.apiAddr}, {"-pay-addr (GATEWAY_PAY_ADDR)", c.payAddr},
		{"-portal-addr (GATEWAY_PORTAL_ADDR)", c.portalAddr}, {"-ops-addr (GATEWAY_OPS_ADDR)", c.opsAddr},
	} {
		_, port, err := net.SplitHostPort(address.value)
		if err == nil {
			_, err = net.LookupPort("tcp", port) //nolint:noctx // a number is not looked up
		}
		if err != nil {
			found.add(address.name, "must be an address such as :8080 or 127.0.0.1:8080, and is %q", address.value)
		}
	}
	for _, public := range []struct {
		name  string
		value *string
		pages bool
	}{
		{"-base-url (GATEWAY_BASE_URL)", &c.baseURL, false}, {"-pay-url (GATEWAY_PAY_URL)", &c.payURL, true},
		{"-portal-url (GATEWAY_PORTAL_URL)", &c.portalURL, true},
	} {
		*public.value = strings.TrimRight(*public.value, "/") // paths are put behind it
		c.checkURL(found, public.name, *public.value, public.pages)
	}
}

// checkURL checks a public URL. In a sandbox it may be empty; then the
// listener's address is used. Pages lead to each other from the root of their
// host, so nothing can be found below a path.
func (c *config) checkURL(found *problems, name, text string, pages bool) {
	u, err := url.Parse(text)
	switch {
	case text == "" && c.sandbox:
	case text == "":
		found.add(name, "is needed in production (a database is given and -sandbox is not)")
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		found.add(name, "must be a whole URL such as https://pay.example.com")
	case u.User != nil, u.RawQuery != "", u.ForceQuery, strings.Contains(text, "#"):
		found.add(name, "must have no user, query or fragment")
	case pages && u.Path != "":
		found.add(name, "must have no path: pages lead to each other from the root of their host")
	case u.Scheme != "https" && !c.sandbox:
		found.add(name, "must begin with https:// in production")
	}
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// checkHeaders refuses invalid header names, and two settings with the same
// name, whatever its case.
func (c *config) checkHeaders(found *problems) {
	seen := map[string]string{}
	for _, header := range []struct{ name, value string }{
		{"-header-key-id (GATEWAY_HEADER_KEY_ID)", c.headers.KeyID}, {"-header-secret (GATEWAY_HEADER_SECRET)", c.headers.Secret},
		{"-header-signature (GATEWAY_HEADER_SIGNATURE)", c.headers.Signature},
	} {
		folded := strings.ToLower(header.value)
		if other, taken := seen[folded]; taken {
			found.add(header.name, "must differ from %s", other)
		}
		seen[folded] = header.name
		if !headerName.MatchString(header.value) {
			found.add(header.name, "must be the name of a header")
		}
	}
}

// readSecrets reads the secrets from the environment. Its errors quote none of
// them.
func (c *config) readSecrets(found *problems, t texts) {
	c.externalSecret = t.externalSecret
	if c.externalSecret != "" && len(c.externalSecret) < minExternalSecret {
		found.add(envExternalSecret, "must have at least %d characters", minExternalSecret)
	}
	for _, keys := range []struct {
		name, list string
		target     *[][]byte
	}{{envVaultKeys, t.vaultKeys, &c.vaultKeys}, {envLinkKeys, t.linkKeys, &c.linkKeys}} {
		if keys.list != "" {
			*keys.target = decodeKeys(found, keys.name, keys.list)
		} else if !c.sandbox {
			found.add(keys.name, "is needed in production (a database is given and -sandbox is not)")
		}
	}
}

// completeKeys gives a sandbox its own keys if none are set.
func (c *config) completeKeys(own sandbox.Key) {
	if c.vaultKeys == nil {
		c.vaultKeys = [][]byte{own.Bytes("vault")}
	}
	if c.linkKeys == nil {
		c.linkKeys = [][]byte{own.Bytes("links")}
	}
}

// decodeKeys reads a list of base64 keys. It refuses keys that are obviously
// not random.
func decodeKeys(found *problems, name, list string) [][]byte {
	var keys [][]byte
	for i, text := range strings.Split(list, ",") {
		key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		switch {
		case err != nil, len(key) != vault.KeySize:
			found.add(
				name,
				"must be keys separated by commas, each the base64 of %d random bytes: key %d is not",
				vault.KeySize,
				i+1,
			)
			continue
		case bytes.Count(key, key[:1]) == len(key):
			found.add(name, "must be random: key %d is one byte over and over", i+1)
		}
		for earlier, other := range keys {
			if bytes.Equal(other, key) {
				found.add(name, "must not repeat a key: key %d is key %d again", i+1, earlier+1)
			}
		}
		keys = append(keys, key)
	}
	return keys
}
