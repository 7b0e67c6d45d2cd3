package team

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// Team are the users of a merchant.
type Team struct {
	Items []MemberRow
}

// MemberRow is a user in the list.
type MemberRow struct {
	Href        templ.SafeURL
	Login, Role string
	You, Factor bool
	State       view.Badge
	// SeenAt is nil for who is not signed in.
	SeenAt *time.Time
}

// Invite asks for a user to be invited.
type Invite struct {
	Token, Login, Role string
	Roles              []view.Option
	Wrong              map[string]string
}

// MemberShown is one user, and what may be done with them.
type MemberShown struct {
	MemberRow
	Path, RoleValue string
	Roles           []view.Option
	Wrong           map[string]string
	Enabled         bool
	Sessions        int
}

// LogPage is what a team did.
type LogPage struct {
	Sessions []Session
	Items    []view.LogRow
	Older    templ.SafeURL
}

// Session is an open session.
type Session struct {
	Login, Agent, Address string
	API                   bool
	SeenAt, CreatedAt     time.Time
}
