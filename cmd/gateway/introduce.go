package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gateway.example/internal/db"
	"gateway.example/internal/sandbox"
	"gateway.example/rpc/sign"
)

// steps prints the progress of a sandbox's start, because its first one can
// take a minute. A production gateway only logs.
func (e environment) steps(c config) func(format string, args ...any) {
	if !c.sandbox {
		return func(string, ...any) {}
	}
	return func(format string, args ...any) { _, _ = fmt.Fprintf(e.stdout, format+"\n", args...) }
}

// introduce prints what to open and which commands to paste. From here on the
// sandbox's file is complete.
func (g *gateway) introduce(ctx context.Context, e environment, doors *doors, databaseURL string) error {
	if !g.sandbox {
		return nil
	}
	info := sandbox.Info{
		BaseURL:     g.baseURL,
		PayURL:      g.payURL,
		PortalURL:   g.portalURL,
		OpsURL:      localURL(doors.ops),
		DatabaseURL: databaseURL,
	}
	if err := info.Describe(ctx, db.New(g.pools.Calls), g.sandboxKey, g.vault); err != nil {
		return err
	}
	g.introduced, g.hooksURL = info, localURL(doors.portal)
	g.phones.Reach(localURL(doors.api))
	if err := info.Write(g.dataDir); err != nil {
		return err
	}
	return g.printWelcome(e, info)
}

const welcome = `
The sandbox is up. Its keys, users and tokens are in %[1]s.

  API      %[2]s  (/docs /openapi.json)
  pages    %[3]s
  portals  %[4]s
  ops      %[5]s  (/healthz /readyz /metrics)

Create a payment:

curl -sS %[2]s/api/v1/payments \
  -H 'Content-Type: application/json' \
  -H %[6]s \
  -H %[7]s \
  -H %[8]s \
  -d %[9]s | tee ${TMPDIR:-/tmp}/gateway-payment.json

Say that the money of this payment has arrived, as a bank connection does:

curl -sS %[2]s/api/v1/payments/$(sed -E 's/.*"data":\{"id":([0-9]+).*/\1/' ${TMPDIR:-/tmp}/gateway-payment.json)/callback \
  -H 'Content-Type: application/json' \
  -H %[10]s \
  -d %[11]s

The webhook goes to %[12]s. In a second terminal, this receives and verifies it:

%[13]s

`

// welcomeHook is where the sample payment's webhook is sent, and where
// "gateway listen" listens.
const (
	welcomeHookAddr = "127.0.0.1:8099"
	welcomeHook     = "http://" + welcomeHookAddr + "/webhook"
)

// printWelcome prints commands that can be pasted as they are at every start,
// because each start uses a new order id.
func (g *gateway) printWelcome(e environment, info sandbox.Info) error {
	box := info.Cashboxes[0]
	body := fmt.Sprintf(
		`{"orderId":"first-%s","amount":"1500.00","currency":"RUB","method":"sbp","callbackUri":%q}`,
		strings.ToLower(rand.Text()[:8]),
		welcomeHook,
	)
	const arrived = `{"status":"completed"}`
	_, err := fmt.Fprintf(
		e.stdout,
		welcome,
		filepath.Join(g.dataDir, "sandbox.json"),
		info.BaseURL,
		info.PayURL,
		info.PortalURL,
		info.OpsURL,
		quoted(g.headers.KeyID+": "+box.KeyID),
		quoted(g.headers.Secret+": "+box.Secret),
		quoted(g.headers.Signature+": "+sign.Signature(box.Secret, []byte(body))),
		quoted(body),
		quoted(g.headers.Signature+": "+sign.Signature(info.ExternalPaymentsSecret, []byte(arrived))),
		quoted(arrived),
		welcomeHook,
		g.listenCommand(),
	)
	return err
}

// listenCommand is the command that runs "gateway listen" beside this sandbox.
func (g *gateway) listenCommand() string {
	text := runAs(os.Args[0]) + " listen"
	if usual, err := filepath.Abs(defaultDataDir); err != nil || usual != g.dataDir {
		text += " -data-dir " + quoted(g.dataDir)
	}
	return text
}

// runAs is the command that runs the program again: "go run" if it was started
// so, because that deletes the binary at its end, otherwise its path.
func runAs(path string) string {
	if !strings.Contains(filepath.ToSlash(path), "/go-build") {
		return quoted(path)
	}
	if _, err := os.Stat("cmd/gateway"); err == nil {
		return "go run ./cmd/gateway"
	}
	return "go run gateway.example/cmd/gateway"
}

// plain matches words that a shell needs no quotes for.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:-]+$`)

// quoted quotes a word for a shell.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
