package main

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/auth"
	"gateway.example/internal/chain"
	"gateway.example/internal/edge"
	"gateway.example/internal/foureyes"
)

// config are the settings from flags and the environment. Secrets come only
// from the environment, because flags are visible in process lists.
type config struct {
	apiAddr, payAddr, portalAddr, opsAddr string
	// fixed are the flags of those addresses that were set, by flag or
	// variable.
	fixed                      map[string]bool
	baseURL, payURL, portalURL string
	// payOperator is the text at the foot of the hosted pages; "" is none.
	payOperator string
	// portalOrigins are the origins whose pages may call the portals'
	// RPCs.
	portalOrigins []string
	dataDir       string
	databaseURL   string
	// readURL is the standby from which lists are read; "" is none.
	readURL string
	sandbox bool
	// offline makes the gateway call nothing outside.
	offline     bool
	connections int
	headers     auth.Headers
	proxies     edge.Proxies
	markup      decimal.Decimal
	// callbackHosts are the private hosts to which a sandbox may send
	// webhooks.
	callbackHosts []string
	// processorNetworks are the private networks in which traders'
	// processors may be.
	processorNetworks []netip.Prefix
	// drainDelay is how long a stopping gateway still takes new requests.
	drainDelay time.Duration
	// giveBackOutages extends open payments by the time in which no
	// process served.
	giveBackOutages bool
	// fourEyes says which actions need a second operator.
	fourEyes foureyes.Rules

	// keepFiles, keepRequisites, keepAttempts and keepMessages are how
	// long these are kept; 0 is for ever.
	keepFiles, keepRequisites, keepAttempts, keepMessages time.Duration

	// confirmDepositsSeen confirms deposits without an operator once their
	// transfers are final.
	confirmDepositsSeen bool
	// notify are the channels over which users get messages.
	notify notifySettings
	// chainURLs are the nodes of each watched network.
	chainURLs map[string][]string

	externalSecret string
	// callbackV2 makes the callback of a payment accept only Signature-V2.
	callbackV2 bool
	// vaultKeys and linkKeys begin with the key in use. A sandbox makes
	// its own if none are set.
	vaultKeys, linkKeys [][]byte
}

// texts are settings as they were written, before the checks.
type texts struct {
	markup, trusted, drain, externalSecret, vaultKeys, linkKeys string
	fourEyes, fourEyesAbove, fourEyesRate, callbackHosts        string
	processorNetworks                                           string
	callbackSignature, portalOrigins, giveBackOutages           string
	confirmDepositsSeen                                         string
	keepFiles, keepRequisites, keepAttempts, keepMessages       string
	// chains are the nodes of each network.
	chains map[string]string
}

// options declares every setting of serve that has a flag and a variable.
func (c *config) options(t *texts) []setting {
	return slices.Concat(c.addressOptions(t), c.databaseOptions(), c.signatureOptions(t), t.operationOptions(), c.notify.options())
}

// addressOptions say where the program listens and under which URLs it is
// reached.
func (c *config) addressOptions(t *texts) []setting {
	return []setting{
		{&c.apiAddr, "api-addr", "GATEWAY_API_ADDR", ":8080",
			"address of the merchant API and Connect; a sandbox listens on 127.0.0.1 unless it is told"},
		{&c.payAddr, "pay-addr", "GATEWAY_PAY_ADDR", ":8081",
			"address of the hosted pages; a sandbox listens on 127.0.0.1 unless it is told"},
		{&c.portalAddr, "portal-addr", "GATEWAY_PORTAL_ADDR", ":8082",
			"address of the portals; a sandbox listens on 127.0.0.1 unless it is told"},
		{&c.opsAddr, "ops-addr", "GATEWAY_OPS_ADDR", "127.0.0.1:9090",
			"address of /healthz, /readyz and /metrics, which ask nobody who they are"},
		{&c.baseURL, "base-url", "GATEWAY_BASE_URL", "", "public URL of the API"},
		{&c.payURL, "pay-url", "GATEWAY_PAY_URL", "", "public URL of the hosted pages"},
		{&c.payOperator, "pay-operator", "GATEWAY_PAY_OPERATOR", "",
			"who runs the gateway and how payers reach them, said at the foot of the hosted pages; empty: nothing"},
		{&c.portalURL, "portal-url", "GATEWAY_PORTAL_URL", "", "public URL of the portals"},
		{&t.portalOrigins, "portal-origins", "GATEWAY_PORTAL_ORIGINS", "",
			"origins of other portals, such as https://desk.example.com, whose pages may call the portals' RPCs; separated by commas"},
	}
}

