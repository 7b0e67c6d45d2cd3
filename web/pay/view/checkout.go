package view

import "gateway.example/web/words"

type Checkout struct {
	Shell
	Bill
	Countdown
	// Notice comes first: what went wrong; "" is nothing.
	Notice string
	// Tests are the cards a sandbox knows; none elsewhere.
	Tests []TestCard
}

// TestCard is a card of a sandbox, and what becomes of it.
type TestCard struct{ Number, Outcome string }

// CardEntry is the form of a card. Of the security code it never holds a value.
type CardEntry struct {
	// Attempt tells apart the forms of a payment, so that one sent twice
	// charges once.
	Attempt string
	// Kept is a number typed before, sealed, and KeptName what may be shown
	// of it; "" has the number typed.
	Kept, KeptName                   string
	Number, Expiry, Security, Holder Input
	// Saved tells that there is a saved card to go back to.
	Saved bool
	// MayKeep offers to keep the card, and Keep has that chosen.
	MayKeep, Keep bool
}

// SavedCard is a card of the payer's, which is paid with by its security code.
type SavedCard struct {
	// ID says which card the form pays with, and Attempt is that of a
	// CardEntry.
	ID, Attempt string
	// Name is its brand and last digits.
	Name, Expiry, Holder string
	Security             Input
}

// CodeEntry is the form of the code that the payer's bank sent.
type CodeEntry struct {
	Code Input
	// Text says where the code comes from, and Sent that another one has
	// been asked for.
	Text words.Key
	Sent bool
	// Attempt tells apart the forms of a payment, so that one sent twice
	// counts once.
	Attempt string
	// Resends says whether the code can be had again, and Next when, which
	// is NextSeconds away; "" is nothing to say.
	Resends, Next string
	NextSeconds   int
	// MayResend offers to have it sent again; the script shows that once
	// Next is over.
	MayResend bool
}

// Progress is what is said while the payer waits.
type Progress struct {
	Title string
	// Early offers to enter a code that nobody has asked for yet.
	Early bool
}
