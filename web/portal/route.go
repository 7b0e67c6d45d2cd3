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

// route is one of the portals' addresses, and who may ask for it. What they may do there is decided
// by the services once more.
type route struct {
	// pattern is the method and path.
	pattern string
	// open lets in anybody, also without a session; kinds are let in otherwise.
	open  bool
	kinds []caller.Kind
	// begun lets in users whose second factor is still to come, too.
	begun bool
	// needs is the capability without which there is nothing to see; "" is none.
	needs caller.Capability
	// fragment tells that a script asks for it, which cannot be shown a page to sign in.
	fragment bool
	// machine tells that programs post here, which no browser speaks for.
	machine bool
	// viewing lets in posts of operators who look as another user.
	viewing bool
	handle  func(*visit) error
}

var (
	users     = []caller.Kind{caller.MerchantPortal, caller.Trader, caller.Operator, caller.Cabinet}
	merchants = []caller.Kind{caller.MerchantPortal}
	traders   = []caller.Kind{caller.Trader}
	operators = []caller.Kind{caller.Operator}
)

// routes is the one table of all addresses.
func (p *Portal) routes() []route {
	routes := slices.Concat(
		signRoutes,
		accountRoutes,
		deskRoutes,
		paymentRoutes,
		payoutRoutes,
		requisiteRoutes,
		statementRoutes,
		merchantRoutes,
		depositRoutes,
		appealRoutes,
		viewRoutes,
		viewAsRoutes,
		developerRoutes,
		teamRoutes,
		consentRoutes,
		doctorRoutes,
		overviewRoutes,
		signedRoutes,
		workRoutes,
		caseRoutes,
		caseEventRoutes,
		trustRoutes,
		manualRoutes,
		proofRoutes,
		requestRoutes,
		lookRoutes,
		rateRoutes,
		routingRoutes,
		moneyRoutes,
		approvalRoutes,
		ledgerRoutes,
		incomeRoutes,
		directoryRoutes,
	)
	if p.Sandbox != nil {
		routes = append(routes, sandboxRoutes...)
	}
	if p.Simulator != nil {
		routes = append(routes, simulatorRoutes...)
	}
	return routes
}

// guarded lets those through to a route's handler who may come in, and shows what went wrong there.
func (p *Portal) guarded(to route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := p.visit(w, r, to)
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
			err = v.proposed(to.handle(v))
		}
		if err != nil {
			v.failed(err)
		}
	}
}

