package deposits

import (
	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// Balances is what a merchant's cashboxes hold.
type Balances struct {
	Sheet view.Sheet
	// Deposits tells that the reader may ask for one.
	Deposits bool
}

// Deposit is everything of one deposit.
type Deposit struct {
	Amount, Status string
	// Noted is what the merchant noted.
	Facts, Noted []view.Fact
	// Curl reads it through the API; "" is not for this user.
	Curl  string
	Lines []view.Line
	// Send is where to send the USDT; without an address there is nothing to send, or nobody knows where.
	Send Send
	// Name takes the transaction by which the USDT come; nil is not now.
	Name *view.Field
	// SandboxSend has the wallet of a sandbox send them; "" is nothing to send.
	SandboxSend templ.SafeURL
	// Here is the page's own address.
	Here string
}

// Send is the platform's address, with its QR code as SVG.
type Send struct{ Network, Address, QR string }

// NewDeposit asks for a deposit, with what was typed.
type NewDeposit struct {
	Token, Cashbox, Amount, Network, Address, Reference, Metadata string
	Cashboxes, Networks                                           []view.Option
	// AsksAddress: the platform has told no address, so the merchant says where they send the USDT.
	AsksAddress bool
	Wrong       map[string]string
}
