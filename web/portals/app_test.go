package portals_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/network"
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
