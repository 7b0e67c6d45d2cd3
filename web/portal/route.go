package portal

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gateway.example/internal/caller"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/session"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
)

type Route = RouteOf[*Visit]

// RouteOf is an address whose handlers take a feature's own visit, and who may
// use it. The services decide again what the user may do.
type RouteOf[V any] struct {
	// Pattern is the method and path.
	Pattern string
	// Open lets everybody in, also without a session. Otherwise only Kinds
	// are let in; if there are none, these are the kinds of users that may
	// have the capability.
	Open  bool
	Kinds []caller.Kind
	// Begun also lets in users who have not given their second factor yet.
	Begun bool
	// Needs is the capability that is required to see the page; "" is none.
	Needs caller.Capability
	// Fragment says that a script reads it, to which no sign-in page can be
	// shown.
	Fragment bool
	// Machine says that programs post here, and no browser.
	Machine bool
	// Viewing also lets in posts of operators who look as another user.
	Viewing bool
	// Keeps is the list on the page of which users may save views; nil is
	// none.
	Keeps  *List
	Handle func(V) error
}

// The kinds of users that pages are for.
var (
	Users     = []caller.Kind{caller.MerchantPortal, caller.Trader, caller.Operator, caller.Cabinet}
	Merchants = []caller.Kind{caller.MerchantPortal}
	Traders   = []caller.Kind{caller.Trader}
	Operators = []caller.Kind{caller.Operator}
)

func CoreRoutes() []Route { return slices.Concat(viewRoutes, pickRoutes) }

// Bind converts routes of a feature to routes of the portal. visit makes the
// feature's visit, which has its services.
func Bind[V any](visit func(*Visit) V, routes ...[]RouteOf[V]) []Route {
	var bound []Route
	for _, r := range slices.Concat(routes...) {
		bound = append(bound, Route{
			Pattern: r.Pattern, Open: r.Open, Kinds: r.Kinds, Begun: r.Begun, Needs: r.Needs, Fragment: r.Fragment,
			Machine: r.Machine, Viewing: r.Viewing, Keeps: r.Keeps,
			Handle: func(v *Visit) error { return r.Handle(visit(v)) },
		})
	}
	return bound
}

// Feature is how the routes of a feature are bound whose visit has its services
// and nothing else.
func Feature[S, V any](visit func(*Visit, S) V, routes ...[]RouteOf[V]) func(S) []Route {
	return func(services S) []Route {
		return Bind(func(v *Visit) V { return visit(v, services) }, routes...)
	}
}

// guarded lets users to a route's handler who may use it, and shows the errors
// of the handler.
func (p *server) guarded(to Route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := p.visit(w, r, to)
		defer v.answered()
		defer edge.Recovered(w, r, func(_ http.ResponseWriter, _ *http.Request, err error) { v.failed(err) })
		err := v.admit()
		if err == nil {
			v.takeFlash()
			v.goOn()
			err = v.proposed(to.Handle(v))
		}
		if err != nil {
			v.failed(err)
		}
	}
}

// goOn has what a form does go on when its browser hangs up. A browser does
// that at a double click, and what was broken off half way would leave the
// second sending without an outcome.
func (v *Visit) goOn() {
	if v.R.Method == http.MethodPost {
		v.R = v.R.WithContext(context.WithoutCancel(v.Ctx()))
	}
}

// admit finds out who visits, and checks whether they may.
func (v *Visit) admit() error {
	if err := v.recognise(); err != nil {
		return err
	}
	if err := errors.Join(v.tellConsent(), v.tellAlone()); err != nil {
		return err
	}
	if err := v.count(); err != nil {
		return err
	}
	return v.allowed()
}

// received lets a visitor in again whose form has taken long to arrive: their
// session may be gone by then.
func (v *Visit) received() error {
	if v.route.Machine || !edge.Late(v.began) {
		return nil
	}
	v.Session, v.Who = session.Session{}, caller.Caller{}
	if err := v.recognise(); err != nil {
		return err
	}
	return v.allowed()
}

// recognise finds out who visits; nobody is no error.
func (v *Visit) recognise() error {
	if cookie, err := v.R.Cookie(v.SessionCookie()); err == nil {
		find := v.server.Sessions.Find
		if v.route.Fragment { // a request that a page makes by itself does not count as use
			find = v.server.Sessions.Peek
		}
		found, err := find(v.Ctx(), cookie.Value)
		if err == nil {
			v.Enter(found)
		} else if f := fault.As(err); f == nil || f.Kind != fault.Unauthenticated {
			return err
		}
	}
	return nil
}

// allowed checks whether a visitor may do what they ask for.
func (v *Visit) allowed() error {
	if err := v.onlyLooks(); err != nil {
		return err
	}
	if !isText(v.R.URL) {
		return fault.ErrNotFound
	}
	switch {
	case v.route.Open:
		return nil
	case v.Session.ID == 0:
		return fault.ErrUnauthenticated
	case v.Session.State != session.Complete && !v.route.Begun:
		return v.Session.NeedComplete()
	case !slices.Contains(v.route.Kinds, v.Who.Kind):
		return fault.ErrNotFound
	case v.route.Needs != "":
		return v.needs()
	}
	return nil
}

// isText reports whether an address is valid text. Invalid bytes and NUL cannot
// be searched for in the database.
func isText(address *url.URL) bool {
	texts := []string{address.Path}
	for name, values := range address.Query() {
		texts = append(append(texts, name), values...)
	}
	return !slices.ContainsFunc(texts, func(text string) bool {
		return !utf8.ValidString(text) || strings.Contains(text, "\x00")
	})
}

