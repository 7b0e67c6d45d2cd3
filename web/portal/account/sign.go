package account

import (
	"net/http"
	"net/url"

	"gateway.example/web/portal"

	"gateway.example/internal/fault"
	"gateway.example/internal/session"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// startRoutes are used only outside a sandbox, which has a first page of its
// own.
var startRoutes = []route{{Pattern: "GET /{$}", Open: true, Handle: (*visit).start}}

// Signing in and out, second factors, invitations.
var signRoutes = []route{
	{Pattern: "GET /sign-in", Open: true, Handle: (*visit).signInPage},
	{Pattern: "POST /sign-in", Open: true, Viewing: true, Handle: portal.After((*visit).Form, (*visit).signIn)},
	{Pattern: "POST /sign-out", Open: true, Viewing: true, Handle: (*visit).signOut},
	{Pattern: "GET /second-factor", Kinds: portal.Users, Begun: true, Handle: (*visit).factorPage},
	{Pattern: "POST /second-factor", Kinds: portal.Users, Begun: true, Handle: portal.After((*visit).Form, (*visit).factor)},
	{Pattern: "GET /second-factor/enrol", Kinds: portal.Users, Begun: true, Handle: (*visit).enrolPage},
	{Pattern: "GET /second-factor/app", Kinds: portal.Users, Begun: true, Handle: (*visit).appPage},
	{Pattern: "POST /second-factor/app", Kinds: portal.Users, Begun: true, Handle: portal.After((*visit).Form, (*visit).addApp)},
	{Pattern: "GET /second-factor/passkey", Kinds: portal.Users, Begun: true, Handle: (*visit).passkeyPage},
	{Pattern: "POST /second-factor/passkey", Kinds: portal.Users, Begun: true, Handle: portal.After((*visit).Form, (*visit).addPasskey)},
	{Pattern: "GET /invitation/{token}", Open: true, Handle: (*visit).invitationPage},
	{Pattern: "POST /invitation/{token}", Open: true, Handle: portal.After((*visit).Form, (*visit).accept)},
}

// start redirects all users to where they work.
func (v *visit) start() error {
	if v.Session.ID == 0 {
		v.Lead("/sign-in")
	} else {
		v.Lead(v.Landing())
	}
	return nil
}

func (v *visit) signInPage() error {
	return v.showSignIn(http.StatusOK, "", nil, "")
}

func (v *visit) showSignIn(status int, login string, wrong map[string]string, failed string) error {
	v.Shell.Title, v.Shell.Mistakes = v.Say(saySignIn), status != http.StatusOK
	next := v.Next()
	v.Show(status, func(s view.Shell) site.Page { return SignIn(s, next, login, wrong, failed) })
	return nil
}

// signIn begins a session. A session that the browser had before is ended, so
// that nobody is signed in by a cookie that somebody else has put there.
func (v *visit) signIn(form url.Values) error {
	credentials := session.Credentials{Login: form.Get("login"), Password: form.Get("password")}
	opened, err := v.Sessions.SignIn(v.Ctx(), credentials, v.Origin())
	if wrong := v.Wrong(err); wrong != nil {
		return v.showSignIn(http.StatusUnprocessableEntity, credentials.Login, wrong, "")
	}
	if f := fault.As(err); f != nil && f.Kind == fault.Unauthenticated {
		return v.showSignIn(http.StatusUnprocessableEntity, credentials.Login, nil, v.Say(sayWrongCredentials))
	}
	if err != nil {
		return err
	}
	if v.Session.ID != 0 {
		if err := v.Sessions.End(v.Ctx(), v.Session); err != nil {
			v.Log(err)
		}
	}
	return v.Entered(opened)
}

func (v *visit) signOut() error {
	if v.Session.ID != 0 {
		if err := v.Sessions.End(v.Ctx(), v.Session); err != nil {
			return err
		}
	}
	v.SetCookie(v.SessionCookie(), "", -1)
	return v.Done("/sign-in", "signed-out")
}

func (v *visit) factorPage() error { return v.showFactor(http.StatusOK, "") }

// showFactor asks for a second factor, or for the password of users who have
// none.
func (v *visit) showFactor(status int, failed string) error {
	if v.Session.State == session.AwaitsEnrolment {
		v.Lead("/second-factor/enrol")
		return nil
	}
	question := FactorQuestion{Next: v.Next(), Failed: failed, Again: v.Session.State == session.Complete}
	question.App = v.Session.Factors.TOTP || v.Session.Factors.RecoveryCodes > 0
	question.Password = !v.Session.Factors.Any()
	if v.Session.Factors.Passkeys > 0 && v.Sessions.Passkeys() {
		options, err := v.Sessions.BeginAssertion(v.Ctx(), v.Session)
		if err != nil {
			return err
		}
		question.Passkey = string(options)
	}
	v.Shell.Title, v.Shell.Mistakes = v.Say(saySecondFactor), failed != ""
	return portal.Show(v.Visit, status, Factor, question)
}

// factor takes a passkey's answer, a code, or the password of a user without a
// second factor, and leads to where the user was going. All mistakes get the
// same words; only a locked factor is told, because trying again does not help
// then.
func (v *visit) factor(form url.Values) error {
	given := session.Factor{Code: form.Get("code"), Password: form.Get("password")}
	if answer := form.Get("passkey"); answer != "" {
		given = session.Factor{Assertion: []byte(answer)}
	}
	opened, err := v.Sessions.GiveFactor(v.Ctx(), v.Session, given)
	if f := fault.As(err); f != nil && f.Code == "factor_locked" {
		return v.showFactor(http.StatusForbidden, v.Say(sayFactorLocked))
	}
	if f := fault.As(err); f != nil &&
		(f.Kind == fault.Refused || f.Kind == fault.Invalid || f.Kind == fault.Unauthenticated) {
		return v.showFactor(http.StatusUnprocessableEntity, v.Say(sayWrongFactor))
	}
	if err != nil {
		return err
	}
	return v.Entered(opened)
}

func (v *visit) enrolPage() error {
	v.Shell.Title = v.Say(saySetUpFactor)
	passkeys, compulsory := v.Sessions.Passkeys(), v.Session.State == session.AwaitsEnrolment
	v.Show(http.StatusOK, func(s view.Shell) site.Page { return Enrol(s, passkeys, compulsory) })
	return nil
}

func (v *visit) appPage() error {
	offer, err := v.Sessions.BeginTOTP(v.Ctx(), v.Session)
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
	v.Shell.Title, v.Shell.Mistakes = v.Say(saySetUpApp), failed != ""
	shown := AppOffer{Secret: offer.Secret, URL: offer.URL, QR: string(drawn), Failed: failed}
	return portal.Show(v.Visit, status, App, shown)
}

// addApp takes the first code of an authenticator app. After a wrong one the
// page shows the offered secret again; the form sends it along only to be
// shown.
func (v *visit) addApp(form url.Values) error {
	opened, codes, err := v.Sessions.ConfirmTOTP(v.Ctx(), v.Session, form.Get("code"))
	if f := fault.As(err); f != nil && (f.Kind == fault.Refused || f.Kind == fault.Invalid) {
		offer := session.TOTPOffer{Secret: form.Get("secret"), URL: form.Get("url")}
		return v.showApp(http.StatusUnprocessableEntity, offer, v.Say(sayWrongCode))
	}
	if err != nil {
		return err
	}
	return v.enrolled(opened, codes)
}

// enrolled shows the recovery codes that come with a first factor, once, or
// redirects to the account.
func (v *visit) enrolled(opened session.Opened, codes []string) error {
	v.Keep(opened)
	if len(codes) == 0 {
		return v.Done("/account", "factor-added")
	}
	v.Enter(opened.Session)
	return v.showCodes(codes)
}

func (v *visit) showCodes(codes []string) error {
	v.Shell.Title = v.Say(sayRecoveryCodes)
	landing := v.Landing()
	v.Show(http.StatusOK, func(s view.Shell) site.Page { return Codes(s, codes, landing) })
	return nil
}

func (v *visit) passkeyPage() error { return v.showPasskey(http.StatusOK, "") }

func (v *visit) showPasskey(status int, failed string) error {
	options, err := v.Sessions.BeginPasskey(v.Ctx(), v.Session)
	if err != nil {
		return err
	}
	v.Shell.Title, v.Shell.Mistakes = v.Say(saySetUpPasskey), failed != ""
	v.Show(status, func(s view.Shell) site.Page { return NewPasskey(s, string(options), failed) })
	return nil
}

func (v *visit) addPasskey(form url.Values) error {
	opened, codes, err := v.Sessions.FinishPasskey(v.Ctx(), v.Session, form.Get("name"), []byte(form.Get("passkey")))
	if f := fault.As(err); f != nil && (f.Kind == fault.Refused || f.Kind == fault.Invalid) {
		return v.showPasskey(http.StatusUnprocessableEntity, v.Say(sayWrongPasskey))
	}
	if err != nil {
		return err
	}
	return v.enrolled(opened, codes)
}

func (v *visit) invitationPage() error {
	invited, err := v.Sessions.Invited(v.Ctx(), v.R.PathValue("token"))
	if err != nil {
		return err
	}
	return v.showInvitation(http.StatusOK, invited, nil)
}

// showInvitation asks for a password, and for the code if it takes one.
func (v *visit) showInvitation(status int, invited session.Invitation, wrong map[string]string) error {
	v.Shell.Title = v.Say(sayWelcome)
	path := v.R.URL.Path
	v.Show(status, func(s view.Shell) site.Page { return Invitation(s, path, invited, wrong) })
	return nil
}

// accept sets an invited user's password and signs them in, once: a second
// sending finds no invitation, and leads to where the password is asked for.
// Two passwords that differ, or one that is too weak, leave it open.
func (v *visit) accept(form url.Values) error {
	err := v.accepts(form)
	if f := fault.As(err); f != nil && f.Kind == fault.NotFound {
		return v.Done("/sign-in", "invitation-over")
	}
	return err
}

func (v *visit) accepts(form url.Values) error {
	token := v.R.PathValue("token")
	invited, err := v.Sessions.Invited(v.Ctx(), token)
	if err != nil {
		return err
	}
	password := form.Get("password")
	if password != form.Get("again") {
		return v.showInvitation(http.StatusUnprocessableEntity, invited, map[string]string{"again": v.Say(sayNotTheSame)})
	}
	given := session.Acceptance{Token: token, Code: form.Get("code"), Password: password}
	opened, err := v.Sessions.AcceptInvitation(v.Ctx(), given, v.Origin())
	if wrong := v.Wrong(err); wrong != nil {
		return v.showInvitation(http.StatusUnprocessableEntity, invited, wrong)
	}
	if err != nil {
		return err
	}
	return v.Entered(opened)
}
