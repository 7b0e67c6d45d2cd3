package view

import (
	"strings"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

// Scopes are the names of what a key may do.
func (s Shell) Scopes(names []string) string {
	list := make([]string, 0, len(names))
	for _, name := range names {
		list = append(list, s.Say(say.Scope(name)))
	}
	return strings.Join(list, ", ")
}

// Shown is a page that shows a secret once.
type Shown struct {
	Text string
	// Facts are shown before the secret, each with its label.
	Facts  []Fact
	Label  say.Phrase
	Secret string
	Next   templ.SafeURL
}

// Question asks for confirmation.
type Question struct {
	Title say.Phrase
	Texts []string
	Facts []Fact
	// Action is the address of the form, which is sent with these
	// parameters and its token.
	Action, Token string
	Hidden        [][2]string
	Yes           string
	Danger        bool
	Back          templ.SafeURL
	// Fields have to be filled in for the answer.
	Fields []Field
}

// MemberBadge shows whether a user can sign in.
func MemberBadge(enabled, invited bool) Badge {
	switch {
	case !enabled:
		return Badge{say.MemberOff, "off"}
	case invited:
		return Badge{say.MemberNew, "late"}
	}
	return Badge{say.MemberOn, "good"}
}
