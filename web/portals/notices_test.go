package portals_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/notify"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
)

// A user says what they are told by which channel and when not, nobody switches
// security off, and a browser's subscription leads to no address within. What
// makes the desk an app has no data and needs no looser policy.
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

// Whoever clicks twice to confirm a mail address is not told that the code is
// wrong: it is used up by the first click, and the second is not sent.
func TestMailIsConfirmedByTwoClicks(t *testing.T) {
	b := portaltest.Parallel(t)
	p := b.Trader(t, 0)
	b.Exec(t, `with channel as (insert into notify_channel (id, user_id, channel, address, mark, label, created_at)
		select 1, id, 'mail', '', sha256(''), 'a@b', now() from app_user where login = 'owner-1' returning id, user_id)
		insert into notify_code (hash, user_id, channel_id, expires_at) select sha256('right'), user_id, id, '2999-01-01' from channel`)
	tab := p.Tab(t, b.Server.URL)
	tab.Open(b.Server.URL + "/account/notifications")
	tab.Type("#code", "right")
	tab.Slow(300 * time.Millisecond)
	browsertest.Eval[bool](tab, `(() => {
		const button = document.querySelector("form[action$='/mail/confirm'] button");
		button.click();
		setTimeout(() => button.click(), 100);
		return true;
	})()`)
	tab.Await(".flash", "Saved.")
}

// pushes is a browser that has a subscription with an old key, as its maker's
// service would have it: it makes none beside it.
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

// A browser that subscribed with a key that is no longer ours subscribes anew.
// Where it cannot, the page says so.
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

// teller tells the users of a portal by a bot, whose other side it is.
type teller struct {
	*portaltest.Bundle
	*notify.Service
	far       *testenv.Telegram
	feed      *notify.Feed
	deliverer *notify.Deliverer
	written   atomic.Int64
}

const chatID = "77"

func newTeller(t *testing.T, b *portaltest.Bundle) *teller {
	t.Helper()
	f := &teller{Bundle: b, far: testenv.NewTelegram(t)}
	bot := testenv.Must(notify.NewTelegram("1:token", f.far.URL))(t)
	f.Service = notify.New(b.Pools(), b.Clock, notify.Services{
		Vault: dbtest.Vault(), HashKey: make([]byte, 32), PortalURL: "https://portal.example", Senders: []notify.Sender{bot},
		Breaks: b.Settings.SetBreak,
	})
	f.feed = notify.NewFeed(f.Service)
	f.deliverer = notify.NewDeliverer(f.Service, b.Pool, prometheus.NewRegistry())
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { bot.Run(ctx, f.Service, f.feed) })
	t.Cleanup(func() { cancel(); running.Wait() })
	return f
}

// told is what the chat was told since it was last asked.
func (f *teller) told() string { return strings.Join(f.far.Heard(chatID), "\n") }

// link links the chat to a user, by the code of their page.
func (f *teller) link(t *testing.T, p *portaltest.Person) {
	t.Helper()
	_, code, _ := strings.Cut(p.Post(t, "/account/notifications/telegram").Body, "?start=")
	code, _, _ = strings.Cut(code, `"`)
	want(t, "the answer to /start", strings.HasPrefix(f.says(t, "/start "+code), "Linked."), true)
}

// says has a user write to the bot, and is what it answers.
func (f *teller) says(t *testing.T, text string) (answer string) {
	t.Helper()
	update := map[string]any{"update_id": f.written.Add(1), "message": map[string]any{
		"message_id": 1, "date": time.Now().Unix(), "text": text, "chat": map[string]any{"id": json.Number(chatID), "type": "private"},
	}}
	body := testenv.Must(json.Marshal(update))(t)
	sent := false
	testenv.Until(t, "the bot answers "+text, func() bool {
		testenv.NoError(t, f.feed.Find(t.Context())) // which is what lets this process hear
		if !sent {
			select {
			case f.far.Updates <- string(body):
				sent = true
			default:
			}
		}
		answer = f.told()
		return answer != ""
	})
	return answer
}

