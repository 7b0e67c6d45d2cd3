package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/sandbox"
	"gateway.example/internal/trigger"
	"gateway.example/rpc"
	"gateway.example/rpc/sign"
	start "gateway.example/web/portal/sandbox"
)

// startPage is the first page of a sandbox's portals: who can sign in, and
// what can be tried.
func (g *gateway) startPage() *start.Page {
	info := g.introduced
	page := &start.Page{
		APIURL: g.baseURL, PayURL: g.payURL, HooksURL: g.hooksURL, File: filepath.Join(g.dataDir, "sandbox.json"),
		Link: g.links.Token, Merchant: g.sandboxMerchant, Verified: g.sandboxVerified, Purse: g.purse(),
		Writes: func(ctx context.Context, paymentID int64) (start.Message, error) {
			w, err := g.phones.Find(ctx, paymentID)
			return start.Message(w), err
		},
		Forward: func(ctx context.Context, m start.Message) (string, error) {
			return g.phones.Forward(ctx, "pasted-"+strings.ToLower(rand.Text()), sandbox.Written(m))
		},
	}
	for _, user := range info.Users {
		page.Users = append(page.Users, start.User{
			Kind: caller.Kind(user.Kind), Login: user.Login, TraderID: user.TraderID,
		})
	}
	order := []caller.Kind{caller.Trader, caller.MerchantPortal, caller.Operator}
	slices.SortStableFunc(page.Users, func(a, b start.User) int {
		return slices.Index(order, a.Kind) - slices.Index(order, b.Kind)
	})
	for _, box := range info.Cashboxes {
		shop := start.Cashbox{
			ID: box.MerchantCashboxID, Currency: box.Currency, KeyID: box.KeyID,
		}
		for _, method := range catalogue.Payments(box.Currency) {
			if slices.Contains(box.Methods, method.Name) {
				shop.Methods = append(shop.Methods, method.Name)
			}
		}
		if slices.Contains(box.Scopes, caller.ScopePayouts) {
			for _, method := range catalogue.Payouts(box.Currency) {
				shop.Payouts = append(shop.Payouts, method.Name)
			}
		}
		page.Cashboxes = append(page.Cashboxes, shop)
	}
	return page
}

func (g *gateway) sandboxCashbox(id int64) (sandbox.Cashbox, bool) {
	boxes := g.introduced.Signers()
	at := slices.IndexFunc(boxes, func(box sandbox.Cashbox) bool { return box.MerchantCashboxID == id })
	if at < 0 {
		return sandbox.Cashbox{}, false
	}
	return boxes[at], true
}

// sandboxMerchant authenticates as a cashbox by its key, as a call of the API
// does. So a revoked key does nothing here either.
func (g *gateway) sandboxMerchant(ctx context.Context, cashboxID int64) (caller.Caller, error) {
	box, known := g.sandboxCashbox(cashboxID)
	if !known {
		return caller.Caller{}, fmt.Errorf("no cashbox %d in the sandbox", cashboxID)
	}
	body := []byte("{}")
	call, err := http.NewRequestWithContext(ctx, http.MethodPost, "/", http.NoBody)
	if err != nil {
		return caller.Caller{}, fmt.Errorf("sign in as the sandbox's merchant: %w", err)
	}
	call.Header.Set(g.headers.KeyID, box.KeyID)
	call.Header.Set(g.headers.Secret, box.Secret)
	call.Header.Set(g.headers.Signature, sign.Signature(box.Secret, body))
	return g.keys.Merchant(call, func() ([]byte, error) { return body, nil })
}

// trigger makes an event happen. It creates payments and payouts with the
// sandbox's first key for a cashbox of the currency. Their webhooks go to the
// address of "gateway listen".
func (g *gateway) trigger(ctx context.Context, event, id string) (rpc.Triggered, error) {
	services := trigger.Services{
		Payments: g.payments, Payouts: g.payouts, Checkouts: g.checkouts, Links: g.links, Clock: g.clock,
		Hook: welcomeHook,
		Merchant: func(ctx context.Context, currency string) (caller.Caller, error) {
			for _, box := range g.introduced.Cashboxes {
				if box.Currency == currency {
					return g.sandboxMerchant(ctx, box.MerchantCashboxID)
				}
			}
			return caller.Caller{}, fmt.Errorf("no cashbox of %s in the sandbox", currency)
		},
	}
	for _, user := range g.introduced.Users {
		if user.TraderID != 0 {
			services.Traders = append(services.Traders, user.TraderID)
		}
	}
	done, err := trigger.New(services).Trigger(ctx, event, id)
	return rpc.Triggered(done), err
}

// sandboxVerified verifies a webhook with the secret that a cashbox has now, as
// a merchant does who has changed it.
func (g *gateway) sandboxVerified(ctx context.Context, cashboxID int64, body []byte, header http.Header) bool {
	secret, err := sandbox.WebhookSecret(ctx, db.New(g.pools.Calls), g.vault, cashboxID)
	if err != nil {
		return false
	}
	verifier, err := standardwebhooks.NewWebhook(secret)
	return err == nil && verifier.Verify(body, header) == nil
}
