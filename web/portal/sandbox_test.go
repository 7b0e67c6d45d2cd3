package portal_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/limit"
	"gateway.example/internal/session"
	"gateway.example/internal/webhook/signing"
	"gateway.example/web/portal"
)

// hookSecret signs the webhooks of the sandbox's cashbox.
var hookSecret = signing.FormatSecret([]byte(strings.Repeat("s", 32)))

// sandbox is a bundle whose portals are a sandbox's.
func sandbox(t testing.TB) *bundle {
	t.Helper()
	b := setup(t, options{})
	b.asSandbox(t)
	return b
}

// asSandbox serves the portals of a sandbox in place of the bundle's.
func (b *bundle) asSandbox(t testing.TB) {
	t.Helper()
	b.user(t, "trader-1", caller.Trader, caller.Owner, b.traders[0].ID)
	b.user(t, "shop", caller.MerchantPortal, caller.Owner, b.merchant.ID)
	b.user(t, "payer", caller.Cabinet, "", b.merchant.ID)
	var err error
	b.sessions, err = session.New(b.Pools(), dbtest.Vault(), limit.New(b.Pool), session.Config{
		Sandbox: true, CookieKeys: [][]byte{[]byte(strings.Repeat("c", session.CookieKeySize))},
	})
	noError(t, err)
	who := b.merchant.Caller
	who.Scopes = []string{caller.ScopePayments, caller.ScopePayouts}
	rooms := b.rooms
	rooms.Sessions = b.sessions
	rooms.Sandbox = &portal.Sandbox{
		APIURL:   "http://api.example",
		PayURL:   "http://pay.example",
		HooksURL: "http://127.0.0.1:8082",
		File:     "dir/sandbox.json",
		Users: []portal.SandboxUser{
			{Kind: caller.Trader, Login: "trader-1", TraderID: b.traders[0].ID},
			{Kind: caller.MerchantPortal, Login: "shop"}, {Kind: caller.Cabinet, Login: "payer"},
		},
		Cashboxes: []portal.SandboxCashbox{
			{
				ID:       b.merchant.CashboxID,
				Currency: "RUB",
				KeyID:    "the-key",
				Methods:  []string{"sbp"},
				Payouts:  []string{"sbp", "c2c"},
			},
		},
		Link:     func(id uuid.UUID) string { return "link-" + id.String() },
		Merchant: func(context.Context, int64) (caller.Caller, error) { return who, nil },
		Verified: func(_ int64, body []byte, header http.Header) bool {
			verifier, err := standardwebhooks.NewWebhook(hookSecret)
			return err == nil && verifier.Verify(body, header) == nil
		},
	}
	pages, err := portal.New(rooms)
	noError(t, err)
	b.server = httptest.NewServer(pages)
	t.Cleanup(b.server.Close)
}

// The first page tells what there is to try, and no secrets.
func TestSandboxStart(t *testing.T) {
	t.Parallel()
	b := sandbox(t)
	browser := b.nobody()
	a := browser.get(t, "/")
	says(t, a, "Create a payment below", "trader-1", "shop", "http://api.example", "the-key", "dir/sandbox.json",
		"docs/integrate.md", "Nothing yet.")
	page := a.page(t)
	want(t, "users to sign in as; a payer has no portal",
		page.Find(`form[action="/sandbox/sign-in"]`).Length(), 2)
	want(t, "things to make",
		page.Find(`form[action="/sandbox/payments"], form[action="/sandbox/payouts"]`).Length(), 3)
	browser.cookies["lang"] = "ru"
	says(t, browser.get(t, "/"), "Создайте платёж ниже", "Создать выплату", "Войти одним нажатием", "Что вы создали")
}

// A click signs in, and leads to what was asked for. The session before it ends.
func TestSandboxSignIn(t *testing.T) {
	t.Parallel()
	b := sandbox(t)
	browser := b.nobody()
	if a := browser.post(t, "/sandbox/sign-in?next=/trader/requisites", "login",
		"trader-1"); a.to() != "/trader/requisites" {
		t.Fatalf("%d, to %s", a.code, a.to())
	}
	browser.page(t, "/trader")
	first := browser.cookie()
	browser.post(t, "/sandbox/sign-in", "login", "shop")
	old := &person{b: b, cookies: map[string]string{"session": first}}
	want(t, "the session before goes on", old.get(t, "/trader").code, http.StatusSeeOther)
	b.user(t, "somebody", caller.Operator, caller.Admin, 0)
	for _, login := range []string{"somebody", "", "nobody"} {
		if a := b.nobody().
			post(t, "/sandbox/sign-in", "login", login); a.code != http.StatusNotFound ||
			a.header.Get("Set-Cookie") != "" {
			t.Errorf("%q signs in: %d", login, a.code)
		}
	}
	if a := b.nobody().post(t, "/sandbox/sign-in?next=//evil.example", "login", "trader-1"); a.to() != "/trader" {
		t.Errorf("to %s", a.to())
	}
}

