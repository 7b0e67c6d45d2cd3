// Package portal serves the portals of merchants, traders and operators:
// handlers here, templates in view, phrases in say. Handlers call the services
// that RPC handlers call, as the user who is signed in. The pages work without
// script and ask no third party for anything.
package portal

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/auth"
	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/limit"
	"gateway.example/internal/proposal"
	"gateway.example/internal/report"
	"gateway.example/internal/savedview"
	"gateway.example/internal/session"
	"gateway.example/internal/submission"
	"gateway.example/internal/tongue"
	"gateway.example/internal/waits"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
	"gateway.example/web/words"
)

// Core is what every page of the portals needs.
type Core struct {
	Sessions    *session.Service
	Submissions *submission.Service
	Views       *savedview.Service
	Proposals   *proposal.Service
	Reports     *report.Service
	Books       *books.Service
	Waits       *waits.Service
	Settings    *directory.Settings
	Limits      *limit.Limits
	Clock       clock.Clock
	// APIURL is the address of the merchant API, and Headers are the
	// headers of its signed requests.
	APIURL  string
	Headers auth.Headers
	// Secure says that the portals can be reached from outside by https
	// only.
	Secure bool
	// Sandbox says that this is a sandbox.
	Sandbox bool
}

// server serves everything on the portals' address.
type server struct {
	Core
	files view.Files
	// exports limits the files that are being written at the same time, and
	// userExports those of each user.
	exports, userExports *edge.Turnstile
	// addresses are the addresses that exist, so that pages link to no
	// others.
	addresses *http.ServeMux
	// pages are the routes of GET by their paths: the menu has those that
	// let the user in.
	pages map[string]Route
}

// New makes the handler of all features' routes. It refuses a route without a
// statement of who has access and by which capability, because a capability
// decides what else is required to move or reveal something. Only pages that
// every user has require none.
func New(core Core, features ...Route) (http.Handler, error) {
	p := &server{
		Core:        core,
		exports:     edge.NewTurnstile(exportsAtOnce),
		userExports: edge.NewTurnstile(userExports),
		pages:       map[string]Route{},
	}
	library := site.Library{}
	p.files = view.Files{
		Style:  map[string]string{},
		Script: library.Add("portal.js"),
		// These are one file: htmx starts as soon as it is loaded, and
		// without its extension it would not open the live connection.
		Hypertext: library.Add("htmx-4.0.1.min.js", "htmx-sse-4.0.1.min.js"),
		Icon:      library.Add("icon.svg"),
	}
	for _, theme := range []string{"system", "light", "dark"} {
		p.files.Style[theme] = library.AddStyle(theme)
	}
	mux := http.NewServeMux()
	for _, route := range append(CoreRoutes(), features...) {
		if !route.Open && route.Needs == "" && !slices.Equal(route.Kinds, Users) {
			return nil, fmt.Errorf("route %s: nothing says which capability it takes", route.Pattern)
		}
		if route.Kinds == nil && route.Needs != "" {
			route.Kinds = route.Needs.Kinds()
		}
		if path, read := strings.CutPrefix(route.Pattern, "GET "); read {
			p.pages[path] = route
		}
		mux.Handle(route.Pattern, p.handler(route))
	}
	p.addresses = mux
	return library.Beside(edge.Secured(edge.Installable(edge.Named(mux, p.nothing)))), nil
}

// nothing answers where there is no page.
func (p *server) nothing(w http.ResponseWriter, r *http.Request, status int) {
	p.handler(Route{Open: true, Handle: func(v *Visit) error { return v.nothing(status) }}).ServeHTTP(w, r)
}

// handler is the handler of a route. Browsers may post to it only from the
// portals' own pages.
func (p *server) handler(to Route) http.Handler {
	if to.Machine {
		return p.guarded(to)
	}
	return p.sameOrigin(p.guarded(to))
}

// sameOrigin refuses posts from other sites, and posts for which the browser
// does not say where they come from.
func (p *server) sameOrigin(next http.Handler) http.Handler {
	return edge.SameOrigin(next, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := p.visit(w, r, Route{Open: true})
		v.message(http.StatusForbidden, say.ForeignTitle, say.ForeignText)
	}))
}