// databaseOptions say where the data is.
func (c *config) databaseOptions() []setting {
	return []setting{
		{&c.dataDir, "data-dir", "GATEWAY_DATA_DIR", defaultDataDir,
			"where the managed PostgreSQL and the sandbox keep their data"},
		{&c.databaseURL, "database-url", "DATABASE_URL", "",
			"PostgreSQL 15 or newer; empty: the program manages its own"},
		{&c.readURL, "database-read-url", "DATABASE_READ_URL", "",
			"a standby of the database, which the portals' lists and files are read from; empty: there is none"},
	}
}

// signatureOptions say how merchants sign, which proxies are trusted, and
// which addresses may be called.
func (c *config) signatureOptions(t *texts) []setting {
	names := auth.DefaultHeaders()
	return []setting{
		{&c.headers.KeyID, "header-key-id", "GATEWAY_HEADER_KEY_ID", names.KeyID, "name of the key id header"},
		{&c.headers.Secret, "header-secret", "GATEWAY_HEADER_SECRET", names.Secret, "name of the secret header"},
		{&c.headers.Signature, "header-signature", "GATEWAY_HEADER_SIGNATURE", names.Signature,
			"name of the signature header"},
		{&t.callbackSignature, "callback-signature", "GATEWAY_CALLBACK_SIGNATURE", "",
			"signature that a payment's callback must have: v2 is Signature-V2, any that or a plain one; empty: v2, in a sandbox any"},
		{&t.trusted, "trusted-proxies", "GATEWAY_TRUSTED_PROXIES", "",
			"networks of the proxies in front, whose X-Forwarded-For names the client; separated by commas"},
		{&t.callbackHosts, "sandbox-callback-hosts", "GATEWAY_SANDBOX_CALLBACK_HOSTS", "",
			"hosts of a private network that a sandbox sends webhooks to, also over http; names, separated by commas"},
		{&t.processorNetworks, "processor-networks", "GATEWAY_PROCESSOR_NETWORKS", "",
			"private networks that traders' processors may be in, such as 10.1.2.0/24; separated by commas"},
		{&t.markup, "markup-percent", "GATEWAY_MARKUP_PERCENT", "0", "markup where nothing else names one"},
	}
}

// operationOptions say how the program is run: how it stops, which actions
// need a second operator, and how long data is kept.
func (t *texts) operationOptions() []setting {
	return []setting{
		{&t.drain, "drain-delay", "GATEWAY_DRAIN_DELAY", "",
			"how long to go on serving, but not ready, when told to stop; empty: 5s, in a sandbox 0s"},
		{&t.fourEyes, "four-eyes", "GATEWAY_FOUR_EYES", "",
			"whether moving money by hand takes a second operator, on or off; empty: on, in a sandbox off"},
		{&t.fourEyesAbove, "four-eyes-above", "GATEWAY_FOUR_EYES_ABOVE", "1000",
			"how many USDT one operator may move alone in 24 hours, and all of them, each alone, of one owner's"},
		{&t.fourEyesRate, "four-eyes-rate-percent", "GATEWAY_FOUR_EYES_RATE_PERCENT", "5",
			"how many percent one operator alone may change a rate by, less where a feed has a narrower band"},
		{&t.giveBackOutages, "give-back-outages", "GATEWAY_GIVE_BACK_OUTAGES", "on",
			"whether open payments get back the time, at most an hour, in which no process served; on or off"},
		{&t.confirmDepositsSeen, "confirm-deposits-seen", "GATEWAY_CONFIRM_DEPOSITS_SEEN", "off",
			"whether a deposit is confirmed by itself when its transfer is final, in 24 hours as much as four-eyes-above; on or off"},
		{&t.keepFiles, "keep-files", "GATEWAY_KEEP_FILES", "",
			"for how many days files of decided appeals, receipts of ended payments and photos of paid payouts are kept; empty: for good"},
		{&t.keepRequisites, "keep-payout-requisites", "GATEWAY_KEEP_PAYOUT_REQUISITES", "",
			"for how many days whole requisites of ended payouts are kept; empty: for good"},
		{&t.keepAttempts, "keep-attempts", "GATEWAY_KEEP_ATTEMPTS", "",
			"for how many days attempts to deliver webhooks are kept, by whole months; empty: for good"},
		{&t.keepMessages, "keep-messages", "GATEWAY_KEEP_MESSAGES", "30",
			"for how many days texts of banks' messages are kept; empty: for good"},
	}
}

