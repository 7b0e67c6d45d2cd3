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
	// Next is where to go on, "" to the start; Again tells that the user is signed in already.
	Next  string
	Again bool
	// App and Password tell what may be given, and Passkey holds the options of one, as JSON, or "".
	App, Password bool
	Passkey       string
	Failed        string
}

// AppOffer is a secret for an authenticator app.
type AppOffer struct{ Secret, URL, QR, Failed string }

// Session is a place where the user is signed in.
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
	// MayViewAs shows the form to look as another user, which ViewAs is filled in with.
	MayViewAs bool
	ViewAs    Look
}

// Look asks to look as another user.
type Look struct{ User, Reason string }

// languages are what the user chooses from.
func (a Account) languages(s view.Shell) []view.Option {
	list := []view.Option{{Value: "", Text: s.Say(sayLanguageAuto)}}
	for _, l := range a.Languages {
		list = append(list, view.Option{Value: l.Code, Text: l.Name})
	}
	return list
}

// unread tells that nobody whose language it is has read the translation yet.
func unread(s view.Shell) bool { return s.Code != say.English && s.Code != say.Russian }
