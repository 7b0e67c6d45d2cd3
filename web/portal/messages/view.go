package messages

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Page is a trader's messages.
type Page struct {
	MayWork, MaySet bool
	Waiting, Newest []Message
	// More leads on in what waits.
	More view.Pages
	// Silent are the phones that payments count on and that say nothing.
	Silent []string
	Phones view.Sheet
	Rules  Rules
}

// Rules are what messages do for a page of requisites. Others says that the rest of them is left out.
type Rules struct {
	Sheet  view.Sheet
	Search string
	Others bool
	Pages  view.Pages
}

// Message is a message of a bank.
type Message struct {
	ID                              int64
	At                              time.Time
	Sender, Bank, Text, Amount, Why string
	State                           say.Phrase
	Tone                            string
	Payment                         int64
	Href                            templ.SafeURL
	MayObject, MayKeep              bool
}

func (m Message) act(step string) templ.SafeURL {
	return view.Link(portal.Numbered(messagesPath, m.ID) + "/" + step)
}

// Paired is a phone's key, which is shown this once.
type Paired struct {
	Name, Address, Key, Secret, QR string
	// Headers and Body are settings of a known app.
	Headers, Body string
}

// UnknownPage is what operators see of the messages of all traders.
type UnknownPage struct {
	// Of says how many messages were looked at.
	Of               string
	Choices          []view.Choice
	Pattern          view.Field
	Tried            *Tried
	Groups, Objected view.Sheet
}

// Tried is what a new pattern reads of unknown messages, and the line that makes it count.
type Tried struct {
	Knows, Line string
	Cut         bool
	Sheet       view.Sheet
}
