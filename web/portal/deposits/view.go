package deposits

import (
	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// Balances is what a merchant's cashboxes hold.
type Balances struct {
	Sheet view.Sheet
	// Deposits says that the reader may request a deposit.
	Deposits bool
}

// Deposit is the page of a deposit.
type Deposit struct {
	Amount, Status string
	// Noted is the merchant's metadata.
	Facts, Noted []view.Fact
	// Curl reads it through the API; "" if that is of no use to the user.
	Curl  string
	Lines []view.Line
	// Send is where the USDT are to be sent; without an address there is
	// nothing to send, or it is not known where.
	Send Send
	// Name is the field for the transaction by which the USDT are sent; nil
	// if it is not asked for now.
	Name *view.Field
	// SandboxSend makes the wallet of a sandbox send them; "" if there is
	// nothing to send.
	SandboxSend templ.SafeURL
	// Here is the page's own address.
	Here string
}

// Send is the platform's address, with its QR code as SVG.
type Send struct{ Network, Address, QR string }

// NewDeposit is the form of a deposit, with what was typed.
type NewDeposit struct {
	Token, Cashbox, Amount, Network, Address, Reference, Metadata string
	Cashboxes, Networks                                           []view.Option
	// AsksAddress says that the platform has no address, so that the
	// merchant has to say to which address they send the USDT.
	AsksAddress bool
	Wrong       map[string]string
}
