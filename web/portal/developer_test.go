package portal_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/webhook"
)

const deadURL = "https://shop.example/hook?a=1&b=<i>2"

// as makes and signs in a user of the first merchant.
func (b *bundle) as(t testing.TB, role caller.Role) *person {
	t.Helper()
	login := "merchant-" + string(role)
	b.user(t, login, caller.MerchantPortal, role, b.merchant.ID)
	return b.signIn(t, login)
}

// stranger is the owner of another merchant.
func (b *bundle) stranger(t testing.TB) *person {
	t.Helper()
	other := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.user(t, "stranger", caller.MerchantPortal, caller.Owner, other.ID)
	return b.signIn(t, "stranger")
}

// tell writes an event of the merchant's and numbers it. Its body names what it is.
func (b *bundle) tell(t testing.TB, merchant dbtest.Merchant, number int64, status string) string {
	t.Helper()
	ctx, id := context.Background(), uuid.New()
	noError(t, webhook.Event{
		ID: id, MerchantID: merchant.ID, CashboxID: merchant.CashboxID, Type: "payment.status.updated",
		Subject: "payment", SubjectID: 900 + number, Sequence: 1, URL: deadURL,
		Body: []byte(`{"order":"<script>alert(1)</script>"}`), At: b.clock.Now(),
	}.Insert().Run(ctx, b.Queries()))
	b.Exec(t, `with relayed as (delete from webhook_outbox where event_id = $1),
		told as (update webhook_relay set last_number = greatest(last_number, $2))
		update webhook_event set number = $2, status = $3 where id = $1`, id, number, status)
	return id.String()
}

// attempt keeps an attempt at an event.
func (b *bundle) attempt(t testing.TB, id string, code int, took int, answer string) {
	t.Helper()
	b.Exec(t, `insert into webhook_attempt
		(merchant_id, event_id, at, duration_ms, status_code, answer)
		values ($1, $2, $3, $4, $5, $6)`, b.merchant.ID, id, b.clock.Now(), took, code, []byte(answer))
}

func (b *bundle) boxPath(page string) string {
	return fmt.Sprintf("/merchant/developers/cashboxes/%d/%s", b.merchant.CashboxID, page)
}

// A key's secret is shown once, in the answer to the form that made it, and signs.
func TestNewKey(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Developer)
	path := b.boxPath("keys/new")
	fields := hidden(p.page(t, path), "name", "<b>shop</b>", "scopes", "payments", "scopes", "payouts")
	a := p.post(t, path, fields...)
	secret := a.page(t).Find("#secret").Text()
	if a.code != http.StatusOK || !strings.HasPrefix(secret, "sk_") || len(secret) != 46 {
		t.Fatalf("made: %d, secret %q", a.code, secret)
	}
	want(t, "kept by the browser", a.header.Get("Cache-Control"), "no-store")
	a = p.post(t, path, fields...)
	want(t, "sent twice", line(a.code, p.cookies["flash"]), "303 key-made-before")
	page := p.page(t, a.to())
	if text := words(page.Find("main")); strings.Contains(text, secret) || !strings.Contains(text, "<b>shop</b>") {
		t.Errorf("the list: %s", text)
	}
	want(t, "elements of a name", page.Find("main td b").Length(), 0)
	want(t, "keys", page.Find("tbody tr").Length(), 2)
	b.StoredNowhere(t, secret)
}

// A key is made with an end, networks and a limit of payouts, which the list shows; what is wrong with one is said.
func TestNewKeyBounds(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	path := b.boxPath("keys/new")
	page := p.page(t, path)
	for name, value := range map[string]string{
		"expires_at": "2020-01-01", "allowed_networks": "shop.example", "payout_daily_limit": "much",
	} {
		a := p.post(t, path, hidden(page, "name", "shop", "scopes", "payouts", name, value)...)
		shown := a.page(t)
		want(t, name, line(a.code, shown.Find("#"+name).AttrOr("value", "")), "422 "+value)
		want(t, name+" is wrong", shown.Find(".wrong").Length(), 1)
	}
	a := p.post(t, path, hidden(page, "name", "shop", "scopes", "payouts", "expires_at", "2999-12-31",
		"allowed_networks", "203.0.113.7/24", "payout_daily_limit", "50000")...)
	want(t, "made", a.code, http.StatusOK)
	list := words(p.page(t, "/merchant/developers/keys").Find("tbody"))
	for _, says := range []string{"from 203.0.113.0/24", "payouts up to 50", "a day", "until"} {
		wantIn(t, "the list", list, says)
	}
}