// admit settles who visits, and whether they may.
func (v *visit) admit() error {
	if cookie, err := v.r.Cookie(v.sessionCookie()); err == nil {
		find := v.Sessions.Find
		if v.route.fragment { // what a page asks by itself is no sign of somebody being there
			find = v.Sessions.Peek
		}
		found, err := find(v.ctx(), cookie.Value)
		if err == nil {
			v.enter(found)
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
	if !isText(v.r.URL) {
		return fault.ErrNotFound
	}
	switch {
	case v.route.open:
		return nil
	case v.session.ID == 0:
		return fault.ErrUnauthenticated
	case v.session.State != session.Whole && !v.route.begun:
		return v.session.NeedWhole()
	case !slices.Contains(v.route.kinds, v.who.Kind):
		return fault.ErrNotFound
	case v.route.needs != "":
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
func (v *visit) count() error {
	var err error
	switch {
	case v.session.ID != 0:
		_, err = v.Limits.Count(limit.User, strconv.FormatInt(v.who.ID, 10))
	case v.r.Method == http.MethodPost && !v.route.machine:
		_, err = v.Limits.Count(limit.AddressWrites, edge.Address(v.ctx()))
	}
	return err
}

// failed shows why a request was refused, or leads to where what it lacks is given.
func (v *visit) failed(err error) {
	f := edge.Fault(err)
	if f == nil && v.ctx().Err() != nil {
		return // the browser has gone, and with it whoever could be told
	}
	if f == nil {
		v.log(err)
		v.messageText(
			http.StatusInternalServerError,
			say.BrokenTitle,
			v.shell.Say(say.BrokenText, edge.RequestID(v.ctx())),
		)
		return
	}
	switch {
	case f.Kind == fault.Unauthenticated:
		v.leadTo("/sign-in")
	case f.Code == "second_factor_required" && v.session.State == session.AwaitsEnrolment:
		v.lead("/second-factor/enrol")
	case f.Code == fault.ErrFactorMissing.Code:
		v.lead("/second-factor/enrol")
	case f.Code == "second_factor_required", f.Code == fault.ErrFactorNeeded.Code:
		v.leadTo("/second-factor")
	case f.Code == fault.ErrViewOnly.Code && v.shell.Viewing != nil:
		v.messageText(http.StatusForbidden, say.ViewOnlyTitle, v.shell.Say(say.ViewOnlyText, v.shell.Viewing.As))
	case f.Code == "consent_awaited":
		v.messageText(http.StatusForbidden, say.ConsentWaitsBand,
			v.shell.Say(say.ConsentWaits, v.shell.When(v.who.AwaitsUntil)))
	case f.Code == fault.ErrCashboxAccessDenied.Code: // another merchant's is as if there were none
		_ = v.notFound()
	case f.Kind == fault.NotFound && v.outgrown():
		v.lead("/")
	case f.Kind == fault.NotFound:
		_ = v.notFound()
	case f.Kind == fault.Forbidden:
		v.message(http.StatusForbidden, say.RefusedTitle, say.RefusedText)
	case f.Kind == fault.TooManyRequests:
		v.message(http.StatusTooManyRequests, say.TooOftenTitle, say.TooOftenText)
	case f.Kind == fault.Unavailable:
		v.log(err) // a page that is busy now and then is found by its cause alone
		v.w.Header().Set("Retry-After", "1")
		v.message(http.StatusServiceUnavailable, say.BusyTitle, say.BusyText)
	case f.Code == submission.ErrUnfinished.Code:
		v.message(http.StatusConflict, say.UnfinishedTitle, say.UnfinishedText)
	default:
		v.messageText(http.StatusConflict, say.ImpossibleTitle, v.shell.Say(say.ImpossibleText, f.Message))
	}
}

// outgrown reports whether a part is asked for by a page of another kind of user than who is there
// now: an operator looked as that user, and is themselves again.
func (v *visit) outgrown() bool {
	return v.r.Header.Get("HX-Request") != "" && v.route.fragment && !v.route.open &&
		!slices.Contains(v.route.kinds, v.who.Kind)
}

// leadTo leads to a page that leads back here when it is done with.
func (v *visit) leadTo(path string) {
	next := v.r.URL.RequestURI()
	if v.r.Method != http.MethodGet || v.route.fragment {
		next = v.back()
	}
	if next == "/" {
		v.lead(path)
		return
	}
	v.lead(path + "?next=" + url.QueryEscape(next))
}

// back is the page that a form was on.
func (v *visit) back() string {
	from, err := url.Parse(v.r.Header.Get("Referer"))
	if err != nil || from.Host != v.r.Host {
		return "/"
	}
	if own := ownPath(from.RequestURI()); own != "" {
		return own
	}
	return "/"
}

// referrer tells the portals' own pages alone where somebody comes from.
const referrer = "same-origin"

// lead leads a browser to another page, and a script that asks for a part of one likewise.
func (v *visit) lead(to string) {
	if v.r.Header.Get("HX-Request") != "" {
		v.w.Header().Set("HX-Redirect", to)
		v.w.WriteHeader(http.StatusOK)
		return
	}
	v.w.Header().Set("Location", to)
	v.w.WriteHeader(http.StatusSeeOther)
}

// next is where an address asks to be led to: a path of ours, or "".
func (v *visit) next() string { return ownPath(v.r.URL.Query().Get("next")) }

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