func (n *notifySettings) options() []setting {
	return []setting{
		{&n.telegramURL, "telegram-url", "GATEWAY_TELEGRAM_URL", "",
			"address of Telegram's API; empty: the real one"},
		{&n.mailFrom, "mail-from", "GATEWAY_MAIL_FROM", "", "address that mail to users comes from"},
	}
}

const (
	defaultConnections = 20
	defaultDataDir     = ".gateway"

	flagAPIAddr, flagPayAddr, flagPortalAddr, flagOpsAddr = "api-addr", "pay-addr", "portal-addr", "ops-addr"
)

// only returns the settings with these flags, for commands that need few.
func (c *config) only(flags ...string) []setting {
	return slices.DeleteFunc(c.options(new(texts)), func(s setting) bool { return !slices.Contains(flags, s.flag) })
}

// parseConfig reads and checks all settings of serve.
func parseConfig(args []string, getenv func(string) string, help io.Writer) (config, error) {
	var c config
	var t texts
	variables := []variable{vaultKeysVariable, linkKeysVariable, externalSecretVariable, postgresVariable}
	o := newOptions("serve", getenv, help, c.options(&t),
		slices.Concat(variables, chainVariables, notifyVariables, traceVariables)...)
	o.BoolVar(&c.sandbox, "sandbox", false, "run a sandbox on the given database, too")
	o.BoolVar(&c.offline, "offline", false,
		"call no processor, webhook or feed, and number no events: to look at a restored copy")
	o.IntVar(&c.connections, "db-connections", defaultConnections,
		"connections for creations; other calls, and reads, have half as many each, and what works by itself 22")
	if _, err := o.parse(args); err != nil {
		return c, err
	}
	c.fixed = map[string]bool{}
	for _, name := range []string{flagAPIAddr, flagPayAddr, flagPortalAddr, flagOpsAddr} {
		c.fixed[name] = o.given(name) || getenv(o.behind[name]) != ""
	}
	t.externalSecret, t.vaultKeys, t.linkKeys = getenv(envExternalSecret), getenv(envVaultKeys), getenv(envLinkKeys)
	c.notify.token, c.notify.smtpURL, c.notify.pushKeys = getenv(envTelegramToken), getenv(envSMTPURL), getenv(envPushKeys)
	c.sandbox = c.sandbox || c.databaseURL == ""
	t.chains = map[string]string{}
	for _, name := range chain.Names() {
		t.chains[name] = getenv(chainVariable[name])
	}
	if c.sandbox { // whoever reaches it may do everything in it
		for flag, address := range map[string]*string{
			flagAPIAddr: &c.apiAddr, flagPayAddr: &c.payAddr, flagPortalAddr: &c.portalAddr,
		} {
			if !c.fixed[flag] {
				*address = loopback(*address)
			}
		}
	}
	if err := c.complete(t); err != nil {
		return c, usageError{err}
	}
	return c, nil
}

// parseDatabase reads the flags of a command that needs only a database, and
// the command's own flags.
func (e environment) parseDatabase(
	command string, args []string, more []setting, names ...string,
) (c config, found []string, err error) {
	found, err = c.readDatabase(e.databaseOptions(&c, command, more), args, names...)
	return c, found, err
}

// databaseOptions are the flags of a command that works on a database.
func (e environment) databaseOptions(c *config, command string, more []setting) *options {
	return newOptions(command, e.getenv, e.stdout, append(c.only("data-dir", "database-url"), more...), postgresVariable)
}

// readDatabase reads the database of a command, and the command's arguments.
func (c *config) readDatabase(o *options, args []string, names ...string) ([]string, error) {
	found, err := o.parse(args, names...)
	if err != nil {
		return nil, err
	}
	var wrong problems
	c.checkDatabaseURL(&wrong)
	if len(wrong) > 0 {
		return nil, usageError{errors.Join(wrong...)}
	}
	c.sandbox = c.databaseURL == ""
	return found, nil
}

// loopback completes an address without a host to one of this machine alone.
func loopback(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || host != "" {
		return address
	}
	return net.JoinHostPort("127.0.0.1", port)
}

// localURL is the URL of a listener on this machine.
func localURL(listener net.Listener) string {
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return "http://127.0.0.1:" + port
}
