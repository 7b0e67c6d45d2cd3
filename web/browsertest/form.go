package browsertest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"
)

// Write types into a field, in place of what is there.
func (b Tab) Write(selector, text string) {
	b.T.Helper()
	b.Do(chromedp.WaitVisible(chromedp.CSS(selector)))
	b.Set(selector, "")
	b.Do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// Set chooses in a field that is not typed into, such as one for a date.
func (b Tab) Set(selector, value string) {
	b.T.Helper()
	Eval[string](b, fmt.Sprintf(`document.querySelector(%q).value = %q`, selector, value))
}

// Holds waits until an element's text holds another. The page may be just going to another.
func (b Tab) Holds(selector, text string) {
	b.T.Helper()
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		got, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](Said(selector), chromedp.EvalAwaitPromise))
		if err == nil && strings.Contains(got, text) {
			return
		}
		if time.Since(began) > Patience/2 {
			b.T.Fatalf("%s does not say %q: %s %v", selector, text, got, err)
		}
	}
}

// TrustAny has the tab open addresses whose certificate is one of a test's own.
func (b Tab) TrustAny() {
	b.T.Helper()
	_, err := chromedp.Run(b.Ctx, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, security.SetIgnoreCertificateErrors,
			security.SetIgnoreCertificateErrorsParams{Ignore: true})
		return chromedp.Void{}, err
	})
	must(b.T, err)
}