// What a key is good for is changed later, by its own merchant alone: the form has what there is.
func TestKeyLimits(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p, stranger := b.as(t, caller.Owner), b.stranger(t)
	var key int64
	b.Get(t, &key, "select id from api_key where key_id = $1", b.merchant.KeyID)
	path, list := b.boxPath(fmt.Sprintf("keys/%d/limits", key)), "/merchant/developers/keys"
	want(t, "a stranger", line(stranger.get(t, path).code, stranger.post(t, path).code), "404 404")
	link, _ := p.page(t, list).Find("tbody a.button:not(.danger)").Attr("href")
	want(t, "the list leads to", link, path)

	until := time.Now().AddDate(1, 0, 0).UTC().Truncate(time.Second).Add(-time.Millisecond)
	b.Exec(t, "update api_key set expires_at = $1 where id = $2", until, key)
	fields := []string{"allowed_networks", "203.0.113.7/24", "payout_daily_limit", "50000"}
	day := p.page(t, path).Find("#expires_at").AttrOr("value", "")
	a := p.post(t, path, append(fields, "expires_at", day)...)
	want(t, "changed", line(a.code, p.cookies["flash"]), "303 key-limits")
	want(t, "keys that end in the same moment as before",
		b.Count(t, "select count(*) from api_key where id = $1 and expires_at = $2", key, until), 1)
	page := p.page(t, path)
	for name, value := range map[string]string{
		"expires_at": day, "allowed_networks": "203.0.113.0/24", "payout_daily_limit": "50000.00",
	} {
		want(t, name, page.Find("#"+name).AttrOr("value", ""), value)
	}
	a = p.post(t, path, "expires_at", "2020-01-01", "allowed_networks", "shop.example")
	want(
		t,
		"wrong",
		line(a.code, a.page(t).Find(".wrong").Length(), a.page(t).Find("#allowed_networks").AttrOr("value", "")),
		"422 2 shop.example",
	)
	p.post(t, path)
	says := words(p.page(t, list).Find("tbody"))
	wantNot(t, "without limits", says, "payouts up to")
	wantNot(t, "without limits", says, "from 203")
	p.post(t, b.boxPath(fmt.Sprintf("keys/%d/revoke", key)))
	want(t, "of a revoked key", line(p.get(t, path).code, p.post(t, path).code), "404 404")
}

// A browser in which somebody has signed in is known again by a cookie of its own.
func TestDeviceCookie(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	device := p.cookies["device"]
	if device == "" {
		t.Fatal("no cookie is kept of the sign-in")
	}
	p.post(t, "/sign-out")
	want(t, "after the sign-out", p.cookies["device"], device)
}

// What is wrong with a key is said, with what was typed.
func TestWrongKey(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	path := b.boxPath("keys/new")
	page := p.page(t, path)
	a := p.post(t, path, hidden(page, "name", "shop")...)
	want(t, "without scopes", line(a.code, words(a.page(t).Find(".wrong"))), "422 Choose at least one.")
	want(t, "typed", a.page(t).Find("#name").AttrOr("value", ""), "shop")
	a = p.post(t, path, hidden(page, "name", "", "scopes", "payouts")...)
	want(t, "without a name", line(a.code, words(a.page(t).Find(".wrong"))), "422 is required")
	want(t, "ticked", a.page(t).Find("#scope-payouts[checked]").Length(), 1)
	a = p.post(t, path, hidden(page, "name", "shop", "scopes", "all")...)
	want(t, "an unknown scope", a.code, http.StatusUnprocessableEntity)
}

// A key is revoked by its own merchant alone.
func TestRevokeKey(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p, stranger := b.as(t, caller.Owner), b.stranger(t)
	var key int64
	b.Get(t, &key, "select id from api_key where key_id = $1", b.merchant.KeyID)
	path := b.boxPath(fmt.Sprintf("keys/%d/revoke", key))
	want(t, "a stranger looks", stranger.get(t, path).code, http.StatusNotFound)
	want(t, "a stranger revokes", stranger.post(t, path).code, http.StatusNotFound)
	want(t, "a stranger's list", stranger.get(t,
		fmt.Sprintf("/merchant/developers/keys?cashbox=%d", b.merchant.CashboxID)).code, http.StatusNotFound)
	wantIn(t, "the question", words(p.page(t, path).Find("main")), b.merchant.KeyID)
	for range 2 {
		a := p.post(t, path)
		want(t, "revoked", line(a.code, p.cookies["flash"]), "303 key-revoked")
	}
	page := p.page(t, "/merchant/developers/keys")
	want(t, "the list", page.Find("tbody .badge").Text(), "Revoked")
	want(t, "to revoke", page.Find("tbody .danger").Length(), 0)
}

