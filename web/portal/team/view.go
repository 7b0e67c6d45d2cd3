package team

import (
	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// Invite asks for a user to be invited.
type Invite struct {
	Token, Login, Role string
	Roles              []view.Option
	Wrong              map[string]string
}

// MemberShown is one user, and what may be done with them.
type MemberShown struct {
	State           view.Badge
	Facts           []view.Fact
	Path, RoleValue string
	Roles           []view.Option
	Wrong           map[string]string
	Enabled         bool
	Sessions        int
}

// LogPage is what a team did.
type LogPage struct {
	Sessions view.Sheet
	Items    []view.LogRow
	Older    templ.SafeURL
}