// A payment is made with a fresh order id at each click, and stands in the list with all its pages.
func TestSandboxMakesPayments(t *testing.T) {
	t.Parallel()
	b := sandbox(t)
	browser := b.nobody()
	box := strconv.FormatInt(b.merchant.CashboxID, 10)
	for _, amount := range []string{"1 234,50", "900"} {
		a := browser.post(t, "/sandbox/payments", "cashbox", box, "method", "sbp", "amount", amount)
		if a.code != http.StatusSeeOther || a.to() != "/#made" {
			t.Fatalf("%d: %s", a.code, a.text())
		}
	}
	a := browser.get(t, "/")
	says(t, a, "The payment is created.", "Payment 1", "Payment 2", "1,234.50 ₽", "900 ₽", "As trader-1")
	var id, callback string
	noError(t,
		b.Pool.QueryRow(t.Context(), "select uuid, callback_uri from payment order by id limit 1").Scan(&id, &callback))
	want(t, "webhooks go to", callback, "http://127.0.0.1:8082/sandbox/hooks/"+box)
	page := a.page(t)
	want(t, "the payer's page is", page.Find("#payment-1 a").First().AttrOr("href", ""),
		"http://pay.example/r/link-"+id)
	want(t, "the trader's page is", page.Find("#payment-1 form").AttrOr("action", ""),
		"/sandbox/sign-in?next=%2Ftrader%2Fpayments%2F1")
	if region := browser.get(t, "/sandbox/made"); !strings.Contains(region.body, `id="payment-2"`) ||
		strings.Contains(region.body, "<main") {
		t.Errorf("the list alone: %d %s", region.code, region.body)
	}
}

// So is a payout.
func TestSandboxMakesPayouts(t *testing.T) {
	t.Parallel()
	b := sandbox(t)
	for _, method := range []string{"sbp", "c2c"} {
		noError(t, b.Queries().CashboxPayoutMethodSet(t.Context(), db.CashboxPayoutMethodSetParams{
			CashboxID: b.merchant.CashboxID, Method: method, Enabled: true,
			ValiditySeconds: int32(catalogue.PayoutValidity / time.Second),
		}))
	}
	b.Fund(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID), "1000")
	browser := b.nobody()
	box := strconv.FormatInt(b.merchant.CashboxID, 10)
	for _, method := range []string{"sbp", "c2c"} {
		a := browser.post(t, "/sandbox/payouts", "cashbox", box, "method", method, "amount", "1500")
		if a.code != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", method, a.code, a.text())
		}
	}
	says(t, browser.get(t, "/"), "The payout is created.", "Payout 1", "Payout 2", "1,500 ₽")
}

// What is refused is said beside its field, with what was typed, and nothing is made.
func TestSandboxRefuses(t *testing.T) {
	t.Parallel()
	b := sandbox(t)
	box := strconv.FormatInt(b.merchant.CashboxID, 10)
	for typed, wanted := range map[string]string{
		"<b>": "must be a plain decimal number", "": "is required", "5000000": "collect_requisites_not_available",
	} {
		a := b.nobody().post(t, "/sandbox/payments", "cashbox", box, "method", "sbp", "amount", typed)
		input := a.page(t).Find(`input[aria-invalid="true"]`)
		want(t, typed, line(a.code, input.Length(), input.AttrOr("value", "")),
			line(http.StatusUnprocessableEntity, 1, typed))
		says(t, a, wanted)
	}
	want(t, "an unknown cashbox",
		b.nobody().post(t, "/sandbox/payments", "cashbox", "99", "method", "sbp", "amount", "5").code,
		http.StatusNotFound)
	if a := b.nobody().postForm(t, "/sandbox/payments", nil); a.code != http.StatusForbidden {
		t.Errorf("a post that does not say where it comes from: %d", a.code)
	}
	if a := b.nobody().
		postForm(t, "/sandbox/sign-in", nil, "Origin", "http://evil.example"); a.code != http.StatusForbidden {
		t.Errorf("a post of another site: %d", a.code)
	}
	made := b.Count(t, "select count(*) from payment")
	want(t, "payments", made, 0)
}

