// Package browsertest drives a real browser in tests of pages.
package browsertest

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

// requiredEnv set to "required" makes a Missing browser, or Missing rules of accessibility, a
// failure.
const requiredEnv = "GATEWAY_TEST_BROWSER"

// Missing skips a test that needs what is not installed, where that is not required.
func Missing(t testing.TB, what string) {
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

// End stops the browser, after all tests.
func End() {
	if browser.cancel != nil {
		browser.cancel()
	}
}

// Patience bounds what is waited for: the machine may be busy.
const Patience = 60 * time.Second

// Tab is a page in the browser, as a phone shows it.
type Tab struct {
	T   testing.TB
	Ctx context.Context
}

// New opens a tab of a phone's size, with cookies of its own. Without a browser the test is skipped.
func New(t testing.TB) Tab {
	t.Helper()
	found := false
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		_, err := exec.LookPath(name)
		found = found || err == nil
	}
	if !found {
		Missing(t, "no browser: install chromium")
	}
	browser.once.Do(func() {
		browser.ctx, browser.cancel = chromedp.NewContext(context.Background())
		browser.err = chromedp.Do(browser.ctx)
	})
	must(t, browser.err)
	ctx, cancel := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	must(t, chromedp.Do(ctx))
	ctx, stop := context.WithTimeout(ctx, 5*Patience)
	t.Cleanup(stop)
	b := Tab{T: t, Ctx: ctx}
	b.Do(chromedp.EmulateViewport(360, 740))
	return b
}

// Do does something in the tab.
func (b Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	must(b.T, chromedp.Do(b.Ctx, actions...))
}

// Open goes to an address.
func (b Tab) Open(url string) {
	b.T.Helper()
	b.Do(chromedp.Navigate(url))
}

// Click clicks the one element of a selector, as a finger would.
func (b Tab) Click(selector string) {
	b.T.Helper()
	b.Do(chromedp.Click(chromedp.CSS(selector)))
}

// Eval runs a script in the page, policy or not.
func Eval[T any](b Tab, script string) T {
	b.T.Helper()
	value, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.T.Fatalf("%v in %.80s", err, script)
	}
	return value
}

// Said is what an element says.
func Said(selector string) string {
	return `(document.querySelector("` + selector + `") || {textContent: "(none)"}).textContent.replace(/\s+/g, " ").trim()`
}

// Text is what an element says.
func (b Tab) Text(selector string) string {
	b.T.Helper()
	return Eval[string](b, Said(selector))
}

// Await waits until an element says something. The page may be just going to another, and cannot be
// asked then.
func (b Tab) Await(selector, want string) {
	b.T.Helper()
	deadline := time.Now().Add(Patience / 2)
	for {
		got, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](Said(selector), chromedp.EvalAwaitPromise))
		if err == nil && got == want {
			return
		}
		if time.Now().After(deadline) {
			b.T.Fatalf("%s says %q, want %q; %v", selector, got, want, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Theme is the payer's choice of light or dark.
func (b Tab) Theme(name string) { b.Media("prefers-color-scheme", name) }

// Media sets what a stylesheet may ask about, for one feature.
func (b Tab) Media(feature, value string) {
	b.T.Helper()
	_, err := chromedp.Run(b.Ctx, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
		})
		return chromedp.Void{}, err
	})
	must(b.T, err)
}

// Slow has every answer begin so late, and come at 400 kbit/s.
func (b Tab) Slow(latency time.Duration) {
	b.T.Helper()
	const bytesPerSecond = 50 << 10
	_, err := chromedp.Run(b.Ctx, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
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
	must(b.T, err)
}

// WithoutScript turns scripts off, those of the pages to come.
func (b Tab) WithoutScript() {
	b.T.Helper()
	_, err := chromedp.Run(b.Ctx, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(
			ctx,
			target,
			emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: true},
		)
		return chromedp.Void{}, err
	})
	must(b.T, err)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
