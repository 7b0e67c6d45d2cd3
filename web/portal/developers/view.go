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
	// Boxes are tabs, one for each cashbox.
	Boxes []view.Tab
	// New links to where a key is made; "" if the user may not.
	New   templ.SafeURL
	Items []KeyRow
	// Note explains legacy keys; empty if there are none.
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
	// ExpiresAt is until when it may sign, From are the networks from which
	// it may be used, and Daily is how much it may pay out in a day. Nil
	// and "" are no limit.
	ExpiresAt   *time.Time
	Expired     bool
	From, Daily string
	// Limits links to where these are changed, and Revoke to where the key
	// is revoked; "" if that is not possible.
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
	// Action is where the form is sent, and Box is the cashbox of the key.
	Action, Box string
	Name        string
	Scopes      []view.Tick
	Bounds      KeyBounds
	Wrong       map[string]string
	Back        templ.SafeURL
}

// KeyBounds are the limits of a key.
type KeyBounds struct {
	// Expires is the last day, as it was typed, and so are the other
	// fields. Currency is that of the cashbox; "" for a key without one,
	// which has no limit of payouts.
	Expires, Networks, Daily, Currency string
	Wrong                              map[string]string
}

// KeyLimits is the form that changes the limits of a key.
type KeyLimits struct {
	// Seen are the limits that this was shown with.
	Action, Token, Seen string

	Facts  []view.Fact
	Bounds KeyBounds
	Back   templ.SafeURL
}

// Hooks shows where a merchant's webhooks are sent, and how endpoints accept
// them.
type Hooks struct {
	Boxes    []HookBox
	Failures view.Sheet
}

// HookBox has the webhooks of a cashbox.
type HookBox struct {
	ID    string
	Name  string
	Signs bool
	// Old is until when each older secret also signs.
	Old []time.Time
	// Rotate and Test link to where the secret is changed and an event is
	// sent; "" if the user may not.
	Rotate, Test templ.SafeURL
	// Attempts is the number of attempts. Rate and Median sum them up.
	Attempts     int
	Rate, Median string
}

func EventBadge(status string) view.Badge {
	tones := map[string]string{"delivered": "good", "dead": "bad"}
	return view.Badge{Text: sayEventStatus(status), Tone: tones[status]}
}

// Event is everything of one event.
type Event struct {
	ID, Type, About, Box, URL, Body string
	// Subject links to the event's subject; "" if there is no page.
	Subject   templ.SafeURL
	CreatedAt time.Time
	Status    view.Badge
	// Resend links to where it is sent again; "" if the user may not.
	Resend   templ.SafeURL
	Attempts []EventAttempt
}

// EventAttempt is one attempt to deliver. Words are the beginning of the
// answer, or why there was none.
type EventAttempt struct {
	At            time.Time
	Good          bool
	Result, Words string
}

type Dead struct {
	Path string
	// Up links to the page above.
	Up      templ.SafeURL
	UpLabel say.Phrase
	// Merchant is the filter by merchant, for operators; nil if there is
	// none.
	Merchant *view.Field
	From, To view.Field
	Items    []DeadRow
	// Running are the replays in progress.
	Running view.Sheet
}

type DeadRow struct {
	// Owner is the merchant's name, for operators.
	Owner       string
	URL, Events string
	Href        templ.SafeURL
}

// Replay is the progress of a replay.
type Replay struct {
	Path          string
	Progress      view.Progress
	State         view.Badge
	Runs, MayStop bool
	// Up links to the page above.
	Up      templ.SafeURL
	UpLabel say.Phrase
}

// Looks is the page on which the look of a cashbox is changed.
type Looks struct {
	Boxes []view.Tab
	Empty view.Empty
	// Box is the cashbox's name; "" if there is none.
	Box    string
	Action string
	Fields []view.Field
	// Color is the value of the colour field, in the format of the
	// browser's colour chooser.
	Color  string
	Events bool
	// Token and Version belong to the form. MayChange says that the user
	// may send it.
	Token, Version string
	MayChange      bool
	Drawn          DrawnLook
	// Logo is the field for the shop's logo, and LogoAction the address of
	// its form, with a token and the version of what is shown. HasLogo says
	// that there is a logo.
	Logo                               view.Field
	LogoAction, LogoToken, LogoVersion string
	HasLogo                            bool
}

// redraw is the address to which the form is sent to be drawn without being
// saved.
func (l Looks) redraw() string { return l.Action + "&do=preview" }

// Follows are the attributes of the field whose colour the preview shows.
func (l Looks) Follows() templ.Attributes {
	return templ.Attributes{
		"hx-post": l.redraw(), "hx-trigger": "input changed delay:300ms", "hx-include": "closest form",
		"hx-target": "#drawn", "hx-select": "#drawn", "hx-swap": "outerHTML",
	}
}

// DrawnLook is the payer's page in a colour, with notes about the colour.
type DrawnLook struct {
	// Preview is the address of the page in a frame.
	Preview string
	// Light and Dark are the colours that are really used; "" for the
	// default.
	Light, Dark string
	// Notes say which colours were changed, and Good that none was.
	Notes []string
	Good  string
}

type Requests struct {
	Filters view.Filters
	Items   []RequestRow
	Empty   view.Empty
	Pages   view.Pages
}

// RequestRow is a request in the log.
type RequestRow struct {
	report.RequestItem
	// OfCode and OfKey link to the requests with the same error code, and
	// of the same key.
	OfCode, OfKey templ.SafeURL
	Took          string
}

func (r RequestRow) status() string { return strconv.Itoa(r.Status) }

// tone is the CSS class for a status.
func (r RequestRow) tone() string {
	switch r.Status / 100 {
	case 2:
		return "good"
	case 5:
		return "bad"
	}
	return "late"
}
