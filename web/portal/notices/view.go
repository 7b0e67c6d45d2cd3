package notices

import (
	"time"

	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Page has what a user has set, and what was sent to them.
type Page struct {
	Channels []Channel
	Kinds    []Kind
	Lines    []Line
	// From and Until are times of day, or "".
	From, Until string
	Wrong       map[string]string
	Sent        view.Sheet
	// Telegram, Mail and Push say which channels are configured. PushKey is
	// the key with which browsers subscribe.
	Telegram, Mail bool
	PushKey        string
	// Awaits says that a mail address waits for its code. Address is what
	// was typed.
	Awaits  bool
	Address string
	// Muted is until when no messages are sent.
	Muted *time.Time
}

// Channel is a column of the table.
type Channel struct {
	Name string
	Text say.Phrase
}

// Kind is a row of the table. Fixed says that it cannot be switched off.
type Kind struct {
	Label string
	Fixed bool
	Ticks []Tick
}

// Tick is a choice.
type Tick struct {
	Name string
	On   bool
}

// Line is a chat, a mail address or a browser.
type Line struct {
	Remove  string
	Channel say.Phrase
	Label   string
	State   view.Badge
}
