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
	// More links to the next page of what waits.
	More view.Pages
	// Silent are the phones that are silent although payments rely on their
	// messages.
	Silent []string
	Phones view.Sheet
	Rules  Rules
}

// Rules are the rules of a page of requisites. Others says that there are
// requisites without a rule that are left out.
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

// Paired is the key of a phone, which is shown only here.
type Paired struct {
	Name, Address, Key, Secret, QR string
	// Headers and Body are the settings of a known app.
	Headers, Body string
}

// UnknownPage is what operators see of all traders' messages.
type UnknownPage struct {
	// Of says how many messages were examined.
	Of               string
	Choices          []view.Choice
	Pattern          view.Field
	Tried            *Tried
	Groups, Objected view.Sheet
}

// Tried is what a new pattern reads in unknown messages, and the line to add to
// the files of patterns.
type Tried struct {
	Knows, Line string
	Cut         bool
	Sheet       view.Sheet
}
