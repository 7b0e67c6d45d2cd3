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

// Tab is a page in a browser, at the size of a phone.
type Tab struct {
	T   testing.TB
	Ctx context.Context
	lent
}

// New opens a tab at the size of a phone, with its own cookies. If no browser
// is installed, the test is skipped.
func New(t testing.TB) Tab {
	t.Helper()
	l := lend(t)
	ctx, stop := context.WithTimeout(l.ctx, 2*testenv.Patience)
	t.Cleanup(stop)
	b := Tab{T: t, Ctx: ctx, lent: l}
	b.Do(chromedp.EmulateViewport(360, 740))
	return b
}

// Do runs actions in the tab.
func (b Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	must(b.T, chromedp.Do(b.Ctx, actions...))
}

// Open goes to an address.
func (b Tab) Open(url string) {
	b.T.Helper()
	b.Do(chromedp.Navigate(url))
}

// Click clicks the only element that matches the selector, where a finger
// would touch it.
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

// middle returns the position of an element's middle, if a finger would hit
// the element there. It is one evaluation, because a page that is renewed in
// between has another element.
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

// staying is true unless the page is being replaced after the last click,
// which may begin late. A page that is still there after five seconds has
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

// parsed is true once all of the page is there, so that its rows can be
// counted.
const parsed = `document.readyState !== "loading"`

// is waits until a script returns true in a parsed page. While the page is
// being replaced the script cannot run, and is tried again.
func (b Tab) is(what, script string) {
	b.T.Helper()
	testenv.Until(b.T, what, func() bool {
		is, err := chromedp.Run(b.Ctx, chromedp.Evaluate[bool](parsed+" && "+staying+" && ("+script+")"))
		return rested(err == nil && is)
	})
}

// rest is an additional pause between two looks at a page, because each costs
// the browser some time.
const rest = 30 * time.Millisecond

func rested(is bool) bool {
	if !is {
		time.Sleep(rest)
	}
	return is
}

// Focus sets the focus on a field.
func (b Tab) Focus(selector string) {
	b.T.Helper()
	b.is(selector+" has the focus", fmt.Sprintf(`(element => {
		element?.focus();
		return !!element && document.activeElement === element;
	})(document.querySelector(%q))`, selector))
}

// Type inserts a text at once, at the end of a field's content.
func (b Tab) Type(selector, text string) {
	b.T.Helper()
	b.Visible(selector)
	b.Focus(selector)
	must(b.T, command(b.Ctx, input.InsertText, input.InsertTextParams{Text: text}))
}

// Keys presses keys where the focus is.
func (b Tab) Keys(keys string) {
	b.T.Helper()
	b.Do(chromedp.KeyEvent(keys))
}

// Eval runs a script in the page, whatever the page's policy says.
func Eval[T any](b Tab, script string) T {
	b.T.Helper()
	value, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.T.Fatalf("%v in %.80s", err, script)
	}
	return value
}

// Said is a script that returns the text of an element.
func Said(selector string) string {
	return `(document.querySelector("` + selector + `") || {textContent: "(none)"}).textContent.replace(/\s+/g, " ").trim()`
}

// Text returns the text of an element.
func (b Tab) Text(selector string) string {
	b.T.Helper()
	return Eval[string](b, Said(selector))
}

// Await waits until the whole text of an element is the given one.
func (b Tab) Await(selector, want string) {
	b.T.Helper()
	b.says(selector, want, func(got string) bool { return got == want })
}

// Holds waits until an element's text contains the given one.
func (b Tab) Holds(selector, text string) {
	b.T.Helper()
	b.says(selector, text, func(got string) bool { return strings.Contains(got, text) })
}

// says waits until an element's text satisfies right, in a parsed page. While
// the page is being replaced it cannot be read, and is read again.
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

// Theme sets the reader's choice of light or dark.
func (b Tab) Theme(name string) { b.Media("prefers-color-scheme", name) }

// Media sets a feature that stylesheets can query.
func (b Tab) Media(feature, value string) {
	b.T.Helper()
	must(b.T, command(b.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
	}))
}

// Slow delays every answer by the latency, and limits it to 400 kbit/s.
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

// WithoutScript switches scripts off in all pages that are opened from now on.
func (b Tab) WithoutScript() {
	b.T.Helper()
	must(b.T, command(b.Ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}))
}

// Cookie sets a cookie for an address.
func (b Tab) Cookie(address, name, value string) {
	b.T.Helper()
	must(b.T, command(b.Ctx, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: address}))
}

// Before runs a script in all pages that are opened from now on, before their
// own scripts.
func (b Tab) Before(script string) {
	b.T.Helper()
	added, err := call(b.Ctx, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	must(b.T, err)
	*b.scripts = append(*b.scripts, added.Identifier)
}

// Timed stops the clock and the timers of all pages that are opened from now
// on. Only Pass moves them.
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

// Pass moves the clock and the timers of a page. By that the page may be
// replaced.
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
