package view

import (
	"strings"
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

// Keys are the API keys of a cashbox.
type Keys struct {
	// Boxes are the tabs, one for each cashbox.
	Boxes []Tab
	// New leads to where a key is made; "" is not for this user.
	New   templ.SafeURL
	Items []KeyRow
	// Note is said of legacy keys; empty where there are none.
	Note  say.Phrase
	Empty Empty
}

// KeyRow is a key in the list.
type KeyRow struct {
	KeyID, Name string
	Scopes      []string
	Legacy      bool
	CreatedAt   time.Time
	LastUsedAt  *time.Time
	RevokedAt   *time.Time
	// ExpiresAt is until when it may sign, From the networks that it may be used from, and Daily for payouts of how much in a
	// day; nil and "" are no bound.
	ExpiresAt   *time.Time
	Expired     bool
	From, Daily string
	// Limits leads to where these are changed, and Revoke to where the key is revoked; "" cannot be.
	Limits, Revoke templ.SafeURL
}

func (r KeyRow) badge() Badge {
	if r.RevokedAt != nil {
		return Badge{say.KeyRevoked, "off"}
	}
	if r.Expired {
		return Badge{say.KeyExpired, "off"}
	}
	return Badge{say.KeyActive, "good"}
}

func (s Shell) scopes(names []string) string {
	list := make([]string, 0, len(names))
	for _, name := range names {
		list = append(list, s.Say(say.Scope(name)))
	}
	return strings.Join(list, ", ")
}

// NewKey asks for a key to be made.
type NewKey struct {
	Token string
	// Action is where it is made, Box the cashbox it is for.
	Action, Box string
	Name        string
	Scopes      []Tick
	Bounds      KeyBounds
	Wrong       map[string]string
	Back        templ.SafeURL
}

// KeyBounds are what a key is good for.
type KeyBounds struct {
	// Expires is the last day, as it was typed, and so are the others. Currency is the cashbox's; "" of a key
	// without one, which has no limit of payouts.
	Expires, Networks, Daily, Currency string
	Wrong                              map[string]string
}

// KeyLimits is the form that changes what a key is good for.
type KeyLimits struct {
	Action string
	Facts  []Fact
	Bounds KeyBounds
	Back   templ.SafeURL
}

// Shown is a secret that is shown once.
type Shown struct {
	Text string
	// Facts go before the secret, each with its label.
	Facts  []Fact
	Label  say.Phrase
	Secret string
	Next   templ.SafeURL
}

// Question asks whether something shall be done.
type Question struct {
	Title say.Phrase
	Texts []string
	Facts []Fact
	// Action is where the form is posted to, with these besides its token.
	Action, Token string
	Hidden        [][2]string
	Yes           string
	Danger        bool
	Back          templ.SafeURL
}

// Hooks are where a merchant's webhooks go, and how they are taken.
type Hooks struct {
	Boxes    []HookBox
	Failures []HookFailure
}

// HookBox is how webhooks of a cashbox do.
type HookBox struct {
	ID    string
	Name  string
	Signs bool
	// Old is until when secrets before the newest sign besides.
	Old []time.Time
	// Rotate and Test lead to where the secret is changed and an event is sent; "" is not for this user.
	Rotate, Test templ.SafeURL
	// Attempts is how many there were; 0 is none. Rate and Median sum them up.
	Attempts     int
	Rate, Median string
}

// HookFailure is an attempt that failed.
type HookFailure struct {
	At            time.Time
	Box, Type     string
	Event         templ.SafeURL
	Result, Words string
}

// Events are a list of events.
type Events struct {
	Filters Filters
	// Dead leads to where dead events are sent again; "" is not for this user.
	Dead  templ.SafeURL
	Items []EventRow
	Empty Empty
	Pages Pages
}

// EventRow is an event in a list.
type EventRow struct {
	Href                templ.SafeURL
	Number, Type, About string
	CreatedAt           time.Time
	Status              Badge
	Attempts            string
}

// EventBadge shows the status of an event.
func EventBadge(status string) Badge {
	tones := map[string]string{"delivered": "good", "dead": "bad"}
	return Badge{say.EventStatus(status), tones[status]}
}

// Event is everything of one event.
type Event struct {
	ID, Type, About, Box, URL, Body string
	// Subject leads to what it is about; "" is not there.
	Subject   templ.SafeURL
	CreatedAt time.Time
	Status    Badge
	// Resend leads to where it is sent again; "" is not for this user.
	Resend   templ.SafeURL
	Attempts []EventAttempt
}

// EventAttempt is one attempt to deliver. Words are what the answer said, or why there was none.
type EventAttempt struct {
	At            time.Time
	Good          bool
	Result, Words string
}

// Dead are addresses with dead events.
type Dead struct {
	Path string
	// Up leads to where the page belongs.
	Up      templ.SafeURL
	UpLabel say.Phrase
	// Merchant keeps to one, for operators; nil does not ask.
	Merchant *Field
	From, To Field
	Items    []DeadRow
}

// DeadRow is an address.
type DeadRow struct {
	// Owner is whose events they are, for operators.
	Owner       string
	URL, Events string
	Href        templ.SafeURL
}

// Replay is how far events are that are sent again.
type Replay struct {
	Path, Sent    string
	State         Badge
	Runs, MayStop bool
	// Up leads to where the page belongs.
	Up      templ.SafeURL
	UpLabel say.Phrase
}
