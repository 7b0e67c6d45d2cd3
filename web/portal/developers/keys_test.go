package developers_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/caller"
	"gateway.example/internal/requestlog"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
)

// A key's secret is shown once, in the answer to the form that made it, and
// signs.
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
	want(t, "changed", p.Fill(t, path, append(fields, "expires_at", day)...).Led(), "303 /merchant/developers/keys?cashbox=1 key-limits")
	want(t, "keys that end in the same moment as before",
		b.Count(t, "select count(*) from api_key where id = $1 and expires_at = $2", key, until), 1)
	page := p.Page(t, path)
	for name, value := range map[string]string{
		"expires_at": day, "allowed_networks": "203.0.113.0/24", "payout_daily_limit": "50000.00",
	} {
		want(t, name, page.Find("#"+name).AttrOr("value", ""), value)
	}
	a := p.Fill(t, path, "expires_at", "2020-01-01", "allowed_networks", "shop.example")
	want(t, "wrong",
		line(a.Code, a.Page(t).Find(".wrong").Length(), a.Page(t).Find("#allowed_networks").AttrOr("value", "")),
		"422 2 shop.example")
	// The next day is none that clients of the API can read, so with it the
	// list of keys could not be sent.
	a = p.Fill(t, path, "expires_at", "9999-12-31")
	want(t, "the last day of all", line(a.Code, a.Page(t).Find(".wrong").Length()), "422 1")
	stale := p.Typed(t, path, "payout_daily_limit", "90000")
	p.Fill(t, path, "expires_at", "", "allowed_networks", "", "payout_daily_limit", "")
	want(t, "after another change", p.Post(t, path, stale...).Led(), "303 "+path+" changed")
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

// Whoever clicks twice sees what is shown once, all the same: a second click
// would hang up the answer that has it, and is not sent.
func TestSecretIsSeenAfterTwoClicks(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	tab := p.Tab(t, b.Server.URL)
	for _, path := range []string{b.BoxPath("secret"), b.BoxPath("keys/new"), "/merchant/team/invite"} {
		tab.Slow(0)
		tab.Open(b.Server.URL + path)
		browsertest.Eval[bool](tab, `document.querySelectorAll("#name, #login").forEach((e) => { e.value = "another"; }), true`)
		tab.Slow(300 * time.Millisecond)
		browsertest.Eval[bool](tab, `(() => {
			const button = document.querySelector("main form.stack button[type=submit]");
			button.click();
			setTimeout(() => button.click(), 100);
			return true;
		})()`)
		tab.Visible("#secret")
	}
}

func TestMain(m *testing.M) { portaltest.Main(m) }

// What people do at these pages, as walks.txt says.
func TestWalks(t *testing.T) { portaltest.Walks(t, "walks.txt") }

// What tests say often is short.
var (
	want, wantIn, wantNot = portaltest.Want, portaltest.WantIn, portaltest.WantNot
	hidden, line, words   = portaltest.Hidden, portaltest.Line, portaltest.Words
)

// The health of an endpoint is of its attempts of the last days: 2 of 3 taken,
// with a median of 80 ms.
func TestHealth(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	b.Attempt(t, b.Tell(t, b.Merchant, 1, "dead"), 503, 9999, "long ago")
	b.Clock.Advance(8 * 24 * time.Hour)
	id := b.Tell(t, b.Merchant, 2, "delivered")
	b.Attempt(t, id, 500, 40, "<img src=x>\x00broken")
	b.Attempt(t, id, 200, 120, "")
	b.Attempt(t, id, 204, 80, "")
	page := p.Page(t, "/merchant/developers/webhooks")
	wantIn(t, "the page", words(page.Find(".requisites")), "Attempts 3", "2xx 66 %", "time 80 ms")
	want(t, "failures", page.Find("tbody tr").Length(), 1)
	wantIn(t, "the failure", words(page.Find("tbody")), "500, 40 ms", "<img src=x>broken")
	want(t, "a stranger's elements", page.Find("main img").Length(), 0)
}

// What is wrong with a request is said, and neither the secret nor the right
// signature.
func TestDoctor(t *testing.T) {
	b, p := portaltest.Member(t, caller.Developer)
	const path, body = "/merchant/developers/doctor", `{"note":"<i>b</i>"}`
	right := hmac.New(sha256.New, []byte(b.Merchant.Secret))
	right.Write([]byte(body + "\n"))
	headers := "X-Merchant-Key-Id: " + b.Merchant.KeyID + "\r\nSignature: " + hex.EncodeToString(right.Sum(nil))
	a := p.Post(t, path, "headers", headers, "secret", b.Merchant.Secret, "body", body)
	for _, fact := range []string{"A line break at the end differs", "differ at byte 19,"} {
		testenv.Check(t, strings.Contains(a.Text(), fact) && !strings.Contains(a.Body, b.Merchant.Secret), "%d: %s", a.Code, a.Text())
	}
	want(t, "typed", a.Page(t).Find("#body").Text(), body)

	whole := "POST /api/v1/payments HTTP/1.1\r\n" + headers + "\r\nX-Merchant-Secret: " + b.Merchant.Secret +
		"\r\n\r\n" + body + "\r\n"
	a = p.Post(t, path, "request", whole, "headers", "Signature: 00", "path", "/before", "body", "{}")
	testenv.Check(t, strings.Contains(a.Text(), "The signature is right") && !strings.Contains(a.Body, b.Merchant.Secret),
		"the whole request: %d: %s", a.Code, a.Text())
	want(t, "read", a.Page(t).Find("#path").AttrOr("value", ""), "/api/v1/payments")

	wantIn(t, "a wrong secret", p.Post(t, path, "headers", headers, "secret", "guess", "body", body).Text(), "not one of yours")
	a = p.Post(t, path, "headers", "X-Signature: 00", "body", body)
	wantIn(t, "a misnamed header", a.Text(), "a header of a similar name", "Header: Signature")
	a = p.Post(t, path, "request", "what is wrong?")
	want(t, "no request", a.At(t, ".wrong"), "422 must be a request as it is on the wire, or a line of curl")
}

