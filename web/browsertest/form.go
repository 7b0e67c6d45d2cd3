package browsertest

import (
	"fmt"

	"github.com/chromedp/cdproto/security"
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
	Call(b, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true})
}
