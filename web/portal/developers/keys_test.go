package developers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// A key's secret is shown once, in the answer to the form that made it, and signs.
func TestNewKey(t *testing.T) {
	b, p := portaltest.Member(t, caller.Developer)
	path := b.BoxPath("keys/new")
	fields := hidden(p.Page(t, path), "name", "<b>shop</b>", "scopes", "payments", "scopes", "payouts")
	a := p.Post(t, path, fields...)
	secret := a.Page(t).Find("#secret").Text()
	testenv.Need(t, a.Code == http.StatusOK && strings.HasPrefix(secret, "sk_") && len(secret) == 46, "made: %d, secret %q", a.Code, secret)
	want(t, "kept by the browser", a.Header.Get("Cache-Control"), "no-store")
	a = p.Post(t, path, fields...)
	want(t, "sent twice", a.Led(), "303 /merchant/developers/keys?cashbox=1 key-made-before")
	page := p.Page(t, a.To())
	text := words(page.Find("main"))
	testenv.Check(t, !strings.Contains(text, secret) && strings.Contains(text, "<b>shop</b>"), "the list: %s", text)
	want(t, "elements of a name", page.Find("main td b").Length(), 0)
	want(t, "keys", page.Find("tbody tr").Length(), 2)
	b.StoredNowhere(t, secret)
}

// What a key is good for is changed later: the form has what there is.
func TestKeyLimits(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	var key int64
	b.Get(t, &key, "select id from api_key where key_id = $1", b.Merchant.KeyID)
	path, list := b.BoxPath(fmt.Sprintf("keys/%d/limits", key)), "/merchant/developers/keys"
	link, _ := p.Page(t, list).Find("tbody a.button:not(.danger)").Attr("href")
	want(t, "the list leads to", link, path)

	until := time.Now().AddDate(1, 0, 0).UTC().Truncate(time.Second).Add(-time.Millisecond)
	b.Exec(t, "update api_key set expires_at = $1 where id = $2", until, key)
	fields := []string{"allowed_networks", "203.0.113.7/24", "payout_daily_limit", "50000"}
	day := p.Page(t, path).Find("#expires_at").AttrOr("value", "")
	want(t, "changed", p.Post(t, path, append(fields, "expires_at", day)...).Led(), "303 /merchant/developers/keys?cashbox=1 key-limits")
	want(t, "keys that end in the same moment as before",
		b.Count(t, "select count(*) from api_key where id = $1 and expires_at = $2", key, until), 1)
	page := p.Page(t, path)
	for name, value := range map[string]string{
		"expires_at": day, "allowed_networks": "203.0.113.0/24", "payout_daily_limit": "50000.00",
	} {
		want(t, name, page.Find("#"+name).AttrOr("value", ""), value)
	}
	a := p.Post(t, path, "expires_at", "2020-01-01", "allowed_networks", "shop.example")
	want(t, "wrong",
		line(a.Code, a.Page(t).Find(".wrong").Length(), a.Page(t).Find("#allowed_networks").AttrOr("value", "")),
		"422 2 shop.example")
	p.Post(t, path)
	says := words(p.Page(t, list).Find("tbody"))
	wantNot(t, "without limits", says, "payouts up to")
	wantNot(t, "without limits", says, "from 203")
	p.Post(t, b.BoxPath(fmt.Sprintf("keys/%d/revoke", key)))
	want(t, "of a revoked key", line(p.Get(t, path).Code, p.Post(t, path).Code), "404 404")
}

// The signing secret is shown once, and the one before signs besides for a day.
func TestRotate(t *testing.T) {
	b, p := portaltest.Member(t, caller.Developer)
	path := b.BoxPath("secret")
	fields := hidden(p.Page(t, path))
	a := p.Post(t, path, fields...)
	secret := a.Page(t).Find("#secret").Text()
	testenv.Need(t, a.Code == http.StatusOK && strings.HasPrefix(secret, "whsec_"), "changed: %d, secret %q", a.Code, secret)
	want(t, "sent twice", p.Post(t, path, fields...).Led(), "303 /merchant/developers/webhooks secret-made-before")
	text := words(p.Page(t, "/merchant/developers/webhooks").Find("main"))
	testenv.Check(t, strings.Count(text, "signs besides until") == 1 && !strings.Contains(text, secret), "the page: %s", text)
	b.Clock.Advance(25 * time.Hour)
	wantNot(t, "a day later", words(p.Page(t, "/merchant/developers/webhooks").Find("main")), "signs besides until")
	want(t, "without a token", p.Post(t, path).Code, http.StatusOK)
	want(t, "and no secret", p.Post(t, path).Page(t).Find("#secret").Length(), 0)
}

func TestMain(m *testing.M) { portaltest.Main(m) }

// What people do at these pages, as walks.txt says.
func TestWalks(t *testing.T) { portaltest.Walks(t, "walks.txt") }

// What tests say often is short.
var (
	want, wantIn, wantNot = portaltest.Want, portaltest.WantIn, portaltest.WantNot
	hidden, line, words   = portaltest.Hidden, portaltest.Line, portaltest.Words
	noError               = testenv.NoError
)
