// Package browsertest drives a real browser in tests of pages.
package browsertest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"gateway.example/internal/testenv"
)

// Tab is a page in the browser, as a phone shows it.
type Tab struct {
	T   testing.TB
	Ctx context.Context
	lent
}

// New opens a tab of a phone's size, with cookies of its own. Without a browser
// the test is skipped.
func New(t testing.TB) Tab {
	t.Helper()
	l := lend(t)
	ctx, stop := context.WithTimeout(l.ctx, 2*testenv.Patience)
	t.Cleanup(stop)
	b := Tab{T: t, Ctx: ctx, lent: l}
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
		return rested(err == nil && len(at) == 2)
	})
	b.Do(chromedp.MouseClickXY(at[0], at[1]))
}

// middle finds an element and where its middle is, if a finger would hit it
// there. It is one evaluation, since a page that is renewed in between would
// have another element.
const middle = `(selector => {
	const element = document.querySelector(selector), staying = ` + staying + `;
	window.leftAt ?? (leftAt = -Infinity, navigation.addEventListener("navigate", event => {
		if (!event.destination.sameDocument) leftAt = performance.now();
	}));
	if (!staying || !element || !element.checkVisibility({visibilityProperty: true})) return null;
	element.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
	const box = element.getClientRects()[0];
	if (!box) return null;
	const x = box.left + box.width / 2, y = box.top + box.height / 2, hit = document.elementFromPoint(x, y);
	return hit && (element.contains(hit) || hit.closest("label")?.control === element) ? [x, y] : null;
})(%q)`

// staying is whether the page is not going to another one since the last click,
// which may take a while to begin. One that is still there after so long has
// answered with a file.
const staying = `!(performance.now() - window.leftAt < 5000)`

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

// parsed tells that all of a page is there, so that its rows can be counted.
const parsed = `document.readyState !== "loading"`

// is waits until a script says true of a page that is parsed. It may be just
// going to another, and cannot be asked then.
func (b Tab) is(what, script string) {
	b.T.Helper()
	testenv.Until(b.T, what, func() bool {
		is, err := chromedp.Run(b.Ctx, chromedp.Evaluate[bool](parsed+" && "+staying+" && ("+script+")"))
		return rested(err == nil && is)
	})
}

// rest is between two looks at a page, besides that of all waits: each takes
// the browser a while.
const rest = 30 * time.Millisecond

func rested(is bool) bool {
	if !is {
		time.Sleep(rest)
	}
	return is
}

// Focus goes to a field.
func (b Tab) Focus(selector string) {
	b.T.Helper()
	b.is(selector+" has the focus", fmt.Sprintf(`(element => {
		element?.focus();
		return !!element && document.activeElement === element;
	})(document.querySelector(%q))`, selector))
}

// Type has a text come into a field at once, behind what is there.
func (b Tab) Type(selector, text string) {
	b.T.Helper()
	b.Visible(selector)
	b.Focus(selector)
	must(b.T, command(b.Ctx, input.InsertText, input.InsertTextParams{Text: text}))
}

// Keys types on the keyboard, where the focus is.
func (b Tab) Keys(keys string) {
	b.T.Helper()
	b.Do(chromedp.KeyEvent(keys))
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

// says waits until an element's text is right, of a page that is parsed. It may
// be just going to another, and cannot be asked then.
func (b Tab) says(selector, want string, right func(string) bool) {
	b.T.Helper()
	err := testenv.Eventually(func() error {
		got, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](parsed+" ? "+Said(selector)+` : ""`))
		if err == nil && !right(got) {
			err = fmt.Errorf("%s says %q, want %q", selector, got, want)
		}
		rested(err == nil)
		return err
	})
	must(b.T, err)
}

// Theme is the payer's choice of light or dark.
func (b Tab) Theme(name string) { b.Media("prefers-color-scheme", name) }

// Media sets what a stylesheet may ask about, for one feature.
func (b Tab) Media(feature, value string) {
	b.T.Helper()
	must(b.T, command(b.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
	}))
}

// Slow has every answer begin so late, and come at 400 kbit/s.
func (b Tab) Slow(latency time.Duration) {
	b.T.Helper()
	const bytesPerSecond = 50 << 10
	Call(b, network.Enable, network.EnableParams{})
	line := &network.Conditions{
		Latency:            float64(latency.Milliseconds()),
		DownloadThroughput: bytesPerSecond,
		UploadThroughput:   bytesPerSecond,
	}
	Call(b, network.EmulateNetworkConditionsByRule,
		network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{line}})
}

// WithoutScript turns scripts off, those of the pages to come.
func (b Tab) WithoutScript() {
	b.T.Helper()
	must(b.T, command(b.Ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}))
}

// Cookie gives the browser a cookie of an address.
func (b Tab) Cookie(address, name, value string) {
	b.T.Helper()
	must(b.T, command(b.Ctx, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: address}))
}

// Before runs a script in every page to come before the page's own.
func (b Tab) Before(script string) {
	b.T.Helper()
	added, err := call(b.Ctx, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	must(b.T, err)
	*b.scripts = append(*b.scripts, added.Identifier)
}

// Timed has the clock and the timers of pages to come go on when Pass says so,
// and not before.
func (b Tab) Timed() {
	b.T.Helper()
	b.Before(`(() => {
		let now = 0, last = 0;
		const began = Date.now();
		Date.now = () => began + now;
		const timers = new Map(), set = (run, after = 0, every) => (timers.set(++last, { run, at: now + after, every }), last);
		setTimeout = (run, ms, ...rest) => set(() => run(...rest), ms);
		setInterval = (run, ms, ...rest) => set(() => run(...rest), ms, ms);
		clearTimeout = clearInterval = id => timers.delete(id);
		pass = ms => {
			const end = now + ms, due = () => [...timers].filter(([, t]) => t.at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
			for (let next = due(); next; next = due()) {
				const [id, timer] = next;
				now = timer.at;
				if (timer.every) timer.at += timer.every; else timers.delete(id);
				timer.run();
			}
			now = end;
			return true;
		};
	})()`)
}

// Pass has so much time pass for the timers of a page. The page may go
// elsewhere by it.
func (b Tab) Pass(d time.Duration) {
	b.T.Helper()
	b.is("time passes", fmt.Sprintf("pass(%d)", d.Milliseconds()))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
