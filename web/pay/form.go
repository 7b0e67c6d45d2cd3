package pay

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/securecookie"

	"gateway.example/internal/auth"
	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
	"gateway.example/internal/fault"
	"gateway.example/web/pay/view"
	"gateway.example/web/words"
)

// Forms follow the Post/Redirect/Get pattern: after a mistake the browser is
// redirected to the form's page, so that a reload does not send the form again.
// The query of that page names the mistakes, and an encrypted cookie holds what
// was typed.

const (
	// wrongQuery names the mistakes, separated by commas.
	wrongQuery = "wrong"
	// formCookie holds what was typed, for formAge seconds.
	formCookie = "form"
	formAge    = 10 * 60
)

// newForms makes the cookie's encryption. Its keys are derived from all link
// keys, because during a rotation another process may use another key.
func newForms(links *auth.Links) []securecookie.Codec {
	var codecs []securecookie.Codec
	for _, key := range links.DeriveAll("form cookie", 64) {
		codecs = append(codecs, securecookie.New(key[:32], key[32:]).MaxAge(formAge).SetSerializer(securecookie.JSONEncoder{}))
	}
	return codecs
}

// typed is what a payer typed into the card form. It never holds the security
// code. A valid card number is sealed for its payment first (Kept), and Number
// stays empty then.
type typed struct {
	Number, Kept, Last4, Expiry, Holder string
	Keep                                bool
}

// The mistakes in a form.
const (
	wrongNumber   = "number"
	noNumber      = "no-number"
	notTaken      = "not-taken"
	wrongExpiry   = "expiry"
	expired       = "expired"
	wrongSecurity = "security"
	wrongHolder   = "holder"
	wrongCode     = "code"
	wrongSaved    = "saved"
	wrongFile     = "file"
	wrongEarly    = "early"
)

// says are the texts shown beside a field for each mistake.
var says = map[string]words.Key{
	wrongNumber: words.WrongNumber, noNumber: words.MissingNumber, notTaken: words.CardNotTaken, wrongExpiry: words.WrongExpiry,
	expired: words.ExpiredCard, wrongSecurity: words.WrongSecurity, wrongHolder: words.WrongHolder,
	wrongCode: words.WrongCode,
}

// mistakes translates the service's errors about a card into mistakes of the
// form.
func mistakes(e card.Entry, wrong fault.Fields) []string {
	var found []string
	switch {
	case slices.Contains(wrong["pan"], checkout.CardNotTaken):
		found = append(found, notTaken)
	case wrong.Wrong("pan") && e.PAN == "":
		found = append(found, noNumber)
	case wrong.Wrong("pan"):
		found = append(found, wrongNumber)
	}
	switch month, year := wrong.Wrong("expMonth"), wrong.Wrong("expYear"); {
	// If the date could be read, both parts are wrong only because it is
	// over.
	case month && year && e.ExpMonth != "":
		found = append(found, expired)
	case month || year:
		found = append(found, wrongExpiry)
	}
	for field, mistake := range map[string]string{"cvv": wrongSecurity, "cardHolder": wrongHolder} {
		if wrong.Wrong(field) {
			found = append(found, mistake)
		}
	}
	slices.Sort(found)
	return found
}

// again redirects to a form's page, which shows the mistakes.
func (p *Pay) again(v visit, s view.Shell, below string, t *typed, wrong ...string) {
	if t != nil {
		if sealed, err := securecookie.EncodeMulti(formCookie, t, p.forms...); err == nil {
			cookie := &http.Cookie{ //nolint:gosec // a sandbox has no TLS
				Name: formCookie, Value: sealed, Path: s.Path, MaxAge: formAge, HttpOnly: true, Secure: p.Secure,
				SameSite: http.SameSiteStrictMode,
			}
			if p.Secure && v.r.Header.Get("Sec-Fetch-Dest") == "iframe" {
				// In a shop's frame the page is third party,
				// where browsers take partitioned cookies only.
				cookie.SameSite, cookie.Partitioned = http.SameSiteNoneMode, true
			}
			http.SetCookie(v.w, cookie)
		}
	}
	if len(wrong) == 0 {
		lead(v.w, s.To(below))
		return
	}
	lead(v.w, s.To(below, wrongQuery+"="+url.QueryEscape(strings.Join(wrong, ","))))
}

// wrong returns the mistakes that the page's address names.
func (v visit) wrong() map[string]bool {
	found := map[string]bool{}
	for mistake := range strings.SplitSeq(v.r.URL.Query().Get(wrongQuery), ",") {
		if mistake != "" {
			found[mistake] = true
		}
	}
	return found
}

// typed reads what was typed into the form, if the page shows mistakes.
func (p *Pay) typed(v visit) (t typed) {
	if cookie, err := v.r.Cookie(formCookie); err == nil && len(v.wrong()) > 0 {
		// A cookie that cannot be decrypted is ignored. It is old or
		// not ours.
		if securecookie.DecodeMulti(formCookie, cookie.Value, &t, p.forms...) != nil {
			return typed{}
		}
	}
	return t
}