// ask writes a request of the first merchant into the log, as one that has just
// been answered.
func ask(t testing.TB, b *portaltest.Bundle, log *requestlog.Log, status int, code, id string) {
	t.Helper()
	log.Add(requestlog.Entry{
		MerchantID: b.Merchant.ID, KeyID: b.Merchant.KeyID, Method: "POST", Path: "/api/v1/payments", Status: status,
		Code: code, RequestID: id, Took: 12340 * time.Microsecond,
	})
	testenv.NoError(t, log.Flush(t.Context()))
}

// Requests are found by status, code, key, day and id, and another merchant
// finds none of them.
func TestRequests(t *testing.T) {
	b, p := portaltest.Member(t, caller.Developer)
	stranger := b.Stranger(t)
	log := requestlog.New(b.Pool, b.Clock, prometheus.NewRegistry())
	const path = "/merchant/developers/requests"
	if text := words(p.Page(t, path).Find("main .empty")); !strings.HasPrefix(text, "No requests in the last days.") {
		t.Errorf("of none: %s", text)
	}
	ask(t, b, log, 403, "invalid_signature", "id-1")
	b.Clock.Advance(48 * time.Hour)
	ask(t, b, log, 422, "validation_failed", "id-2")
	ask(t, b, log, 500, "internal_error", "4111111111111111")
	ask(t, b, log, 200, "", "id-4")
	listed := func(query string) string {
		var all []string
		p.Page(t, path+query).Find("tbody .badge").Each(func(_ int, s *goquery.Selection) {
			all = append(all, s.Text())
		})
		return strings.Join(all, " ")
	}
	today, earlier := b.Clock.Now().Format(time.DateOnly), b.Clock.Now().AddDate(0, 0, -1).Format(time.DateOnly)
	for query, found := range map[string]string{
		"":                               "200 500 422 403",
		"?status=4xx":                    "422 403",
		"?status=4xx&status=5xx":         "500 422 403",
		"?status=2xx":                    "200",
		"?code=invalid_signature":        "403",
		"?key=" + b.Merchant.KeyID:       "200 500 422 403",
		"?key=another":                   "",
		"?q=id-2":                        "422",
		"?q=4111111111111111":            "",
		"?from=" + today:                 "200 500 422",
		"?to=" + earlier:                 "403",
		"?status=5xx&from=" + today:      "500",
		"?from=2020-01-01&to=2020-01-02": "",
	} {
		want(t, query, listed(query), found)
	}
	want(t, "a wrong status", p.Get(t, path+"?status=999").Code, http.StatusUnprocessableEntity)
	want(t, "a long code", p.Get(t, path+"?code="+strings.Repeat("x", 65)).Code, http.StatusUnprocessableEntity)
	row := words(p.Page(t, path+"?q=id-1").Find("tbody"))
	wantIn(t, "a row", row, "403 POST /api/v1/payments invalid_signature "+b.Merchant.KeyID+" id-1 12.3 ms")
	hidden := words(p.Page(t, path+"?status=5xx").Find("tbody"))
	if strings.Contains(hidden, "4111") || !strings.Contains(hidden, "Not kept: it looked like a card number") {
		t.Errorf("an id that looks like a card number: %s", hidden)
	}
	for _, query := range []string{"", "?q=id-2", "?key=" + b.Merchant.KeyID} {
		want(t, "a stranger's list", stranger.Page(t, path+query).Find("tbody tr").Length(), 0)
	}
}

// The list is read in pages, there and back.
func TestRequestPages(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	log := requestlog.New(b.Pool, b.Clock, prometheus.NewRegistry())
	for range 120 {
		ask(t, b, log, 200, "", "many")
	}
	page := p.Page(t, "/merchant/developers/requests?status=2xx")
	for _, rows := range []int{50, 50, 20} {
		want(t, "rows", page.Find("tbody tr").Length(), rows)
		if next, there := page.Find("a[rel=next]").Attr("href"); there {
			page = p.Page(t, next)
		}
	}
	want(t, "beyond the end", page.Find("a[rel=next]").Length(), 0)
	want(t, "back", p.Page(t, page.Find("a[rel=prev]").AttrOr("href", "")).Find("tbody tr").Length(), 50)
	want(t, "no such place", p.Get(t, "/merchant/developers/requests?after=x").Code, http.StatusNotFound)
}