// finds has another process find out what happened and send what is due, as
// though a minute had gone by since the last time.
func (f *teller) finds(t *testing.T) string {
	t.Helper()
	f.Exec(t, "update notify_feed set leased_until = now()")
	testenv.NoError(t, notify.NewFeed(f.Service).Find(t.Context()))
	f.Exec(t, "update notice set due_at = due_at - interval '61 seconds', done_at = done_at - interval '61 seconds'")
	f.Exec(t, "update notify_channel set due_at = now() where due_at < 'infinity'")
	var running sync.WaitGroup
	testenv.NoError(t, f.deliverer.Look(t.Context(), &running))
	running.Wait()
	return f.told()
}

// A trader is told of another amount that came for a payment of theirs, and of
// what its merchant decided.
func TestCaseIsTold(t *testing.T) {
	b, p := portaltest.Trader(t)
	f := newTeller(t, b)
	f.link(t, p)
	f.finds(t) // the sign-in
	pay := b.Create(t, "1500")
	page := "\nhttps://portal.example/trader/payments/" + portaltest.Line(pay.ID)
	want(t, "told of a payment", f.finds(t), "A payment is open."+page)
	came := "1000"
	testenv.Must(b.Payments.ConfirmReceived(t.Context(), b.AsTrader(), pay.ID, &came))(t)
	want(t, "told of what came", f.finds(t), "There is news of a payment of which another amount came."+page)
	testenv.Must(b.Payments.DecideCase(t.Context(), b.AsMerchant(), payment.CaseDecision{PaymentID: pay.ID, Decision: payment.TakeWhatCame}))(t)
	want(t, "told of what was decided", f.finds(t), "There is news of a payment of which another amount came."+page)
	want(t, "told once more", f.finds(t), "")
	wantIn(t, "the page", p.Page(t, "/account/notifications").Text(), "Case: another amount came, or is decided")
}

// A trader who writes /break to the bot gets no payments until they end the
// break at the desk.
func TestBotBreaks(t *testing.T) {
	b, p := portaltest.Trader(t)
	f := newTeller(t, b)
	f.link(t, p)
	b.Create(t, "1500")
	want(t, "the answer to /status", f.says(t, "/status"), "On shift. Open payments: 1.")
	want(t, "the answer to /break", f.says(t, "/break"), "On a break: no new payments. End it at the desk.")
	refused := func() string {
		method := "sbp"
		_, err := b.Payments.Create(t.Context(), b.Merchant.Caller, payment.Request{
			OrderID: "on-a-break", Amount: "1600", Currency: "RUB", Method: &method, CallbackURI: "https://shop.example/hook",
		})
		if refusal := fault.As(err); refusal != nil {
			return refusal.Code
		}
		return fmt.Sprint(err)
	}
	want(t, "a payment on a break", refused(), "collect_requisites_not_available")
	want(t, "the answer to /status", f.says(t, "/status"), "On a break. Open payments: 1.")
	want(t, "the change is the user's", b.Text(t, "select actor from setting_change where subject = 'trader' order by id desc limit 1"),
		"trader:"+b.Text(t, "select id::text from app_user where login = 'owner-1'"))
	want(t, "the break ends", p.Post(t, "/trader/break", "on", "").Code, http.StatusSeeOther)
	want(t, "a payment then", refused(), "<nil>")
}

// Why something was not sent is said in the user's words, and has nothing of
// what a library says of it.
func TestWhyItWasNotSent(t *testing.T) {
	b, p := portaltest.Trader(t)
	f := newTeller(t, b)
	f.link(t, p)
	f.far.Down.Store(true)
	f.finds(t)
	for language, why := range map[string]string{"en": "Telegram gives no answer.", "ru": "Telegram не отвечает.", "tr": "Telegram yanıt vermiyor."} {
		page := p.Page(t, "/account/notifications?lang="+language)
		wantIn(t, "the page in "+language, page.Text(), why)
		wantNot(t, "the page in "+language, page.Text(), "127.0.0.1", "token", "telegram_silent")
	}
}

