package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/testenv"
)

// production are the variables a production gateway needs besides its database.
func production() map[string]string {
	key := base64.StdEncoding.EncodeToString([]byte("a key of exactly 32 bytes, no mo"))
	return map[string]string{
		"GATEWAY_VAULT_KEYS": key, "GATEWAY_LINK_KEYS": key, "GATEWAY_BASE_URL": "https://api.example",
		"GATEWAY_PAY_URL": "https://pay.example", "GATEWAY_PORTAL_URL": "https://portal.example",
		"GATEWAY_DRAIN_DELAY": "0s",
	}
}

// parse reads settings as serve does, with the given ones put over a
// production's.
func parse(more map[string]string, args ...string) (config, error) {
	variables := production()
	variables["DATABASE_URL"] = "postgres://127.0.0.1:1/none"
	maps.Copy(variables, more)
	return parseConfig(args, func(name string) string { return variables[name] }, io.Discard)
}

// The environment is not shown in the help of any command, since it has
// secrets.
func TestHelpConceals(t *testing.T) {
	t.Parallel()
	for _, c := range commands() {
		var out bytes.Buffer
		e := environment{getenv: func(string) string { return "hunter2" }, stdout: &out}
		err := e.run(t.Context(), []string{c.name, "-h"})
		text := out.String()
		testenv.Check(t, errors.Is(err, flag.ErrHelp) && !strings.Contains(text, "hunter2") &&
			strings.HasPrefix(text, "usage: gateway "+c.name+" "), "%s -h: %v, %s", c.name, err, text)
	}
}

// Production has no keys and addresses unless they are given. Keys that are
// none are refused without being quoted.
func TestProductionNeeds(t *testing.T) {
	t.Parallel()
	key := production()["GATEWAY_LINK_KEYS"]
	bad := []string{
		"", "%%% no base64 %%%", "c2hvcnQ=", key + ",c2hvcnQ=", key + "," + key,
		base64.StdEncoding.EncodeToString(make([]byte, 32)), strings.Repeat("/", 42) + "8=",
	}
	for name, values := range map[string][]string{
		"GATEWAY_VAULT_KEYS": bad, "GATEWAY_LINK_KEYS": bad,
		"GATEWAY_BASE_URL": {""}, "GATEWAY_PAY_URL": {""}, "GATEWAY_PORTAL_URL": {""},
	} {
		for _, value := range values {
			_, err := parse(map[string]string{name: value})
			testenv.Check(t, err != nil && strings.Contains(err.Error(), name) && exitStatus(err) == 2 &&
				(value == "" || !strings.Contains(err.Error(), value)), "%s=%s: %v", name, value, err)
		}
	}
}

// A setting that cannot work is refused at the start, under the names of its
// flag and its variable, and without secrets: those of testdata/refused.txt
// are.
func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for _, row := range testenv.Rows(t, "refused.txt") {
		var args []string
		if strings.HasPrefix(row[0], "GATEWAY_SANDBOX_") {
			args = append(args, "-sandbox")
		}
		_, err := parse(map[string]string{row[0]: row[1]}, args...)
		testenv.Check(t, err != nil && (strings.Contains(err.Error(), row[0]) || row[0] == "GATEWAY_HEADER_KEY_ID") &&
			!strings.Contains(err.Error(), "hunter2"), "%s=%s: %v", row[0], row[1], err)
	}
	_, err := parse(map[string]string{
		"GATEWAY_BASE_URL": "foo", "GATEWAY_PAY_URL": "", "GATEWAY_OPS_ADDR": "foo",
		"GATEWAY_LINK_KEYS": "foo", "GATEWAY_TRUSTED_PROXIES": "foo",
	}, "-markup-percent", "101", "-db-connections", "0")
	for _, each := range []string{
		"-base-url (GATEWAY_BASE_URL)", "-pay-url (GATEWAY_PAY_URL)", "-ops-addr (GATEWAY_OPS_ADDR)", "GATEWAY_LINK_KEYS", "-trusted-proxies",
		"-markup-percent", "-db-connections",
	} {
		testenv.Check(t, err != nil && strings.Contains(err.Error(), each), "not told of %s: %v", each, err)
	}
}

// Paths are put behind a public URL, so that it does not end in a slash.
func TestSettings(t *testing.T) {
	t.Parallel()
	c, err := parse(map[string]string{
		"GATEWAY_PAY_URL":                  "https://shop.example/",
		"GATEWAY_API_ADDR":                 ":http",
		"GATEWAY_EXTERNAL_PAYMENTS_SECRET": strings.Repeat("x", 32),
		"GATEWAY_DRAIN_DELAY":              "",
		"GATEWAY_PORTAL_ORIGINS":           "https://desk.example.com, https://b.example:8443",
	})
	testenv.Check(t, slices.Equal(c.portalOrigins, []string{"https://desk.example.com", "https://b.example:8443"}),
		"origins of portals: %q", c.portalOrigins)
	testenv.Check(t, err == nil && c.payURL == "https://shop.example" && c.drainDelay == 5*time.Second,
		"%s, drain %s: %v", c.payURL, c.drainDelay, err)
	// Metrics are for the machine itself unless told otherwise.
	testenv.Check(t, c.opsAddr == "127.0.0.1:9090" && c.apiAddr == ":http", "ops %s, api %s", c.opsAddr, c.apiAddr)
	sandboxed, err := parseConfig(
		[]string{"-pay-url", "http://localhost:1/", "-portal-origins", "http://localhost:5173"},
		func(string) string { return "" }, io.Discard,
	)
	testenv.Check(t, err == nil && sandboxed.payURL == "http://localhost:1" && len(sandboxed.portalOrigins) == 1 &&
		sandboxed.drainDelay == 0, "in a sandbox: %s, drain %s: %v", sandboxed.payURL, sandboxed.drainDelay, err)
}

