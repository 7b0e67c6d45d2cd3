package portal

import (
	"net/http"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/session"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// Signing in and out, second factors, invitations.
var signRoutes = []route{
	{pattern: "GET /{$}", open: true, handle: (*visit).start},
	{pattern: "GET /sign-in", open: true, handle: (*visit).signInPage},
	{pattern: "POST /sign-in", open: true, viewing: true, handle: (*visit).signIn},
	{pattern: "POST /sign-out", open: true, viewing: true, handle: (*visit).signOut},
	{pattern: "GET /second-factor", kinds: users, begun: true, handle: (*visit).factorPage},
	{pattern: "POST /second-factor", kinds: users, begun: true, handle: (*visit).factor},
	{pattern: "GET /second-factor/enrol", kinds: users, begun: true, handle: (*visit).enrolPage},
	{pattern: "GET /second-factor/app", kinds: users, begun: true, handle: (*visit).appPage},
	{pattern: "POST /second-factor/app", kinds: users, begun: true, handle: (*visit).addApp},
	{pattern: "GET /second-factor/passkey", kinds: users, begun: true, handle: (*visit).passkeyPage},
	{pattern: "POST /second-factor/passkey", kinds: users, begun: true, handle: (*visit).addPasskey},
	{pattern: "GET /invitation/{token}", open: true, handle: (*visit).invitationPage},
	{pattern: "POST /invitation/{token}", open: true, handle: (*visit).accept},
}

// start leads everybody to where they work.
func (v *visit) start() error {
	switch {
	case v.Sandbox != nil:
		return v.sandboxStart()
	case v.session.ID == 0:
		v.lead("/sign-in")
	default:
		v.lead(v.landing())
	}
	return nil
}

// landing is the first page of a user.
func (v *visit) landing() string {
	if home := v.shell.Portal; home != "" {
		return "/" + home
	}
	return "/account"
}

func (v *visit) signInPage() error {
	return v.showSignIn(http.StatusOK, "", nil, "")
}

func (v *visit) showSignIn(status int, login string, wrong map[string]string, failed string) error {
	v.shell.Title, v.shell.Mistakes = v.shell.Say(say.SignIn), status != http.StatusOK
	next := v.next()
	v.show(status, func(s view.Shell) site.Page { return view.SignIn(s, next, login, wrong, failed) })
	return nil
}

// signIn begins a session. One that the browser had ends, so that nobody is signed in by a cookie
// that somebody else has put there.
func (v *visit) signIn() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	credentials := session.Credentials{Login: form.Get("login"), Password: form.Get("password")}
	opened, err := v.Sessions.SignIn(v.ctx(), credentials, v.origin())
	if wrong := v.wrong(err); wrong != nil {
		return v.showSignIn(http.StatusUnprocessableEntity, credentials.Login, wrong, "")
	}
	if f := fault.As(err); f != nil && f.Kind == fault.Unauthenticated {
		return v.showSignIn(http.StatusUnprocessableEntity, credentials.Login, nil, v.shell.Say(say.WrongCredentials))
	}
	if err != nil {
		return err
	}
	if v.session.ID != 0 {
		if err := v.Sessions.End(v.ctx(), v.session); err != nil {
			v.log(err)
		}
	}
	return v.entered(opened)
}

func (v *visit) origin() session.Origin {
	return session.Origin{Address: edge.Address(v.ctx()), Agent: v.r.UserAgent(), Device: v.device()}
}

// device is the cookie of a browser in which somebody has signed in.
func (v *visit) device() string {
	cookie, err := v.r.Cookie(v.deviceCookie())
	if err != nil {
		return ""
	}
	return cookie.Value
}

func (v *visit) deviceCookie() string {
	if v.Secure {
		return "__Host-device"
	}
	return "device"
}

