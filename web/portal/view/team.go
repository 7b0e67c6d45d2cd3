package view

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
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
	State       Badge
	// SeenAt is nil for who is not signed in.
	SeenAt *time.Time
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

// Invite asks for a user to be invited.
type Invite struct {
	Token, Login, Role string
	Roles              []Option
	Wrong              map[string]string
}

// MemberShown is one user, and what may be done with them.
type MemberShown struct {
	MemberRow
	Path, RoleValue string
	Roles           []Option
	Wrong           map[string]string
	Enabled         bool
	Sessions        int
}

// TeamLog is what a team did.
type TeamLog struct {
	Sessions []TeamSession
	Items    []LogRow
	Older    templ.SafeURL
}

// TeamSession is an open session.
type TeamSession struct {
	Login, Agent, Address string
	API                   bool
	SeenAt, CreatedAt     time.Time
}

// LogRow is a change. Notes say what differs.
type LogRow struct {
	At          time.Time
	Login, What string
	Notes       []string
}
