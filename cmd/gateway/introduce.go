package main

import (
	"context"
	"fmt"

	"gateway.example/internal/db"
	"gateway.example/internal/sandbox"
	"gateway.example/rpc/sign"
)

// introduce tells whoever started a sandbox what to open and what to paste. The file is true from
// here on.
func (g *gateway) introduce(ctx context.Context, e environment, doors *listeners, databaseURL string) error {
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
	if err := info.Describe(ctx, db.New(g.pools.Calls), g.sandboxKey); err != nil {
		return err
	}
	g.introduced, g.hooksURL = info, localURL(doors.portal)
	if err := info.Write(g.dataDir); err != nil {
		return err
	}
	return printWelcome(e, info, g.dataDir, g.headers.KeyID, g.headers.Secret, g.headers.Signature)
}

const welcome = `
The sandbox is up. Its keys, users and tokens are in %[1]s/sandbox.json.

  API      %[2]s
  pages    %[3]s
  portals  %[4]s
  ops      %[5]s  (/healthz /readyz /metrics)

Create a payment:

curl -sS %[2]s/api/v1/payments \
  -H 'Content-Type: application/json' \
  -H '%[6]s: %[7]s' \
  -H '%[8]s: %[9]s' \
  -H '%[10]s: %[11]s' \
  -d '%[12]s'

Confirm it as the trader who got it (put in the payment's id):

curl -sS %[2]s/portal.v1.TraderService/ConfirmReceived \
  -H 'Content-Type: application/json' -H 'Authorization: Bearer %[13]s' -d '{"paymentId": 1}'

The webhook goes to %[14]s; "gateway listen" receives and verifies it there.

`

// welcomeHook is where the sample payment's webhook goes, and where "gateway listen" waits for it.
const (
	welcomeHookAddr = "127.0.0.1:8099"
	welcomeHook     = "http://" + welcomeHookAddr + "/webhook"
)

func printWelcome(e environment, info sandbox.Info, dir, keyIDHeader, secretHeader, signatureHeader string) error {
	box := info.Cashboxes[0]
	trader := ""
	for _, user := range info.Users {
		if trader == "" && user.Kind == "trader" {
			trader = user.Token
		}
	}
	body := fmt.Sprintf(
		`{"orderId":"first-order","amount":"1500.00","currency":"RUB","method":"sbp","callbackUri":%q}`,
		welcomeHook,
	)
	_, err := fmt.Fprintf(
		e.stdout,
		welcome,
		dir,
		info.BaseURL,
		info.PayURL,
		info.PortalURL,
		info.OpsURL,
		keyIDHeader,
		box.KeyID,
		secretHeader,
		box.Secret,
		signatureHeader,
		sign.Signature(box.Secret, []byte(body)),
		body,
		trader,
		welcomeHook,
	)
	return err
}
