package portal

import (
	"net/http"
	"time"

	"gateway.example/internal/edge"
	"gateway.example/internal/session"
	"gateway.example/web/portal/view"
)

// SetCookie sets a cookie that scripts cannot read. With a life of 0 it lasts
// until the browser is closed; a negative life removes it.
func (v *Visit) SetCookie(name, value string, life time.Duration) {
	http.SetCookie(v.W, &http.Cookie{ //nolint:gosec // a sandbox has no TLS
		Name: name, Value: value, Path: "/", MaxAge: int(life / time.Second), HttpOnly: true, Secure: v.server.Secure,
		SameSite: http.SameSiteLaxMode,
	})
}

// SessionCookie is the name of the session's cookie. With https its prefix
// makes browsers keep it from other paths and hosts; without https some
// browsers would not accept that prefix.
func (v *Visit) SessionCookie() string {
	if v.server.Secure {
		return "__Host-session"
	}
	return "session"
}

// Landing is the first page of a user.
func (v *Visit) Landing() string {
	if home := v.Shell.Portal; home != "" {
		return "/" + home
	}
	return "/account"
}

// Origin is the address and the browser from which a user signs in.
func (v *Visit) Origin() session.Origin {
	return session.Origin{Address: edge.Address(v.Ctx()), Agent: v.R.UserAgent(), Device: v.device()}
}

// device is the cookie that marks a browser in which somebody has signed in, or
// "".
func (v *Visit) device() string {
	cookie, err := v.R.Cookie(v.deviceCookie())
	if err != nil {
		return ""
	}
	return cookie.Value
}

func (v *Visit) deviceCookie() string {
	if v.server.Secure {
		return "__Host-device"
	}
	return "device"
}

// Entered stores a session's new token in the browser and redirects: to the
// second factor, or to the page that the user wanted.
func (v *Visit) Entered(opened session.Opened) error {
	v.Keep(opened)
	next := v.Next()
	switch opened.Session.State {
	case session.AwaitsFactor:
		v.Lead(string(view.Query("/second-factor", "next", next)))
	case session.AwaitsEnrolment:
		v.Lead("/second-factor/enrol")
	case session.Complete:
		v.Enter(opened.Session)
		if next == "" {
			next = v.Landing()
		}
		v.Lead(next)
	}
	return nil
}

// Keep stores a session's new token in the browser, and after a complete
// sign-in also a cookie that marks the browser. A failure of the latter is only
// logged.
func (v *Visit) Keep(opened session.Opened) {
	v.SetCookie(v.SessionCookie(), opened.Cookie, 0)
	if opened.Session.State != session.Complete || v.server.Sessions.IsDevice(v.device(), opened.Session) {
		return
	}
	device, err := v.server.Sessions.NewDevice(opened.Session)
	if err != nil {
		v.Log(err)
		return
	}
	v.SetCookie(v.deviceCookie(), device, session.DeviceLife)
}