// deliver posts a webhook as the gateway does: without any sign of a browser.
func (b *bundle) deliver(t testing.TB, body, secret string) int {
	t.Helper()
	path := b.server.URL + "/sandbox/hooks/" + strconv.FormatInt(b.merchant.CashboxID, 10)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	noError(t, err)
	noError(t, signing.Sign(r.Header, "msg_1", time.Now(), []byte(body), []string{secret}))
	return b.nobody().send(t, r).code
}

// Webhooks are verified and shown, the newest first, with everything escaped that a stranger sent.
func TestSandboxInbox(t *testing.T) {
	t.Parallel()
	b := sandbox(t)
	browser := b.nobody()
	says(t, browser.get(t, "/sandbox/inbox"), "No webhooks yet.")
	if code := b.deliver(t,
		`{"type":"payment.status.updated","data":{"uuid":"u-1","status":"COMPLETED"},"meta":{"id":7}}`,
		hookSecret); code != http.StatusNoContent {
		t.Fatalf("a genuine webhook: %d", code)
	}
	other := signing.FormatSecret([]byte(strings.Repeat("x", 32)))
	want(t, "a forged webhook", b.deliver(t, `{"type":"<script>alert(1)</script>"}`, other), http.StatusBadRequest)
	a := browser.get(t, "/sandbox/inbox")
	page := a.page(t)
	items := page.Find("#inbox li")
	if items.Length() != 2 || page.Find("#inbox script").Length() != 0 {
		t.Fatalf("the inbox has %d webhooks: %s", items.Length(), a.body)
	}
	for i, wanted := range []string{"signature wrong", "signature verified"} {
		want(t, "webhook", items.Eq(i).Find(".badge").First().Text(), wanted)
	}
	wantIn(t, "the page", items.Eq(1).Text(), "payment.status.updated", "№ 7", "Completed",
		`"uuid": "u-1"`, "Webhook-Id: msg_1")
	want(t, "webhooks of the payment",
		browser.page(t, "/sandbox/inbox?of=u-1").Find("#inbox li").Length(), 1)
	want(t, "nothing new is", browser.get(t, "/sandbox/inbox/list?seen=2").code, http.StatusNoContent)
	if news := browser.get(t, "/sandbox/inbox/list?seen=1"); news.code != http.StatusOK ||
		strings.Contains(news.body, "<main") {
		t.Errorf("news are %d", news.code)
	}
}

// What comes beyond 200 makes the oldest go.
func TestSandboxInboxIsBounded(t *testing.T) {
	t.Parallel()
	b := sandbox(t)
	for range 203 {
		b.deliver(t, `{"type":"again"}`, hookSecret)
	}
	items := b.nobody().page(t, "/sandbox/inbox").Find("#inbox li")
	if first, last := items.First().AttrOr("id", ""),
		items.Last().AttrOr("id", ""); items.Length() != 200 || first != "hook-203" ||
		last != "hook-4" {
		t.Errorf("%d webhooks, %s to %s", items.Length(), first, last)
	}
	want(t, "a megabyte", b.deliver(t, strings.Repeat("x", 1<<20), hookSecret), http.StatusRequestEntityTooLarge)
}

// Outside a sandbox there is nothing of this.
func TestNoSandboxOutside(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	want(t, "the first page", b.nobody().get(t, "/").to(), "/sign-in")
	b.user(t, "trader-1", caller.Trader, caller.Owner, b.traders[0].ID)
	for _, path := range []string{"/sandbox/sign-in", "/sandbox/payments", "/sandbox/payouts", "/sandbox/hooks/1"} {
		browser := b.nobody()
		a := browser.post(t, path, "login", "trader-1", "cashbox", "1", "method", "sbp", "amount", "5")
		want(t, "POST", line(a.code, browser.cookie()), line(http.StatusNotFound, ""))
	}
	for _, path := range []string{"/sandbox/inbox", "/sandbox/inbox/list", "/sandbox/made"} {
		want(t, "GET", b.nobody().get(t, path).code, http.StatusNotFound)
	}
	if code := b.deliver(t, "{}", hookSecret); code < 400 {
		t.Errorf("a webhook is taken: %d", code)
	}
}

// sandboxPages are those of a sandbox, with something made and a webhook that came.
func (b *bundle) sandboxPages(t testing.TB, p *person) map[string]string {
	t.Helper()
	p.post(t, "/sandbox/payments", "cashbox", strconv.FormatInt(b.merchant.CashboxID, 10), "method", "sbp", "amount",
		"900")
	b.deliver(t, `{"type":"payment.status.updated","data":{"uuid":"u-1","status":"COMPLETED"}}`, hookSecret)
	return map[string]string{"start": "/", "inbox": "/sandbox/inbox"}
}
