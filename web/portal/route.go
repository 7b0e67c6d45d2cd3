package portal

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gateway.example/internal/caller"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/session"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
)

// Route is one of the portals' addresses.
type Route = RouteOf[*Visit]

// RouteOf is an address of a feature whose handlers take a visit of its own, and who may ask for it.
// What they may do there is decided by the services once more.
type RouteOf[V any] struct {
	// Pattern is the method and path.
	Pattern string
	// Open lets in anybody, also without a session. Otherwise Kinds are let in, who are those that may have the
	// capability where it does not say.
	Open  bool
	Kinds []caller.Kind
	// Begun lets in users whose second factor is still to come, too.
	Begun bool
	// Needs is the capability without which there is nothing to see; "" is none.
	Needs caller.Capability
	// Fragment tells that a script asks for it, which cannot be shown a page to sign in.
	Fragment bool
	// Machine tells that programs post here, which no browser speaks for.
	Machine bool
	// Viewing lets in posts of operators who look as another user.
	Viewing bool
	// Keeps is the list that is shown there, of which users may keep views; nil is none.
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

// CoreRoutes are the core's own.
func CoreRoutes() []Route { return slices.Concat(viewRoutes, pickRoutes) }

// Bind makes routes of the core of a feature's own: visit makes the feature's visit, with its services.
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

// guarded lets those through to a route's handler who may come in, and shows what went wrong there.
func (p *server) guarded(to Route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := p.visit(w, r, to)
		defer v.answered()
		defer func() {
			if reason := recover(); reason != nil {
				if err, is := reason.(error); is && errors.Is(err, http.ErrAbortHandler) { // a file that breaks off
					panic(reason)
				}
				v.failed(fmt.Errorf("panic: %v\n%s", reason, debug.Stack()))
			}
		}()
		err := v.admit()
		if err == nil {
			v.takeFlash()
			err = v.proposed(to.Handle(v))
		}
		if err != nil {
			v.failed(err)
		}
	}
}

// admit settles who visits, and whether they may.
func (v *Visit) admit() error {
	if cookie, err := v.R.Cookie(v.SessionCookie()); err == nil {
		find := v.server.Sessions.Find
		if v.route.Fragment { // what a page asks by itself is no sign of somebody being there
			find = v.server.Sessions.Peek
		}
		found, err := find(v.Ctx(), cookie.Value)
		if err == nil {
			v.Enter(found)
			if err := errors.Join(v.tellConsent(), v.tellAlone()); err != nil {
				return err
			}
		} else if f := fault.As(err); f == nil || f.Kind != fault.Unauthenticated {
			return err
		}
	}
	if err := v.count(); err != nil {
		return err
	}
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
	case v.Session.State != session.Whole && !v.route.Begun:
		return v.Session.NeedWhole()
	case !slices.Contains(v.route.Kinds, v.Who.Kind):
		return fault.ErrNotFound
	case v.route.Needs != "":
		return v.needs()
	}
	return nil
}

// isText reports whether an address is text. Bytes that are no character, and NUL, cannot be looked for in
// the database.
func isText(address *url.URL) bool {
	texts := []string{address.Path}
	for name, values := range address.Query() {
		texts = append(append(texts, name), values...)
	}
	return !slices.ContainsFunc(texts, func(text string) bool {
		return !utf8.ValidString(text) || strings.Contains(text, "\x00")
	})
}

// count bounds how often a user may ask for pages and, of those who are not signed in, an address may
// post.
func (v *Visit) count() error {
	var err error
	switch {
	case v.Session.ID != 0:
		_, err = v.server.Limits.Count(limit.User, strconv.FormatInt(v.Who.ID, 10))
	case v.R.Method == http.MethodPost && !v.route.Machine:
		_, err = v.server.Limits.Count(limit.AddressWrites, edge.Address(v.Ctx()))
	}
	return err
}

// failed shows why a request was refused, or leads to where what it lacks is given.
func (v *Visit) failed(err error) {
	f := edge.Fault(err)
	if f == nil && v.Ctx().Err() != nil {
		return // the browser has gone, and with it whoever could be told
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
	case f.Code == fault.ErrCashboxAccessDenied.Code: // another merchant's is as if there were none
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
		v.Log(err) // a page that is busy now and then is found by its cause alone
		v.W.Header().Set("Retry-After", "1")
		v.message(http.StatusServiceUnavailable, say.BusyTitle, say.BusyText)
	case f.Code == submission.ErrUnfinished.Code:
		v.message(http.StatusConflict, say.UnfinishedTitle, say.UnfinishedText)
	default:
		v.MessageText(http.StatusConflict, say.ImpossibleTitle, v.Say(say.ImpossibleText, say.Refused(v.Shell.Code, f.Code, f.Message)))
	}
}

// outgrown reports whether a part is asked for by a page of another kind of user than who is there
// now: an operator looked as that user, and is themselves again.
func (v *Visit) outgrown() bool {
	return v.R.Header.Get("HX-Request") != "" && v.route.Fragment && !v.route.Open &&
		!slices.Contains(v.route.Kinds, v.Who.Kind)
}

// leadTo leads to a page that leads back here when it is done with.
func (v *Visit) leadTo(path string) {
	next := v.R.URL.RequestURI()
	if v.R.Method != http.MethodGet || v.route.Fragment {
		next = v.Back()
	}
	if next == "/" {
		v.Lead(path)
		return
	}
	v.Lead(path + "?next=" + url.QueryEscape(next))
}

// Back is the page that a form was on.
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

// BackTo is the page that a form was on, or another where the browser does not say.
func (v *Visit) BackTo(otherwise string) string {
	if back := v.Back(); back != "/" {
		return back
	}
	return otherwise
}

// referrer tells the portals' own pages alone where somebody comes from.
const referrer = "same-origin"

// Lead leads a browser to another page, and a script that asks for a part of one likewise.
func (v *Visit) Lead(to string) {
	if v.R.Header.Get("HX-Request") != "" {
		v.W.Header().Set("HX-Redirect", to)
		v.W.WriteHeader(http.StatusOK)
		return
	}
	v.W.Header().Set("Location", to)
	v.W.WriteHeader(http.StatusSeeOther)
}

// Next is where an address asks to be led to: a path of ours, or "".
func (v *Visit) Next() string { return ownPath(v.R.URL.Query().Get("next")) }

// ownPath is an address if it is a path of ours, and "" otherwise.
func ownPath(address string) string {
	to, err := url.Parse(address)
	// Browsers take a backslash for a slash, and two slashes or more for the beginning of a host.
	if err != nil || to.IsAbs() || to.Host != "" || !strings.HasPrefix(address, "/") ||
		strings.HasPrefix(address, "//") || strings.Contains(address, "\\") {
		return ""
	}
	return address
}
