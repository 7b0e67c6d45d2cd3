package account

import (
	"time"

	"gateway.example/internal/session"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/words"
)

// FactorQuestion asks for a second factor.
type FactorQuestion struct {
	// Next is where to continue; "" is the start page. Again says that the
	// user is already signed in.
	Next  string
	Again bool
	// App and Password say what may be given. Passkey has the options for a
	// passkey as JSON, or "".
	App, Password bool
	Passkey       string
	Failed        string
}

// AppOffer is a secret for an authenticator app.
type AppOffer struct{ Secret, URL, QR, Failed string }

// Session is a session of the user.
type Session struct {
	ID                int64
	API, Current      bool
	Agent, Address    string
	SeenAt, CreatedAt time.Time
}

// Account is what the page of the user's own account shows.
type Account struct {
	Role          string
	Preferences   session.Preferences
	Wrong         map[string]string
	Factors       session.Factors
	MayAddPasskey bool
	// Languages are those that the user may choose.
	Languages []words.Language
	Passkeys  []session.Passkey
	Sessions  []Session
	// MayViewAs shows the form to look as another user, and ViewAs has its
	// values.
	MayViewAs bool
	ViewAs    Look
}

// Look asks to look as another user.
type Look struct{ User, Reason string }

// languages are the languages to choose from.
func (a Account) languages(s view.Shell) []view.Option {
	list := []view.Option{{Value: "", Text: s.Say(sayLanguageAuto)}}
	for _, l := range a.Languages {
		list = append(list, view.Option{Value: l.Code, Text: l.Name})
	}
	return list
}

// unread says that no speaker of the language has checked the translation yet.
func unread(s view.Shell) bool { return s.Code != say.English && s.Code != say.Russian }
