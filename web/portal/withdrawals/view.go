package withdrawals

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// List is a list of withdrawals or of addresses.
type List struct {
	// Crumb links back to the withdrawals, if they are on another page.
	Crumb templ.SafeURL
	// Primary is the main button, and Quiet the other one.
	Primary, Quiet Act
	// Notices say what every owner has to know.
	Notices []string
	Picks   []view.Pick
	Sheet   view.Sheet
	Next    templ.SafeURL
	// HandOver is the form that makes a list; without an action there is
	// none.
	HandOver Form
}

// Act is a button that links to a page; without an address it is not shown.
type Act struct {
	Href templ.SafeURL
	Text string
}

// Form is a form with only a button.
type Form struct {
	Action, Token, Past, Submit, Text string
}

// Detail is the page of a withdrawal.
type Detail struct {
	Back      templ.SafeURL
	Amount    string
	Status    view.Badge
	CreatedAt time.Time
	// Alarm says why it waits for operators.
	Alarm string
	Facts []view.Fact
	Acts  []Act
	// SandboxPay makes the wallet of a sandbox pay it; "" if there is
	// nothing to pay.
	SandboxPay templ.SafeURL
	Curl       string
	Lines      []view.Line
}