// A second factor that is not fresh is asked for before a key is made, revoked, or a secret changed.
func TestKeysAskForFactor(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Developer)
	b.Exec(t, "update session set created_at = created_at - interval '6 minutes'")
	for _, page := range []string{"keys/new", "secret"} {
		for _, a := range []answer{p.get(t, b.boxPath(page)), p.post(t, b.boxPath(page))} {
			if !strings.HasPrefix(a.to(), "/second-factor") {
				t.Errorf("%s: %d, to %q", page, a.code, a.to())
			}
		}
	}
	want(t, "the list", p.get(t, "/merchant/developers/keys").code, http.StatusOK)
}

// The signing secret is shown once, and the one before signs besides for a day.
func TestRotate(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p, stranger := b.as(t, caller.Developer), b.stranger(t)
	path := b.boxPath("secret")
	want(t, "a stranger", line(stranger.get(t, path).code, stranger.post(t, path).code), "404 404")
	fields := hidden(p.page(t, path))
	a := p.post(t, path, fields...)
	secret := a.page(t).Find("#secret").Text()
	if a.code != http.StatusOK || !strings.HasPrefix(secret, "whsec_") {
		t.Fatalf("changed: %d, secret %q", a.code, secret)
	}
	a = p.post(t, path, fields...)
	want(t, "sent twice", line(a.code, a.to(), p.cookies["flash"]),
		"303 /merchant/developers/webhooks secret-made-before")
	text := words(p.page(t, "/merchant/developers/webhooks").Find("main"))
	if strings.Count(text, "signs besides until") != 1 || strings.Contains(text, secret) {
		t.Errorf("the page: %s", text)
	}
	b.clock.Advance(25 * time.Hour)
	text = words(p.page(t, "/merchant/developers/webhooks").Find("main"))
	wantNot(t, "a day later", text, "signs besides until")
	want(t, "without a token", p.post(t, path).code, http.StatusOK)
	want(t, "and no secret", p.post(t, path).page(t).Find("#secret").Length(), 0)
}

// The health of an endpoint is of its attempts of the last days: 2 of 3 taken, half within 80 ms.
func TestHealth(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	old := b.tell(t, b.merchant, 1, "dead")
	b.attempt(t, old, 503, 9999, "long ago")
	b.clock.Advance(8 * 24 * time.Hour)
	id := b.tell(t, b.merchant, 2, "delivered")
	b.attempt(t, id, 500, 40, "<img src=x>\x00broken")
	b.attempt(t, id, 200, 120, "")
	b.attempt(t, id, 204, 80, "")
	page := p.page(t, "/merchant/developers/webhooks")
	text := words(page.Find(".requisites"))
	wantIn(t, "the page", text, "Attempts 3", "2xx 66 %", "within 80 ms")
	want(t, "failures", page.Find("tbody tr").Length(), 1)
	wantIn(t, "the failure", words(page.Find("tbody")), "500, 40 ms", "<img src=x>broken")
	want(t, "a stranger's elements", page.Find("main img").Length(), 0)
}

// Events are found by status, type, payment and day, and another merchant finds none of them.
func TestEvents(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p, stranger := b.as(t, caller.Developer), b.stranger(t)
	first := b.tell(t, b.merchant, 1, "dead")
	b.clock.Advance(40 * 24 * time.Hour)
	second := b.tell(t, b.merchant, 2, "delivered")
	b.attempt(t, second, 200, 5, "ok")
	listed := func(query string) string {
		var all []string
		for _, row := range rows(p.page(t, "/merchant/developers/events"+query)) {
			all = append(all, strings.Fields(row)[0])
		}
		return strings.Join(all, " ")
	}
	year := "?from=" + b.clock.Now().AddDate(-1, 0, 0).Format(time.DateOnly)
	for query, found := range map[string]string{
		"":                                    "2",
		year:                                  "2 1",
		year + "&status=dead":                 "1",
		year + "&type=payin.status.updated":   "",
		year + "&type=payment.status.updated": "2 1",
		"?q=901":                              "1",
		"?q=" + first:                         "1",
		year + "&to=" + b.clock.Now().AddDate(0, 0, -20).Format(time.DateOnly): "1",
	} {
		want(t, query, listed(query), found)
	}
	want(t, "a wrong type", p.get(t, "/merchant/developers/events?type=x").code, http.StatusUnprocessableEntity)
	page := p.page(t, "/merchant/developers/events/"+second)
	text := words(page.Find("main"))
	wantIn(t, "the page", text, "Event № 2", "Payment № 902, event 1", deadURL,
		"<script>alert(1)</script>", "200, 5 ms ok")
	want(t, "a stranger's elements", page.Find("main script, main i").Length(), 0)
	want(t, "a stranger", stranger.get(t, "/merchant/developers/events/"+second).code, http.StatusNotFound)
	want(t, "no such event", p.get(t, "/merchant/developers/events/x").code, http.StatusNotFound)
	want(t, "a stranger's list", len(rows(stranger.page(t, "/merchant/developers/events"+year))), 0)
	want(t, "a stranger's search", len(rows(stranger.page(t, "/merchant/developers/events?q="+second))), 0)
}

