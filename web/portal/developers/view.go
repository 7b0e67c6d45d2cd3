package developers

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Keys are the API keys of a cashbox.
type Keys struct {
	// Boxes are the tabs, one for each cashbox.
	Boxes []view.Tab
	// New leads to where a key is made; "" is not for this user.
	New   templ.SafeURL
	Items []KeyRow
	// Note is said of legacy keys; empty where there are none.
	Note  say.Phrase
	Empty view.Empty
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

func (r KeyRow) badge() view.Badge {
	if r.RevokedAt != nil {
		return view.Badge{Text: sayKeyRevoked, Tone: "off"}
	}
	if r.Expired {
		return view.Badge{Text: sayKeyExpired, Tone: "off"}
	}
	return view.Badge{Text: sayKeyActive, Tone: "good"}
}

// NewKey asks for a key to be made.
type NewKey struct {
	Token string
	// Action is where it is made, Box the cashbox it is for.
	Action, Box string
	Name        string
	Scopes      []view.Tick
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
	Facts  []view.Fact
	Bounds KeyBounds
	Back   templ.SafeURL
}

// Hooks are where a merchant's webhooks go, and how they are taken.
type Hooks struct {
	Boxes    []HookBox
	Failures view.Sheet
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

// EventBadge shows the status of an event.
func EventBadge(status string) view.Badge {
	tones := map[string]string{"delivered": "good", "dead": "bad"}
	return view.Badge{Text: sayEventStatus(status), Tone: tones[status]}
}

// Event is everything of one event.
type Event struct {
	ID, Type, About, Box, URL, Body string
	// Subject leads to what it is about; "" is not there.
	Subject   templ.SafeURL
	CreatedAt time.Time
	Status    view.Badge
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
	Merchant *view.Field
	From, To view.Field
	Items    []DeadRow
	// Running are those that are being sent again.
	Running view.Sheet
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
	Path          string
	Progress      view.Progress
	State         view.Badge
	Runs, MayStop bool
	// Up leads to where the page belongs.
	Up      templ.SafeURL
	UpLabel say.Phrase
}

// Looks is the page on which a cashbox gets its look.
type Looks struct {
	Boxes []view.Tab
	Empty view.Empty
	// Box is the cashbox's name; "" where there is none.
	Box    string
	Action string
	Fields []view.Field
	// Color is that of the field for a colour, as the browser's own chooser takes it.
	Color  string
	Events bool
	// Token and Version are of the form. MayChange tells that it may be sent.
	Token, Version string
	MayChange      bool
	Drawn          DrawnLook
	// Logo is the field for the shop's logo, LogoAction where it is sent, with a token; HasLogo tells that there is one.
	Logo                  view.Field
	LogoAction, LogoToken string
	HasLogo               bool
}

// redraw is where the form is sent to be drawn, and not saved.
func (l Looks) redraw() string { return l.Action + "&do=preview" }

// Follows are the attributes of the field whose colour the preview follows.
func (l Looks) Follows() templ.Attributes {
	return templ.Attributes{
		"hx-post": l.redraw(), "hx-trigger": "input changed delay:300ms", "hx-include": "closest form",
		"hx-target": "#drawn", "hx-select": "#drawn", "hx-swap": "outerHTML",
	}
}

// DrawnLook is the payer's page in a colour, and what there is to say of the colour.
type DrawnLook struct {
	// Preview is the address of the page in a frame.
	Preview string
	// Light and Dark are the colours as they are drawn; "" where they are ours.
	Light, Dark string
	// Notes say what is drawn otherwise, Good that nothing is.
	Notes []string
	Good  string
}

// Requests are what a merchant's programs asked of the API.
type Requests struct {
	Filters view.Filters
	Items   []RequestRow
	Empty   view.Empty
	Pages   view.Pages
}

// RequestRow is a request in the log.
type RequestRow struct {
	report.RequestItem
	// OfCode and OfKey lead to all with the same error code and of the same key.
	OfCode, OfKey templ.SafeURL
	Took          string
}

func (r RequestRow) status() string { return strconv.Itoa(r.Status) }

// tone is the stylesheet's for a status.
func (r RequestRow) tone() string {
	switch r.Status / 100 {
	case 2:
		return "good"
	case 5:
		return "bad"
	}
	return "late"
}