const controlled = `String(!!navigator.serviceWorker.controller)`

// app is a tab in which the desk's worker runs, and that worker.
type app struct {
	browsertest.Tab
	worker context.Context
}

func newApp(t *testing.T, b *portaltest.Bundle, p *portaltest.Person) app {
	t.Helper()
	a := app{Tab: p.Tab(t, b.Server.URL)}
	a.Open(b.Server.URL + "/trader")
	portaltest.AwaitScript(t, a.Tab, controlled, "true")
	var worker *target.Info
	testenv.Until(t, "the worker runs", func() bool {
		browsertest.Eval[bool](a.Tab, `fetch("/offline").then(() => true)`) // it passes the worker
		targets := testenv.Must(chromedp.Targets(a.Ctx))(t)
		at := slices.IndexFunc(targets, func(one *target.Info) bool { return one.URL == b.Server.URL+"/worker.js" })
		if at >= 0 {
			worker = targets[at]
		}
		return at >= 0
	})
	var end context.CancelFunc
	a.worker, end = chromedp.NewContext(a.Ctx, chromedp.WithTargetID(worker.TargetID), chromedp.WithDetachOnCancel())
	t.Cleanup(end)
	return a
}

// Without a connection the app says so, and shows nothing that was open before;
// with one again it goes on.
func TestOffline(t *testing.T) {
	b, p := portaltest.Trader(t)
	pay := b.Create(t, "1500")
	a := newApp(t, b, p)
	job := fmt.Sprintf("#job-%d", pay.ID)
	a.Visible(job)
	line := func(offline bool) {
		t.Helper()
		for _, ctx := range []context.Context{a.Ctx, a.worker} {
			testenv.Must(chromedp.Call(ctx, network.Enable, network.EnableParams{}))(t)
			testenv.Must(chromedp.Call(ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
				MatchedNetworkConditions: []*network.Conditions{{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1}},
			}))(t)
		}
	}
	line(true)
	a.Open(b.Server.URL + "/trader")
	a.Await("h1", "You are offline")
	a.Gone(job)
	line(false)
	a.Click("main a.primary")
	a.Visible(job)
}

// The screen stays on while the trader wants it on this device, also on a page
// that is opened later.
func TestScreenStaysOn(t *testing.T) {
	b, p := portaltest.Trader(t)
	tab := p.Tab(t, b.Server.URL)
	tab.Before(`{
		window.held = [];
		const request = WakeLock.prototype.request;
		WakeLock.prototype.request = async function (...kind) { const lock = await request.apply(this, kind); held.push(lock); return lock; };
	}`)
	browsertest.Call(tab, browser.SetPermission, browser.SetPermissionParams{ // which a browser without windows does not give itself
		Permission: &browser.PermissionDescriptor{Name: "screen-wake-lock"}, Setting: browser.PermissionSettingGranted,
		BrowserContextID: chromedp.FromContext(tab.Ctx).BrowserContextID,
	})
	const locks = `held.map((lock) => lock.type + (lock.released ? " released" : " held")).join()`
	tab.Open(b.Server.URL + "/trader")
	tab.Visible("[data-awake]")
	portaltest.AwaitScript(t, tab, locks, "")
	tab.Click("[data-awake]")
	portaltest.AwaitScript(t, tab, locks, "screen held")
	tab.Open(b.Server.URL + "/trader")
	portaltest.AwaitScript(t, tab, locks, "screen held")
	tab.Click("[data-awake]")
	portaltest.AwaitScript(t, tab, locks, "screen released")
	want(t, "pressed", browsertest.Eval[string](tab, `document.querySelector("[data-awake]").ariaPressed`), "false")
}
