package portaltest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/session"
	"gateway.example/internal/webhook/signing"
	start "gateway.example/web/portal/sandbox"
	"gateway.example/web/portals"
)

// HookSecret signs the webhooks of the sandbox's cashbox.
var HookSecret = signing.FormatSecret([]byte(strings.Repeat("s", 32)))

// AsSandbox serves the portals as those of a sandbox.
func (b *Bundle) AsSandbox(t testing.TB) {
	t.Helper()
	b.User(t, "trader-1", caller.Trader, caller.Owner, b.Traders[0].ID)
	b.User(t, "shop", caller.MerchantPortal, caller.Owner, b.Merchant.ID)
	b.User(t, "payer", caller.Cabinet, "", b.Merchant.ID)
	var err error
	b.Sessions, err = session.New(b.Pools(), dbtest.Vault(), limit.New(b.Pool), session.Config{
		Sandbox: true, CookieKeys: cookieKeys,
	})
	noError(t, err)
	services := b.Services
	services.Sessions, services.Sandbox = b.Sessions, b.firstPage()
	pages, err := portals.New(services)
	noError(t, err)
	b.Server = httptest.NewServer(pages)
	t.Cleanup(b.Server.Close)
}

// Deliver posts a webhook as the gateway does, without any header of a browser.
func (b *Bundle) Deliver(t testing.TB, body, secret string) int {
	t.Helper()
	path := b.Server.URL + "/sandbox/hooks/" + strconv.FormatInt(b.Merchant.CashboxID, 10)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	noError(t, err)
	noError(t, signing.Sign(r.Header, "msg_1", time.Now(), []byte(body), []string{secret}))
	return b.Nobody().Send(t, r).Code
}

// firstPage is the sandbox's first page. Its outward calls are answered at
// once, and its bank knows one payment.
func (b *Bundle) firstPage() *start.Page {
	who := b.Merchant.Caller
	who.Scopes = []string{caller.ScopePayments, caller.ScopePayouts}
	return &start.Page{
		APIURL: "http://api.example", PayURL: "http://pay.example", HooksURL: "http://127.0.0.1:8082", File: "dir/sandbox.json",
		Users: []start.User{
			{Kind: caller.Trader, Login: "trader-1", TraderID: b.Traders[0].ID},
			{Kind: caller.MerchantPortal, Login: "shop"}, {Kind: caller.Cabinet, Login: "payer"},
		},
		Cashboxes: []start.Cashbox{{
			ID: b.Merchant.CashboxID, Currency: "RUB", KeyID: "the-key", Methods: []string{"sbp"}, Payouts: []string{"sbp", "c2c"},
		}},
		Link:     func(id uuid.UUID) string { return "link-" + id.String() },
		Merchant: func(context.Context, int64) (caller.Caller, error) { return who, nil },
		Verified: func(_ context.Context, _ int64, body []byte, header http.Header) bool {
			verifier, err := standardwebhooks.NewWebhook(HookSecret)
			return err == nil && verifier.Verify(body, header) == nil
		},
		Writes: func(_ context.Context, id int64) (start.Message, error) {
			return start.Message{TraderID: b.Traders[0].ID, Sender: "bank", Text: fmt.Sprintf("payment %d is paid", id)}, nil
		},
		Forward: func(_ context.Context, m start.Message) (string, error) {
			if m.Text == "" {
				return "", fault.Fields{"text": {"is required"}}.Err()
			}
			return "confirmed", nil
		},
		Purse: b.purse(),
	}
}

// purse records in the bundle what it is asked to send.
func (b *Bundle) purse() start.Purse {
	return start.Purse{
		Deposit: func(_ context.Context, id int64) error {
			b.Purse = append(b.Purse, fmt.Sprint("deposit ", id))
			return nil
		},
		Pay: func(_ context.Context, id int64) error {
			b.Purse = append(b.Purse, fmt.Sprint("withdrawal ", id))
			return nil
		},
		Latest: func(context.Context) ([]start.Transferred, error) {
			return []start.Transferred{{Network: "TRC20", Hash: strings.Repeat("ab", 32), To: "<b>", At: b.Clock.Now(), Confirmations: 7}}, nil
		},
	}
}
