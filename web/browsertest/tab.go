// Package browsertest drives a real browser in tests of pages.
package browsertest

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"gateway.example/internal/testenv"
)

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
		testenv.Missing(t, "no browser: install chromium")
	}
	browser.once.Do(func() {
		browser.ctx, browser.cancel = chromedp.NewContext(context.Background(),
			chromedp.WithAllocatorOptions(chromedp.WSURLReadTimeout(testenv.Patience)))
		browser.err = chromedp.Do(browser.ctx)
	})
	must(t, browser.err)
	ctx, cancel := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	must(t, chromedp.Do(ctx))
	ctx, stop := context.WithTimeout(ctx, 2*testenv.Patience)
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
	var at []float64
	testenv.Until(b.T, selector+" can be clicked", func() bool {
		var err error
		at, err = chromedp.Run(b.Ctx, chromedp.Evaluate[[]float64](fmt.Sprintf(middle, selector)))
		return err == nil && len(at) == 2
	})
	b.Do(chromedp.MouseClickXY(at[0], at[1]))
}

// middle finds an element and where its middle is, if a finger would hit it there. It is one evaluation, since a page that
// is renewed in between would have another element.
const middle = `(selector => {
	const element = document.querySelector(selector);
	if (!element || !element.checkVisibility({visibilityProperty: true})) return null;
	element.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
	const box = element.getClientRects()[0];
	if (!box) return null;
	const x = box.left + box.width / 2, y = box.top + box.height / 2, hit = document.elementFromPoint(x, y);
	return hit && (element.contains(hit) || hit.closest("label")?.control === element) ? [x, y] : null;
})(%q)`

// Visible waits until the page shows an element.
func (b Tab) Visible(selector string) {
	b.T.Helper()
	b.is(
		"the page shows "+selector,
		fmt.Sprintf(`!!document.querySelector(%q)?.checkVisibility({visibilityProperty: true})`, selector),
	)
}

// Gone waits until the page has no such element.
func (b Tab) Gone(selector string) {
	b.T.Helper()
	b.is(
		"the page has no "+selector,
		fmt.Sprintf(`document.readyState === "complete" && !document.querySelector(%q)`, selector),
	)
}

// is waits until a script says true. The page may be just going to another, and cannot be asked then.
func (b Tab) is(what, script string) {
	b.T.Helper()
	testenv.Until(b.T, what, func() bool {
		is, err := chromedp.Run(b.Ctx, chromedp.Evaluate[bool](script))
		return err == nil && is
	})
}

// Focus goes to a field.
func (b Tab) Focus(selector string) {
	b.T.Helper()
	b.is(selector+" has the focus", fmt.Sprintf(`(element => {
		element?.focus();
		return !!element && document.activeElement === element;
	})(document.querySelector(%q))`, selector))
}

// Type types into a field, behind what is there.
func (b Tab) Type(selector, text string) {
	b.T.Helper()
	b.Visible(selector)
	b.Focus(selector)
	b.Do(chromedp.KeyEvent(text))
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

// Await waits until an element says something, and nothing else.
func (b Tab) Await(selector, want string) {
	b.T.Helper()
	b.says(selector, want, func(got string) bool { return got == want })
}

// Holds waits until an element's text holds another.
func (b Tab) Holds(selector, text string) {
	b.T.Helper()
	b.says(selector, text, func(got string) bool { return strings.Contains(got, text) })
}

// says waits until an element's text is right. The page may be just going to another, and cannot be asked then.
func (b Tab) says(selector, want string, right func(string) bool) {
	b.T.Helper()
	err := testenv.Eventually(func() error {
		got, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](Said(selector)))
		if err == nil && !right(got) {
			err = fmt.Errorf("%s says %q, want %q", selector, got, want)
		}
		return err
	})
	must(b.T, err)
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