func (b *bundle) eventStands(t testing.TB, id string) string {
	t.Helper()
	var status string
	var round int
	noError(t, b.Pool.QueryRow(context.Background(), "select status, round from webhook_event where id = $1", id).
		Scan(&status, &round))
	return line(status, round)
}

// An event is sent again once, however often the form is sent, and by its own merchant alone.
func TestResendEvent(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p, stranger := b.as(t, caller.Owner), b.stranger(t)
	id := b.tell(t, b.merchant, 1, "delivered")
	path := "/merchant/developers/events/" + id + "/resend"
	want(t, "a stranger", line(stranger.get(t, path).code, stranger.post(t, path).code), "404 404")
	fields := hidden(p.page(t, path))
	for range 2 {
		a := p.post(t, path, fields...)
		want(t, "sent", line(a.code, a.to(), p.cookies["flash"]), "303 /merchant/developers/events/"+id+" event-resent")
	}
	want(t, "the event", b.eventStands(t, id), "pending 1")
	a := p.post(t, b.boxPath("test"), hidden(p.page(t, b.boxPath("test")))...)
	want(t, "as a test", line(a.code, b.eventStands(t, id)), "303 pending 2")
	theirs := stranger.page(t, "/merchant/developers/webhooks").Find(".actions a").Last().AttrOr("href", "")
	a = stranger.get(t, theirs)
	want(t, "no event to test with", line(a.code, stranger.cookies["flash"]), "303 no-event")
	a = stranger.post(t, theirs, "event", id)
	want(t, "a stranger's test", line(a.code, b.eventStands(t, id)), "404 pending 2")
}

// The dead events of an address are counted, sent again once, and no other merchant's are.
func TestResendDead(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p, stranger := b.as(t, caller.Developer), b.stranger(t)
	ids := []string{
		b.tell(t, b.merchant, 1, "dead"),
		b.tell(t, b.merchant, 2, "dead"),
		b.tell(t, b.merchant, 3, "delivered"),
	}
	other := b.tell(t, b.NewMerchant(t, dbtest.MerchantOpts{}), 4, "dead")
	page := p.page(t, "/merchant/developers/resend")
	want(t, "counted", rows(page)[0], deadURL+" | 2 | Send again "+deadURL)
	confirm := page.Find("tbody a").AttrOr("href", "")
	want(t, "a stranger", len(rows(stranger.page(t, "/merchant/developers/resend"))), 0)
	want(t, "a stranger's confirmation", stranger.get(t, confirm).code, http.StatusSeeOther)
	question := p.page(t, confirm)
	wantIn(t, "the question", words(question.Find("main")), "Yes, send 2 again", deadURL)
	fields := hidden(question)
	a := p.post(t, "/merchant/developers/resend", fields...)
	led := a.to()
	want(t, "again", p.post(t, "/merchant/developers/resend", fields...).to(), led)
	wantIn(t, "progress", words(p.page(t, led).Find("main")), "Queued so far 2", "Done")
	want(t, "events", line(b.eventStands(t, ids[0]), b.eventStands(t, ids[1]), b.eventStands(t, ids[2])),
		"pending 1 pending 1 delivered 0")
	want(t, "another's event", b.eventStands(t, other), "dead 0")
	want(t, "a stranger's progress", line(stranger.get(t, led).code, stranger.post(t, led+"/stop").code), "404 404")
	a = p.post(t, led+"/stop")
	want(t, "stopped", line(a.code, a.to()), "303 "+led)
}