// Visit is one request of a browser, and its user.
type Visit struct {
	server *server
	W      http.ResponseWriter
	R      *http.Request
	route  Route
	// began is when the request came.
	began time.Time
	// Session is the user's session; its ID is 0 if nobody is signed in.
	Session session.Session
	Who     caller.Caller
	Shell   view.Shell
	// logins are the logins of the actors on an operator's page, by their
	// names in the logs.
	logins map[string]string
	// after are functions that are called after the answer was sent.
	after []func()
}

func (p *server) visit(w http.ResponseWriter, r *http.Request, to Route) *Visit {
	v := &Visit{server: p, W: w, R: r, route: to, began: time.Now()}
	v.Shell = view.Shell{
		Files: p.files, Zone: time.UTC, Now: p.Clock.Now(), Theme: "system", Shortcuts: true, Sandbox: p.Sandbox,
	}
	v.speak("")
	v.lookFresh()
	return v
}

func (v *Visit) Ctx() context.Context { return v.R.Context() }

// The texts that pages use most, in the reader's language.

// Say is a phrase in the reader's language.
func (v *Visit) Say(p say.Phrase, fill ...any) string { return v.Shell.Say(p, fill...) }

// Amount is an amount with its currency.
func (v *Visit) Amount(amount decimal.Decimal, currency string) string {
	return v.Shell.Amount(amount, currency)
}

// USDT is an amount of USDT.
func (v *Visit) USDT(amount decimal.Decimal) string { return v.Shell.USDT(amount) }

// Number is a number.
func (v *Visit) Number(d decimal.Decimal) string { return v.Shell.Number(d) }

// When is a time.
func (v *Visit) When(at time.Time) string { return v.Shell.When(at) }

// Enter makes the visit that of a user's session.
func (v *Visit) Enter(found session.Session) {
	v.Session, v.Who = found, found.Caller
	preferences := found.Preferences
	if found.View != nil { // the reader is the operator and not the user as whom they look
		preferences = found.View.Preferences
	}
	v.Shell.Login, v.Shell.Shortcuts, v.Shell.Theme = v.Who.Login, preferences.Shortcuts, preferences.Theme
	if zone, err := time.LoadLocation(preferences.Zone); err == nil {
		v.Shell.Zone = zone
	}
	v.speak(preferences.Language)
	v.Shell.Portal, v.Shell.Viewing = Home(v.Who.Kind), nil
	if found.View != nil {
		v.look()
	}
	if found.State == session.Complete {
		v.Shell.Nav = v.navigation()
	}
}

const languageCookie = "lang"

// speak chooses the language: that of the address, the user's own, the one
// chosen before, or the browser's.
func (v *Visit) speak(preferred string) {
	asked := v.R.URL.Query().Get("lang")
	if v.speaks(asked) {
		v.SetCookie(languageCookie, asked, 365*24*time.Hour)
	} else if cookie, err := v.R.Cookie(languageCookie); err == nil {
		asked = cookie.Value
	}
	if preferred != "" {
		asked = preferred
	}
	if !v.speaks(asked) {
		asked = words.For(v.R.Header.Get("Accept-Language")).Code
		if v.Who.Kind == "" && asked != say.Russian { // a visitor who is not signed in may still be a trader
			asked = say.English
		}
	}
	if !v.speaks(asked) {
		asked = say.English
	}
	v.Shell.Words, _ = words.In(asked)
}

// speaks reports whether the reader may have pages in a language. Traders have
// more languages than others. Visitors who are not signed in may ask for these,
// too, because they may be traders with an invitation or who have signed out.
func (v *Visit) speaks(language string) bool {
	switch {
	case language == say.English, language == say.Russian:
		return true
	case v.Session.View != nil: // the reader is an operator
		return false
	}
	return (v.Who.Kind == "" || v.Who.Kind == caller.Trader) && tongue.Offered(language)
}

// Languages are those that the user may choose.
func (v *Visit) Languages() []words.Language {
	return slices.DeleteFunc(slices.Clone(words.Languages), func(l words.Language) bool { return !v.speaks(l.Code) })
}

// Home is the name of the portal of a kind of user.
func Home(kind caller.Kind) string {
	switch kind {
	case caller.MerchantPortal:
		return "merchant"
	case caller.Trader:
		return "trader"
	case caller.Operator:
		return "operator"
	case caller.Anyone, caller.MerchantKey, caller.Application, caller.Cabinet, caller.Device, caller.Link:
	}
	return ""
}

// Log writes an error to the log of the program.
func (v *Visit) Log(err error) { slog.ErrorContext(v.Ctx(), "portal", "error", err) }
