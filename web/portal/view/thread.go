package view

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

// Thread is the conversation between operators and a trader about an appeal.
type Thread struct {
	Title    say.Phrase
	Messages []ThreadMessage
	// Action is the address to which a message is sent; "" if the reader
	// may not write. Over says that the conversation has ended.
	Action templ.SafeURL
	Over   bool
	// Leads says that writing is the first thing to do on the page.
	Leads bool
	Token string
	Field Field
}

// ThreadMessage is a message. Own says that it is from the reader's side.
type ThreadMessage struct {
	Who, Text string
	At        time.Time
	Own       bool
}
