package view

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

// Thread is what operators and a trader wrote to each other about an appeal.
type Thread struct {
	Title    say.Phrase
	Messages []ThreadMessage
	// Action is where a message is sent; "" is nowhere. Over tells that there will be no more.
	Action templ.SafeURL
	Over   bool
	// Leads tells that writing is the one thing to do on the page.
	Leads bool
	Token string
	Field Field
}

// ThreadMessage is what somebody wrote. Own tells that the reader's side did.
type ThreadMessage struct {
	Who, Text string
	At        time.Time
	Own       bool
}
