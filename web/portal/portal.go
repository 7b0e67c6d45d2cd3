// Package portal serves the portals of merchants, traders and operators: handlers here, templates in
// view, phrases in say. Handlers call the services that RPC handlers call, as the user who is signed
// in. The pages work without script and ask no third party for anything.
package portal

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/alarm"
	"gateway.example/internal/attest"
	"gateway.example/internal/audit"
	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/clock"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/limit"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/report"
	"gateway.example/internal/savedview"
	"gateway.example/internal/seal"
	"gateway.example/internal/session"
	"gateway.example/internal/simulator"
	"gateway.example/internal/submission"
	"gateway.example/internal/webhook"
	"gateway.example/internal/work"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
	"gateway.example/web/words"
)

// Rooms are what the portals show and drive.
type Rooms struct {
	Sessions    *session.Service
	Submissions *submission.Service
	Views       *savedview.Service
	Payments    *payment.Service
	Checkouts   *checkout.Service
	Payouts     *payout.Service
	Settings    *directory.Settings
	Acquirers   *acquirer.Directory
	Deposits    *deposit.Service
	Rates       *rate.Settings
	Proposals   *proposal.Service
	// Reports answer pages, Exports write files.
	Reports, Exports *report.Service
	// Work is what waits for operators.
	Work   *work.Service
	Keys   *auth.MerchantKeys
	Events *webhook.Events
	// Signer signs what is exported to be proven.
	Signer *attest.Signer
	// Proofs prove what is in the ledger, and publish its pages.
	Proofs *seal.Service
	// Audits tell whether the ledger holds, and Alarms what needs somebody now.
	Audits *audit.Service
	Alarms *alarm.Service
	Limits *limit.Limits
	Clock  clock.Clock
	// APIURL is where merchants' programs call, and Headers are what their signed requests carry.
	APIURL  string
	Headers auth.Headers
	// Secure tells that the portals are public by https alone.
	Secure bool
	// Sandbox has everybody sign in with a click and tries payments out; nil outside a sandbox.
	Sandbox *Sandbox
	// Simulator answers for traders; nil outside a sandbox.
	Simulator *simulator.Service
	// Stopping is closed when the program is about to end: live pages are let go then.
	Stopping <-chan struct{}
}

// Portal serves everything on the portals' address.
type Portal struct {
	Rooms
	files view.Files
	live  *live
	// uploads are the files that are being sent, by merchants.
	uploads *edge.Files
	// exports are the places of all files that are being written, userExports those of each user.
	exports, userExports *edge.Turnstile
	// addresses are those there are, to link to no other.
	addresses *http.ServeMux
}

// New makes the handler. It refuses a route of which it is not said who has access, and by which capability: what that can move
// or reveal decides what else it takes. Only what every user has takes none.
func New(rooms Rooms) (http.Handler, error) {
	p := &Portal{
		Rooms:       rooms,
		live:        newLive(rooms),
		uploads:     edge.NewFiles(merchantFiles),
		exports:     edge.NewTurnstile(exportsAtOnce),
		userExports: edge.NewTurnstile(userExports),
	}
	library := site.Library{}
	p.files = view.Files{
		Style:  map[string]string{},
		Script: library.Add("portal.js"),
		// They are one file: htmx begins as soon as it is there, and without its extension it would open no line.
		Hypertext: library.Add("htmx-4.0.1.min.js", "htmx-sse-4.0.1.min.js"),
		Icon:      library.Add("icon.svg"),
	}
	for _, theme := range []string{"system", "light", "dark"} {
		p.files.Style[theme] = library.AddStyle(theme)
	}
	mux := http.NewServeMux()
	for _, route := range p.routes() {
		if !route.open && route.needs == "" && !slices.Equal(route.kinds, users) {
			return nil, fmt.Errorf("route %s: nothing says which capability it takes", route.pattern)
		}
		mux.Handle(route.pattern, p.handler(route))
	}
	p.addresses = mux
	mux.Handle("/", p.handler(route{open: true, handle: func(v *visit) error { return v.notFound() }}))
	return library.Beside(edge.Secured(edge.Named(mux))), nil
}

// handler is a route's. Browsers post to it from the portals' own pages only.
func (p *Portal) handler(to route) http.Handler {
	if to.machine {
		return p.guarded(to)
	}
	return p.sameOrigin(p.guarded(to))
}

// sameOrigin refuses posts of other sites, and those of which the browser does not say where they
// come from.
func (p *Portal) sameOrigin(next http.Handler) http.Handler {
	return edge.SameOrigin(next, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := p.visit(w, r, route{open: true})
		v.message(http.StatusForbidden, say.ForeignTitle, say.ForeignText)
	}))
}

// visit is one request of a browser, and who it is of.
type visit struct {
	*Portal
	w     http.ResponseWriter
	r     *http.Request
	route route
	// session is the user's; its ID is 0 where nobody is signed in.
	session session.Session
	who     caller.Caller
	shell   view.Shell
	// logins are those of the actors on an operator's page, by what logs call them.
	logins map[string]string
}

func (p *Portal) visit(w http.ResponseWriter, r *http.Request, to route) *visit {
	v := &visit{Portal: p, w: w, r: r, route: to}
	w.Header().Set("Referrer-Policy", referrer)
	v.shell = view.Shell{
		Files: p.files, Zone: time.UTC, Now: p.Clock.Now(), Theme: "system", Shortcuts: true, Sandbox: p.Sandbox != nil,
	}
	v.speak("")
	v.lookFresh()
	return v
}

func (v *visit) ctx() context.Context { return v.r.Context() }

// enter makes the visit a user's.
func (v *visit) enter(found session.Session) {
	v.session, v.who = found, found.Caller
	preferences := found.Preferences
	if found.View != nil { // pages are to be read by who looks, not by whom they look as
		preferences = found.View.Preferences
	}
	v.shell.Login, v.shell.Shortcuts, v.shell.Theme = v.who.Login, preferences.Shortcuts, preferences.Theme
	if zone, err := time.LoadLocation(preferences.Zone); err == nil {
		v.shell.Zone = zone
	}
	v.speak(preferences.Language)
	v.shell.Portal, v.shell.Viewing = home(v.who.Kind), nil
	if found.View != nil {
		v.look()
	}
	if found.State == session.Whole {
		v.shell.Nav = v.navigation()
	}
}

const languageCookie = "lang"

// speak chooses the language: the one asked for in the address, the user's own, the one chosen
// before, or the browser's.
func (v *visit) speak(preferred string) {
	asked := v.r.URL.Query().Get("lang")
	if asked == say.English || asked == say.Russian {
		v.setCookie(languageCookie, asked, 365*24*time.Hour)
	} else if cookie, err := v.r.Cookie(languageCookie); err == nil {
		asked = cookie.Value
	}
	if preferred != "" {
		asked = preferred
	}
	if asked != say.English && asked != say.Russian {
		asked = words.For(v.r.Header.Get("Accept-Language")).Code
	}
	if asked != say.Russian {
		asked = say.English
	}
	v.shell.Words, _ = words.In(asked)
}

// home is the name of the portal of a kind of user.
func home(kind caller.Kind) string {
	switch kind {
	case caller.MerchantPortal:
		return "merchant"
	case caller.Trader:
		return "trader"
	case caller.Operator:
		return "operator"
	case caller.Anyone, caller.MerchantKey, caller.Application, caller.Cabinet:
	}
	return ""
}

func (v *visit) log(err error) { slog.ErrorContext(v.ctx(), "portal", "error", err) }
