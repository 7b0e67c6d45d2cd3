package portals_test

import (
	"net/http"
	"strings"
	"testing"

	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
)

// A user says what they are told by which channel and when not, nobody switches security off, and a browser's subscription leads
// to no address within. What makes the desk an app has no data and needs no looser policy.
func TestNotices(t *testing.T) {
	b := portaltest.Parallel(t)
	p := b.Trader(t, 0)
	const path = "/account/notifications"
	page := p.Page(t, path)
	want(t, "columns", page.Find("form table thead th").Length(), 4)
	want(t, "ticks of security", page.Find(`input[name^="want.new_device"]`).Length(), 0)
	want(t, "ticked at first", page.Find(`form table input[checked]`).Length(), page.Find(`form table input`).Length())
	want(t, "kept", p.Post(t, path, "want.payment_opened.telegram", "on", "quietFrom", "22:30", "quietUntil", "07:00").Code, http.StatusSeeOther)
	page = p.Page(t, path)
	want(t, "ticked then", page.Find(`form table input[checked]`).Length(), 1)
	want(t, "quiet from", page.Find("#quietFrom").AttrOr("value", ""), "22:30")
	const inner = `{"endpoint":"https://169.254.169.254/","keys":{"auth":"YQ","p256dh":"YQ"}}`
	want(t, "an inner address", p.Post(t, path+"/push", "subscription", inner).Code, http.StatusUnprocessableEntity)
	wantIn(t, "the way to the bot", p.Post(t, path+"/telegram").Body, "https://t.me/GatewayBot?start=")

	nobody := b.Nobody()
	for path, kind := range map[string]string{
		"/worker.js": "text/javascript", "/app.webmanifest": "application/manifest+json", "/app-512.png": "image/png", "/offline": "text/html",
	} {
		answer := nobody.Get(t, path)
		if answer.Code != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Type"), kind) {
			t.Errorf("%s answers %d, %s", path, answer.Code, answer.Header.Get("Content-Type"))
		}
	}
	wantIn(t, "the policy", nobody.Get(t, "/offline").Header.Get("Content-Security-Policy"), "script-src 'self'; ", "manifest-src 'self'")
}

// pushes is a browser that has a subscription with an old key, as its maker's service would have it: it makes none beside it.
const pushes = `{
	Notification.requestPermission = async () => "granted";
	HTMLFormElement.prototype.submit = function () { document.title = this.elements.subscription.value; };
	let old = { options: { applicationServerKey: new Uint8Array([4, 1, 2]).buffer }, unsubscribe: async () => { old = null; } };
	PushManager.prototype.getSubscription = async () => old;
	PushManager.prototype.subscribe = async () => {
		if (old || window.away) throw new DOMException("", "InvalidStateError");
		return { endpoint: "new" };
	};
}`

// A browser that subscribed with a key that is no longer ours subscribes anew. Where it cannot, the page says so.
func TestBrowserSubscribesAnew(t *testing.T) {
	b, p := portaltest.Trader(t)
	tab := p.Tab(t, b.Server.URL)
	tab.Before(pushes)
	tab.Open(b.Server.URL + "/account/notifications")
	tab.Visible("form[data-push]")
	tab.Gone("form[data-push] .wrong:not([hidden])")
	tab.Click("form[data-push] button")
	portaltest.AwaitScript(t, tab, "document.title", `{"endpoint":"new"}`)
	browsertest.Eval[bool](tab, "window.away = true")
	tab.Click("form[data-push] button")
	tab.Visible("form[data-push] .wrong")
}
