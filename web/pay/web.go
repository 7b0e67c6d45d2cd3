// Package pay serves the hosted pages of payments: the handlers are here, the
// texts in words, the templates in view. The pages work without script and
// load nothing from third parties.
package pay

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/a-h/templ"
	"github.com/gorilla/securecookie"

	"gateway.example/internal/auth"
	"gateway.example/internal/checkout"
	"gateway.example/internal/clock"
	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/paylink"
	"gateway.example/internal/payment"
	"gateway.example/web/pay/view"
	"gateway.example/web/site"
	"gateway.example/web/words"
)

type Services struct {
	Payments  *payment.Service
	Checkouts *checkout.Service
	Looks     *directory.Looks
	PayLinks  *paylink.Service
	Links     *auth.Links
	Limits    *limit.Limits
	Clock     clock.Clock
	// URL is the public URL of the pages. Secure says whether it is https.
	URL    string
	Secure bool
	// Simulate simulates the payer's transfer; nil offers no such button.
	Simulate func(context.Context, payment.Payment) error
	// Stopping is closed when the program is about to end; then no request
	// waits any longer.
	Stopping <-chan struct{}
	// Sandbox shows the test cards and simulates the apps of test banks.
	Sandbox bool
	// Operator is the text at the foot of the pages about who runs the
	// gateway; "" is none.
	Operator string
}

type Pay struct {
	Services
	files      view.Files
	styles     *site.PaySheets
	linkStyles *site.PaySheets
	forms      []securecookie.Codec
	uploads    *edge.Files
	// watching has the waiting requests of pages.
	watching *watch
}

func New(services Services) http.Handler {
	p := &Pay{
		Services:   services,
		styles:     &site.PaySheets{},
		linkStyles: &site.PaySheets{More: "link.css"},
		forms:      newForms(services.Links),
		uploads:    edge.NewFiles(merchantFiles),
		watching:   &watch{look: services.Checkouts.Stamps, waiting: map[int64]*watched{}},
	}
	library := site.Library{}
	p.files = view.Files{Script: library.Add("pay.js"), Icon: library.Add("icon.svg")}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /r/{token}", p.linked(p.dressed(p.requisite)))
	mux.HandleFunc("GET /r/{token}/status", p.linked(p.status))
	mux.HandleFunc("POST /r/{token}/paid", p.linked(p.dressed(p.claim)))
	mux.HandleFunc("POST /r/{token}"+belowReceipt, p.linked(p.dressed(p.takeReceipt)))
	mux.HandleFunc("GET /r/{token}/cancel", p.linked(p.dressed(p.askCancel)))
	mux.HandleFunc("POST /r/{token}/cancel", p.linked(p.dressed(p.cancel)))
	if p.Simulate != nil {
		mux.HandleFunc("POST /r/{token}/simulate", p.linked(p.dressed(p.simulate)))
	}
	p.checkouts(mux)
	mux.HandleFunc("GET "+belowLink+"{token}", p.paced(p.offered(p.start)))
	mux.HandleFunc("POST "+belowLink+"{token}", p.paced(p.offered(p.begin)))
	mux.HandleFunc("GET "+belowLink+"{token}"+paylink.BelowPicture+"{hash}", p.paced(p.offered(p.picture)))
	mux.HandleFunc("GET /r/{token}"+belowReceipt, p.linked(p.dressed(p.showReceipt)))
	mux.HandleFunc("GET /bank/{hash}", p.paced(p.logo(p.Looks.Logo)))
	mux.HandleFunc("GET "+directory.LogoPath+"{hash}", p.paced(p.logo(p.Looks.PageLogo)))
	if p.Sandbox {
		mux.HandleFunc("GET /test-bank", p.openTestBank)
	}
	mux.HandleFunc("GET /r/{token}/code.svg", p.linked(p.scan))
	mux.HandleFunc("GET /pay/{token}/code.svg", p.bought("", func(v purchase) { p.scan(v.visit) }))
	return library.Beside(edge.Secured(p.unbroken(p.sameOrigin(edge.Named(mux, p.nothing)))))
}

// sameOrigin refuses posts from pages of other origins.
func (p *Pay) sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.message(w, r, http.StatusForbidden, words.ForeignTitle, words.ForeignText)
	}))
	return protection.Handler(next)
}

// unbroken turns a panic into the page about an internal error.
func (p *Pay) unbroken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer edge.Recovered(w, r, p.broken)
		next.ServeHTTP(w, r)
	})
}

// unknown answers every invalid link in the same way, whatever is wrong with
// it.
func (p *Pay) unknown(w http.ResponseWriter, r *http.Request) { p.nothing(w, r, http.StatusNotFound) }

// nothing shows the page for addresses without content.
func (p *Pay) nothing(w http.ResponseWriter, r *http.Request, status int) {
	p.message(w, r, status, words.UnknownTitle, words.UnknownText)
}

func (p *Pay) broken(w http.ResponseWriter, r *http.Request, err error) {
	slog.ErrorContext(r.Context(), "hosted page", "error", err)
	p.message(w, r, statusOf(w, err), words.BrokenTitle, words.BrokenText)
}

// statusOf is the HTTP status for an internal error. If the error will pass,
// it asks the client to retry soon.
func statusOf(w http.ResponseWriter, err error) int {
	if f := edge.Fault(err); f == nil || f.Kind != fault.Unavailable {
		return http.StatusInternalServerError
	}
	w.Header().Set("Retry-After", "1")
	return http.StatusServiceUnavailable
}

func (p *Pay) message(w http.ResponseWriter, r *http.Request, status int, title, text words.Key) {
	shell := p.shell(w, r)
	site.Show(w, r, status, view.Message(shell, shell.Say(title), shell.Say(text)))
}

const languageCookie = "lang"

// shell returns a page in the reader's language: chosen in the link, chosen
// before, or preferred by the browser. It remembers a choice.
func (p *Pay) shell(w http.ResponseWriter, r *http.Request) view.Shell {
	style := p.styles.Of("")
	edge.Admit(w.Header(), "", style.Hash)
	s := view.Shell{Files: p.files, Style: style.Text}
	if s.Words, s.Chosen = words.In(r.URL.Query().Get("lang")); s.Chosen {
		http.SetCookie(w, &http.Cookie{ //nolint:gosec // a sandbox has no TLS, and a language is no secret
			Name: languageCookie, Value: s.Code, Path: "/", MaxAge: 365 * 24 * 60 * 60,
			HttpOnly: true, Secure: p.Secure, SameSite: http.SameSiteLaxMode,
		})
		return s
	}
	if cookie, err := r.Cookie(languageCookie); err == nil {
		if remembered, known := words.In(cookie.Value); known {
			s.Words = remembered
			return s
		}
	}
	s.Words = words.For(r.Header.Get("Accept-Language"))
	return s
}

// back redirects to a payment's page.
func back(w http.ResponseWriter, s view.Shell) { lead(w, s.To("")) }

// lead redirects a browser that has sent a form to a page that can be
// reloaded.
func lead(w http.ResponseWriter, to templ.SafeURL) {
	w.Header().Set("Location", string(to))
	w.WriteHeader(http.StatusSeeOther)
}
