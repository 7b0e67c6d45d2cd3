package notices

import (
	"time"

	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Page is what a user set, and what they were told.
type Page struct {
	Channels []Channel
	Kinds    []Kind
	Lines    []Line
	// From and Until are times of the day, "" for none.
	From, Until string
	Wrong       map[string]string
	Sent        view.Sheet
	// Telegram, Mail and Push tell which of them are configured; PushKey is what browsers subscribe with.
	Telegram, Mail bool
	PushKey        string
	// Awaits tells that an address waits for its code, Address what was typed.
	Awaits  bool
	Address string
	// Muted is until when all is quiet.
	Muted *time.Time
}

// Channel is a column of the table.
type Channel struct {
	Name string
	Text say.Phrase
}

// Kind is a row of the table. Fixed cannot be switched off.
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

// Line is a chat, an address or a browser.
type Line struct {
	Remove  string
	Channel say.Phrase
	Label   string
	State   view.Badge
}