// count limits how often a user may request pages and how often an address may
// post without a session.
func (v *Visit) count() error {
	var err error
	switch {
	case v.Session.ID != 0:
		_, err = v.server.Limits.Count(limit.User, v.Session.CountedAs())
	case v.R.Method == http.MethodPost && !v.route.Machine:
		_, err = v.server.Limits.Count(limit.AddressWrites, edge.Address(v.Ctx()))
	}
	return err
}

// failed shows why a request was refused, or redirects to where the user can
// give what was missing.
func (v *Visit) failed(err error) {
	f := edge.Fault(err)
	if f == nil && v.Ctx().Err() != nil {
		return // the browser has gone, so nobody can be told
	}
	if f == nil {
		v.Log(err)
		v.MessageText(http.StatusInternalServerError, say.BrokenTitle, v.Say(say.BrokenText, edge.RequestID(v.Ctx())))
		return
	}
	switch {
	case f.Kind == fault.Unauthenticated:
		v.leadTo("/sign-in")
	case f.Code == "second_factor_required" && v.Session.State == session.AwaitsEnrolment:
		v.Lead("/second-factor/enrol")
	case f.Code == fault.ErrFactorMissing.Code:
		v.Lead("/second-factor/enrol")
	case f.Code == "second_factor_required", f.Code == fault.ErrFactorNeeded.Code:
		v.leadTo("/second-factor")
	case f.Code == fault.ErrViewOnly.Code && v.Shell.Viewing != nil:
		v.MessageText(http.StatusForbidden, say.ViewOnlyTitle, v.Say(say.ViewOnlyText, v.Shell.Viewing.As))
	case f.Code == "consent_awaited":
		v.MessageText(http.StatusForbidden, say.ConsentWaitsBand,
			v.Say(say.ConsentWaits, v.When(v.Who.AwaitsUntil)))
	case f.Code == fault.ErrCashboxAccessDenied.Code: // another merchant's cashbox is shown as not found
		_ = v.NotFound()
	case f.Kind == fault.NotFound && v.outgrown():
		v.Lead("/")
	case f.Kind == fault.NotFound:
		_ = v.NotFound()
	case f.Kind == fault.Forbidden:
		v.message(http.StatusForbidden, say.RefusedTitle, say.RefusedText)
	case f.Kind == fault.TooManyRequests:
		v.message(http.StatusTooManyRequests, say.TooOftenTitle, say.TooOftenText)
	case f.Kind == fault.Unavailable:
		v.Log(err) // the log is the only way to find out why a page is busy now and then
		v.W.Header().Set("Retry-After", "1")
		v.message(http.StatusServiceUnavailable, say.BusyTitle, say.BusyText)
	case f.Code == submission.ErrUnfinished.Code:
		v.message(http.StatusConflict, say.UnfinishedTitle, say.UnfinishedText)
	default:
		v.MessageText(http.StatusConflict, say.ImpossibleTitle, v.Say(say.ImpossibleText, say.Refused(v.Shell.Code, f.Code, f.Message)))
	}
}

// outgrown reports whether the request is from a part of a page of another kind
// of user: an operator who looked as that user, and no longer does.
func (v *Visit) outgrown() bool {
	return v.R.Header.Get("HX-Request") != "" && v.route.Fragment && !v.route.Open &&
		!slices.Contains(v.route.Kinds, v.Who.Kind)
}

// leadTo redirects to a page that leads back here afterwards. What a form sent
// is not kept, so whoever sent it is told that nothing was done.
func (v *Visit) leadTo(path string) {
	next := v.R.URL.RequestURI()
	if !v.Reads() {
		v.SetCookie(flashCookie, "not-yet", time.Minute)
	}
	if v.R.Method != http.MethodGet || v.route.Fragment {
		next = v.Back()
	}
	if next == "/" {
		v.Lead(path)
		return
	}
	v.Lead(path + "?next=" + url.QueryEscape(next))
}

// Back is the page from which a form was sent, or "/".
func (v *Visit) Back() string {
	from, err := url.Parse(v.R.Header.Get("Referer"))
	if err != nil || from.Host != v.R.Host {
		return "/"
	}
	if own := ownPath(from.RequestURI()); own != "" {
		return own
	}
	return "/"
}

// BackTo is the page from which a form was sent, or another one if the browser
// does not say that.
func (v *Visit) BackTo(otherwise string) string {
	if back := v.Back(); back != "/" {
		return back
	}
	return otherwise
}

// Lead redirects a browser, or the script that reads a part of a page, to
// another page.
func (v *Visit) Lead(to string) {
	if v.R.Header.Get("HX-Request") != "" {
		v.W.Header().Set("HX-Redirect", to)
		v.W.WriteHeader(http.StatusOK)
		return
	}
	v.W.Header().Set("Location", to)
	v.W.WriteHeader(http.StatusSeeOther)
}

// Next is the page to which the address asks to be redirected afterwards: a
// path of the portals, or "".
func (v *Visit) Next() string { return ownPath(v.R.URL.Query().Get("next")) }

// ownPath returns an address if it is a path of the portals, and "" otherwise.
func ownPath(address string) string {
	to, err := url.Parse(address)
	// Browsers take a backslash for a slash, and two slashes or more for
	// the beginning of a host.
	if err != nil || to.IsAbs() || to.Host != "" || !strings.HasPrefix(address, "/") ||
		strings.HasPrefix(address, "//") || strings.Contains(address, "\\") {
		return ""
	}
	return address
}