// entered keeps a session's new token and leads on: to the second factor, or to where the user
// wanted to go.
func (v *visit) entered(opened session.Opened) error {
	v.keep(opened)
	next := v.next()
	switch opened.Session.State {
	case session.AwaitsFactor:
		v.lead(string(view.Query("/second-factor", "next", next)))
	case session.AwaitsEnrolment:
		v.lead("/second-factor/enrol")
	case session.Whole:
		v.enter(opened.Session)
		if next == "" {
			next = v.landing()
		}
		v.lead(next)
	}
	return nil
}

// keep gives the browser a session's new token, and a cookie by which it is known again once somebody has
// signed in. Without that they are signed in all the same.
func (v *visit) keep(opened session.Opened) {
	v.setCookie(v.sessionCookie(), opened.Cookie, 0)
	if opened.Session.State != session.Whole || v.Sessions.IsDevice(v.device(), opened.Session) {
		return
	}
	device, err := v.Sessions.NewDevice(opened.Session)
	if err != nil {
		v.log(err)
		return
	}
	v.setCookie(v.deviceCookie(), device, session.DeviceLife)
}

func (v *visit) signOut() error {
	if v.session.ID != 0 {
		if err := v.Sessions.End(v.ctx(), v.session); err != nil {
			return err
		}
	}
	v.setCookie(v.sessionCookie(), "", -1)
	return v.done("/sign-in", "signed-out")
}

func (v *visit) factorPage() error { return v.showFactor(http.StatusOK, "") }

// showFactor asks for a second factor, or for the password of those who have none.
func (v *visit) showFactor(status int, failed string) error {
	if v.session.State == session.AwaitsEnrolment {
		v.lead("/second-factor/enrol")
		return nil
	}
	question := view.FactorQuestion{Next: v.next(), Failed: failed, Again: v.session.State == session.Whole}
	question.App = v.session.Factors.TOTP || v.session.Factors.RecoveryCodes > 0
	question.Password = !v.session.Factors.Any()
	if v.session.Factors.Passkeys > 0 && v.Sessions.Passkeys() {
		options, err := v.Sessions.BeginAssertion(v.ctx(), v.session)
		if err != nil {
			return err
		}
		question.Passkey = string(options)
	}
	v.shell.Title, v.shell.Mistakes = v.shell.Say(say.SecondFactor), failed != ""
	v.show(status, func(s view.Shell) site.Page { return view.Factor(s, question) })
	return nil
}

func (v *visit) factor() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	given := session.Factor{Code: form.Get("code"), Password: form.Get("password")}
	if answer := form.Get("passkey"); answer != "" {
		given = session.Factor{Assertion: []byte(answer)}
	}
	opened, err := v.Sessions.GiveFactor(v.ctx(), v.session, given)
	if f := fault.As(err); f != nil && f.Code == "factor_locked" {
		return v.showFactor(http.StatusForbidden, v.shell.Say(say.FactorLocked))
	}
	if f := fault.As(
		err,
	); f != nil &&
		(f.Kind == fault.Refused || f.Kind == fault.Invalid || f.Kind == fault.Unauthenticated) {
		return v.showFactor(http.StatusUnprocessableEntity, v.shell.Say(say.WrongFactor))
	}
	if err != nil {
		return err
	}
	return v.entered(opened)
}

func (v *visit) enrolPage() error {
	v.shell.Title = v.shell.Say(say.SetUpFactor)
	passkeys, compulsory := v.Sessions.Passkeys(), v.session.State == session.AwaitsEnrolment
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.Enrol(s, passkeys, compulsory) })
	return nil
}

func (v *visit) appPage() error {
	offer, err := v.Sessions.BeginTOTP(v.ctx(), v.session)
	if err != nil {
		return err
	}
	return v.showApp(http.StatusOK, offer, "")
}

