package withdrawals

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// List is a list of withdrawals or of addresses.
type List struct {
	// Crumb leads back to the withdrawals, where that is another page.
	Crumb templ.SafeURL
	// Acts are its buttons, of which Primary is the first.
	Primary, Quiet Act
	// Notices say what every owner has to know.
	Notices []string
	Picks   []view.Pick
	Sheet   view.Sheet
	Next    templ.SafeURL
	// HandOver is the form that has a list made; without an action there is none.
	HandOver Form
}

// Act is a button that leads somewhere; without an address it is not there.
type Act struct {
	Href templ.SafeURL
	Text string
}

// Form is a form of one button.
type Form struct {
	Action, Token, Past, Submit, Text string
}

// Detail is everything of one withdrawal.
type Detail struct {
	Back      templ.SafeURL
	Amount    string
	Status    view.Badge
	CreatedAt time.Time
	// Alarm says why it waits for operators.
	Alarm string
	Facts []view.Fact
	Acts  []Act
	// SandboxPay has the wallet of a sandbox pay it; "" is nothing to pay.
	SandboxPay templ.SafeURL
	Curl       string
	Lines      []view.Line
}
