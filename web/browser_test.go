package web_test

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// requiredEnv set to "required" makes a missing browser, or missing rules of accessibility, a
// failure.
const requiredEnv = "GATEWAY_TEST_BROWSER"

// missing skips a test that needs what is not installed, where that is not required.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv(requiredEnv) == "required" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// browser is one process for all tests of the package, each of which gets a tab with cookies of its
// own.
var browser struct {
	once   sync.Once
	ctx    context.Context
	cancel context.CancelFunc
	err    error
}

func endBrowser() {
	if browser.cancel != nil {
		browser.cancel()
	}
}

// patience bounds what is waited for: the machine may be busy.
const patience = 60 * time.Second

// tab is a page in the browser, as a phone shows it.
type tab struct {
	t   testing.TB
	ctx context.Context
}

func newTab(t testing.TB) tab {
	t.Helper()
	found := false
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		_, err := exec.LookPath(name)
		found = found || err == nil
	}
	if !found {
		missing(t, "no browser: install chromium")
	}
	browser.once.Do(func() {
		browser.ctx, browser.cancel = chromedp.NewContext(context.Background())
		browser.err = chromedp.Do(browser.ctx)
	})
	noError(t, browser.err)
	ctx, cancel := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	noError(t, chromedp.Do(ctx))
	ctx, stop := context.WithTimeout(ctx, 5*patience)
	t.Cleanup(stop)
	b := tab{t: t, ctx: ctx}
	b.do(chromedp.EmulateViewport(360, 740))
	return b
}

func (b tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	noError(b.t, chromedp.Do(b.ctx, actions...))
}

func (b tab) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// click clicks the one element of a selector, as a finger would.
func (b tab) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// eval runs a script in the page, policy or not.
func eval[T any](b tab, script string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%v in %.80s", err, script)
	}
	return value
}

// said is what an element says.
func said(selector string) string {
	return `(document.querySelector("` + selector + `") || {textContent: "(none)"}).textContent.replace(/\s+/g, " ").trim()`
}

func (b tab) text(selector string) string {
	b.t.Helper()
	return eval[string](b, said(selector))
}

// await waits until an element says something. The page may be just going to another, and cannot be
// asked then.
func (b tab) await(selector, want string) {
	b.t.Helper()
	deadline := time.Now().Add(patience / 2)
	for {
		got, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](said(selector), chromedp.EvalAwaitPromise))
		if err == nil && got == want {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("%s says %q, want %q; %v", selector, got, want, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// theme is the payer's choice of light or dark.
func (b tab) theme(name string) { b.media("prefers-color-scheme", name) }

// media sets what a stylesheet may ask about, for one feature.
func (b tab) media(feature, value string) {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
		})
		return chromedp.Void{}, err
	})
	noError(b.t, err)
}

// slow has every answer begin so late, and come at 400 kbit/s.
func (b tab) slow(latency time.Duration) {
	b.t.Helper()
	const bytesPerSecond = 50 << 10
	_, err := chromedp.Run(b.ctx, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		if _, err := cdp.Call(ctx, target, network.Enable, network.EnableParams{}); err != nil {
			return chromedp.Void{}, err
		}
		line := &network.Conditions{
			Latency: float64(
				latency.Milliseconds(),
			),
			DownloadThroughput: bytesPerSecond,
			UploadThroughput:   bytesPerSecond,
		}
		_, err := cdp.Call(ctx, target, network.EmulateNetworkConditionsByRule,
			network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{line}})
		return chromedp.Void{}, err
	})
	noError(b.t, err)
}

// withoutScript turns scripts off, those of the pages to come.
func (b tab) withoutScript() {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(
			ctx,
			target,
			emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: true},
		)
		return chromedp.Void{}, err
	})
	noError(b.t, err)
}
