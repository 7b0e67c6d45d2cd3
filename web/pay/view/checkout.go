package view

import "gateway.example/web/words"

type Checkout struct {
	Shell
	Bill
	Countdown
	// Notice is shown first, after an error; "" is none.
	Notice string
	// Tests are the test cards of a sandbox.
	Tests []TestCard
}

// TestCard is a test card with the outcome of a payment by it.
type TestCard struct{ Number, Outcome string }

// CardEntry is the card form. It never holds a security code.
type CardEntry struct {
	// Attempt tells apart the forms of a payment, so that one sent twice
	// charges once.
	Attempt string
	// Kept is a number that was typed before, encrypted, and KeptName how
	// it is shown; with "" the number has to be typed.
	Kept, KeptName                   string
	Number, Expiry, Security, Holder Input
	// Saved says that there is a saved card to return to.
	Saved bool
	// MayKeep offers to save the card; Keep is the choice.
	MayKeep, Keep bool
}

// SavedCard is the form for a saved card, which needs only the security code.
type SavedCard struct {
	// ID is the card, and Attempt as in CardEntry.
	ID, Attempt string
	// Name is its brand and last digits.
	Name, Expiry, Holder string
	Security             Input
}

// CodeEntry is the form for the code from the payer's bank.
type CodeEntry struct {
	Code Input
	// Text says where the code comes from, and Sent that another one was
	// requested.
	Text words.Key
	Sent bool
	// Attempt tells apart the forms of a payment, so that one sent twice
	// counts once.
	Attempt string
	// Resends says whether another code can be requested, and Next when:
	// in NextSeconds. "" is no text.
	Resends, Next string
	NextSeconds   int
	// MayResend shows the button for another code; the script shows it
	// after NextSeconds.
	MayResend bool
}

// Progress is shown while the payer waits.
type Progress struct {
	Title string
	// Early offers to enter a code before the bank has asked for it.
	Early bool
}
