package view

import "time"

// Consent is what there is of owners' consent on every page of a user.
type Consent struct {
	// Until is until when the user themselves waits; nil is that they do not.
	Until *time.Time
	// Asked are those whom the user is to answer for.
	Asked []Awaiting
	// Asking tells that the page itself asks, and needs no band above.
	Asking bool
}

// Awaiting is a user whom an operator let in, and who waits for an owner's answer.
type Awaiting struct {
	ID, Login, Role string
	Since, Until    time.Time
}

func (s Shell) consentPath() string { return "/" + s.Portal + "/consent" }
