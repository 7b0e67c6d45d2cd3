package browsertest

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"
)

// Write types into a field, in place of what is there.
func (b Tab) Write(selector, text string) {
	b.T.Helper()
	b.Visible(selector)
	b.Set(selector, "")
	b.Type(selector, text)
}

// Set chooses in a field that is not typed into, such as one for a date.
func (b Tab) Set(selector, value string) {
	b.T.Helper()
	Eval[string](b, fmt.Sprintf(`document.querySelector(%q).value = %q`, selector, value))
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