func (v *visit) showApp(status int, offer session.TOTPOffer, failed string) error {
	drawn, err := site.QR(offer.URL)
	if err != nil {
		return err
	}
	v.shell.Title, v.shell.Mistakes = v.shell.Say(say.SetUpApp), failed != ""
	shown := view.AppOffer{Secret: offer.Secret, URL: offer.URL, QR: string(drawn), Failed: failed}
	v.show(status, func(s view.Shell) site.Page { return view.App(s, shown) })
	return nil
}

// addApp takes the first code of an authenticator app. After a wrong one the page shows the secret
// that was offered before, which the form brings along to be shown and for nothing else.
func (v *visit) addApp() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	opened, codes, err := v.Sessions.ConfirmTOTP(v.ctx(), v.session, form.Get("code"))
	if f := fault.As(err); f != nil && (f.Kind == fault.Refused || f.Kind == fault.Invalid) {
		offer := session.TOTPOffer{Secret: form.Get("secret"), URL: form.Get("url")}
		return v.showApp(http.StatusUnprocessableEntity, offer, v.shell.Say(say.WrongCode))
	}
	if err != nil {
		return err
	}
	return v.enrolled(opened, codes)
}

// enrolled shows the recovery codes that came with a first factor, once, or leads on.
func (v *visit) enrolled(opened session.Opened, codes []string) error {
	v.keep(opened)
	if len(codes) == 0 {
		return v.done("/account", "factor-added")
	}
	v.enter(opened.Session)
	return v.showCodes(codes)
}

func (v *visit) showCodes(codes []string) error {
	v.shell.Title = v.shell.Say(say.RecoveryCodes)
	landing := v.landing()
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.Codes(s, codes, landing) })
	return nil
}

func (v *visit) passkeyPage() error { return v.showPasskey(http.StatusOK, "") }

func (v *visit) showPasskey(status int, failed string) error {
	options, err := v.Sessions.BeginPasskey(v.ctx(), v.session)
	if err != nil {
		return err
	}
	v.shell.Title, v.shell.Mistakes = v.shell.Say(say.SetUpPasskey), failed != ""
	v.show(status, func(s view.Shell) site.Page { return view.NewPasskey(s, string(options), failed) })
	return nil
}

func (v *visit) addPasskey() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	opened, codes, err := v.Sessions.FinishPasskey(v.ctx(), v.session, form.Get("name"), []byte(form.Get("passkey")))
	if f := fault.As(err); f != nil && (f.Kind == fault.Refused || f.Kind == fault.Invalid) {
		return v.showPasskey(http.StatusUnprocessableEntity, v.shell.Say(say.WrongPasskey))
	}
	if err != nil {
		return err
	}
	return v.enrolled(opened, codes)
}

func (v *visit) invitationPage() error {
	login, err := v.Sessions.Invited(v.ctx(), v.r.PathValue("token"))
	if err != nil {
		return err
	}
	return v.showInvitation(http.StatusOK, login, nil)
}

// showInvitation asks for a password. The address is a credential until then: nobody is told of it.
func (v *visit) showInvitation(status int, login string, wrong map[string]string) error {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	v.shell.Title = v.shell.Say(say.Welcome)
	path := v.r.URL.Path
	v.show(status, func(s view.Shell) site.Page { return view.Invitation(s, path, login, wrong) })
	return nil
}

func (v *visit) accept() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	token := v.r.PathValue("token")
	login, err := v.Sessions.Invited(v.ctx(), token)
	if err != nil {
		return err
	}
	password := form.Get("password")
	if password != form.Get("again") {
		return v.showInvitation(
			http.StatusUnprocessableEntity,
			login,
			map[string]string{"again": v.shell.Say(say.NotTheSame)},
		)
	}
	opened, err := v.Sessions.AcceptInvitation(v.ctx(), token, password, v.origin())
	if wrong := v.wrong(err); wrong != nil {
		return v.showInvitation(http.StatusUnprocessableEntity, login, wrong)
	}
	if err != nil {
		return err
	}
	return v.entered(opened)
}