// Production takes a callback's plain signature only where it is told to, a
// sandbox takes both.
func TestCallbackSignatureSetting(t *testing.T) {
	t.Parallel()
	const variable = "GATEWAY_CALLBACK_SIGNATURE"
	for _, c := range []struct {
		value string
		args  []string
		want  bool
	}{
		{"", nil, true}, {"any", nil, false}, {"v2", nil, true},
		{"", []string{"-sandbox"}, false}, {"v2", []string{"-sandbox"}, true},
	} {
		got, err := parse(map[string]string{variable: c.value}, c.args...)
		testenv.Check(t, err == nil && got.callbackV2 == c.want,
			"%q %q: demands Signature-V2: %t; %v", c.value, c.args, got.callbackV2, err)
	}
}

// Private hosts are for a sandbox, and production refuses them in words.
func TestCallbackHosts(t *testing.T) {
	t.Parallel()
	const variable = "GATEWAY_SANDBOX_CALLBACK_HOSTS"
	c, err := parse(map[string]string{variable: "shop, Crm.internal"}, "-sandbox")
	testenv.Check(t, err == nil && slices.Equal(c.callbackHosts, []string{"shop", "crm.internal"}),
		"%q: %v", c.callbackHosts, err)
	_, err = parse(map[string]string{variable: "shop"})
	testenv.Check(t, err != nil &&
		strings.Contains(err.Error(), "("+variable+") is for a sandbox only: webhooks of production go to public https addresses") &&
		exitStatus(err) == 2, "production: %v", err)
}

// Private networks for processors are named one by one.
func TestProcessorNetworks(t *testing.T) {
	t.Parallel()
	const variable = "GATEWAY_PROCESSOR_NETWORKS"
	c, err := parse(map[string]string{variable: "10.1.2.0/24, fd12::/48"})
	testenv.Check(t, err == nil && slices.Equal(c.processorNetworks,
		[]netip.Prefix{netip.MustParsePrefix("10.1.2.0/24"), netip.MustParsePrefix("fd12::/48")}),
		"%q: %v", c.processorNetworks, err)
}

// A build tells what it was made of, as far as it knows.
func TestVersionText(t *testing.T) {
	t.Parallel()
	system := runtime.GOOS + "/" + runtime.GOARCH
	for want, info := range map[string]debug.BuildInfo{
		"gateway (devel), go1.26.0, " + system: {GoVersion: "go1.26.0", Main: debug.Module{Version: "(devel)"}},
		"gateway v1.2.0, revision abc with changes, go1.26.0, " + system: {
			GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.0"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}},
		},
	} {
		testenv.Want(t, versionText(&info), want, "the version")
	}
}

// The banner names the program as it can be run again, in words that a shell
// takes.
func TestRunAs(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"./gateway": "./gateway", "gateway": "gateway", "/opt/my gateway/gateway": "'/opt/my gateway/gateway'",
		"/x/it's": `'/x/it'\''s'`,
		// go run, in a directory that is not the repository's.
		"/tmp/go-build123/b001/exe/gateway": "go run gateway.example/cmd/gateway",
	} {
		testenv.Want(t, runAs(path), want, "%s", path)
	}
}

// Who has a sandbox of a development version is told what to remove, and who
// has another database is not.
func TestBeginsAnew(t *testing.T) {
	t.Parallel()
	refused := fmt.Errorf("migrate: %w", db.ErrBeforeBaseline)
	sandbox := config{dataDir: "here/.gateway"}.anew(refused).Error()
	testenv.Check(t, strings.HasSuffix(sandbox, "delete the sandbox's directory here/.gateway"), "%v", sandbox)
	given := config{dataDir: "here/.gateway", databaseURL: "postgres://db/gateway"}.anew(refused)
	testenv.Check(t, !strings.Contains(given.Error(), "here/"), "%v", given)
}

// Nodes of a network are two hosts or more.
func TestChains(t *testing.T) {
	t.Parallel()
	const one, two = "https://one.example/hunter2", "http://10.0.0.2:8545"
	c := testenv.Must(parse(map[string]string{"GATEWAY_CHAIN_TRC20_URLS": one + ", " + two}))(t)
	testenv.Want(t, fmt.Sprint(c.chainURLs), "map[TRC20:["+one+" "+two+"]]", "nodes")
}
