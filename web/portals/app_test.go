package portals_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
)

const controlled = `String(!!navigator.serviceWorker.controller)`

// app is a tab in which the desk's worker runs, and that worker.
type app struct {
	browsertest.Tab
	worker context.Context
	id     serviceworker.RegistrationID
}

func newApp(t *testing.T, b *portaltest.Bundle, p *portaltest.Person) app {
	t.Helper()
	a := app{Tab: p.Tab(t, b.Server.URL)}
	registered := make(chan serviceworker.RegistrationID, 1)
	noError(t, chromedp.Listen(a.Ctx, func(event any) {
		updated, is := event.(*serviceworker.EventWorkerRegistrationUpdated)
		if !is {
			return
		}
		for _, one := range updated.Registrations {
			if strings.HasPrefix(one.ScopeURL, b.Server.URL) {
				select {
				case registered <- one.RegistrationID:
				default:
				}
			}
		}
	}))
	browsertest.Call(a.Tab, serviceworker.Enable, struct{}{})
	a.Open(b.Server.URL + "/trader")
	portaltest.AwaitScript(t, a.Tab, controlled, "true")
	select {
	case a.id = <-registered:
	case <-a.Ctx.Done():
		t.Fatal("no worker is registered")
	}
	var worker *target.Info
	testenv.Until(t, "the worker runs", func() bool {
		browsertest.Eval[bool](a.Tab, `fetch("/offline").then(() => true)`) // it passes the worker
		targets, err := chromedp.Targets(a.Ctx)
		noError(t, err)
		at := slices.IndexFunc(targets, func(one *target.Info) bool { return one.URL == b.Server.URL+"/worker.js" })
		if at >= 0 {
			worker = targets[at]
		}
		return at >= 0
	})
	a.grant(t, worker, b.Server.URL)
	var end context.CancelFunc
	a.worker, end = chromedp.NewContext(a.Ctx, chromedp.WithTargetID(worker.TargetID), chromedp.WithDetachOnCancel())
	t.Cleanup(end)
	return a
}

// grant lets the worker show notifications, as a user would.
func (a app) grant(t *testing.T, worker *target.Info, origin string) {
	t.Helper()
	_, err := chromedp.CallBrowser(a.Ctx, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "notifications"}, Setting: browser.PermissionSettingGranted,
		Origin: origin, BrowserContextID: worker.BrowserContextID,
	})
	noError(t, err)
}

// within runs a script in the worker.
func (a app) within(t *testing.T, script string) string {
	t.Helper()
	value, err := chromedp.Run(a.worker, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
	noError(t, err)
	return value
}

// A push is shown, has the icon show how many payments are open, and leads to its payment, but to no other site.
func TestPushInABrowser(t *testing.T) {
	b, p := portaltest.Trader(t)
	a := newApp(t, b, p)
	a.within(t, `navigator.setAppBadge = async (n) => { self.badge = n }; clients.openWindow = async (url) => { self.opened = url }; ""`)
	push := func(data string) {
		t.Helper()
		browsertest.Call(a.Tab, serviceworker.DeliverPushMessage, serviceworker.DeliverPushMessageParams{
			Origin: b.Server.URL, RegistrationID: a.id, Data: data,
		})
	}
	shown := func(want string) {
		t.Helper()
		testenv.Until(t, "it shows "+want, func() bool {
			return a.within(t, `registration.getNotifications().then((all) => all.map((n) => [n.title, n.tag, n.data, self.badge].join(" ")).join())`) == want
		})
	}
	click := func() string {
		t.Helper()
		// An event that nobody's finger made cannot be waited for, which the worker's own script stumbles over after it has opened.
		return a.within(t, `self.opened = "nothing"; registration.getNotifications().then(([n]) => {
			dispatchEvent(new NotificationEvent("notificationclick", { notification: n })); return self.opened })`)
	}
	push(`{"title":"3 payments are open.","path":"/trader","tag":"payment_opened","open":3}`)
	shown("3 payments are open. payment_opened /trader 3")
	push(`{"title":"A payment is open.","path":"/trader/payments/7","tag":"payment_opened","open":0}`)
	shown("A payment is open. payment_opened /trader/payments/7 0")
	want(t, "opened", click(), b.Server.URL+"/trader/payments/7")
	push(`{"title":"An alarm fires.","path":"https://elsewhere.example/","tag":"payment_opened"}`)
	shown("An alarm fires. payment_opened https://elsewhere.example/ 0")
	want(t, "opened", click(), "nothing")
}

// Without a connection the app says so, and shows nothing that was open before; with one again it goes on.
func TestOffline(t *testing.T) {
	b, p := portaltest.Trader(t)
	pay := b.Create(t, "1500")
	a := newApp(t, b, p)
	job := fmt.Sprintf("#job-%d", pay.ID)
	a.Visible(job)
	line := func(offline bool) {
		t.Helper()
		for _, ctx := range []context.Context{a.Ctx, a.worker} {
			_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
			noError(t, err)
			_, err = chromedp.Call(ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
				MatchedNetworkConditions: []*network.Conditions{{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1}},
			})
			noError(t, err)
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

// The screen stays on while the trader wants it on this device, also on a page that is opened later.
func TestScreenStaysOn(t *testing.T) {
	b, p := portaltest.Trader(t)
	tab := p.Tab(t, b.Server.URL)
	tab.Before(`{
		window.held = [];
		const request = WakeLock.prototype.request;
		WakeLock.prototype.request = async function (...kind) { const lock = await request.apply(this, kind); held.push(lock); return lock; };
	}`)
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
