package view

import (
	"strconv"
	"time"

	"gateway.example/web/portal/say"
)

// Desk is what waits for a trader.
type Desk struct {
	OnShift, OnBreak, MayWork bool
	// Balance is nil for those who do not see it.
	Balance        *Balance
	Jobs           []Job
	Taken, Waiting []Offer
	// MostJobs and MostOffers are how many of each kind a desk shows; there may be more.
	MostJobs, MostOffers int
}

// Capped is a number of things of which no more than most are shown.
func Capped(n, most int) string {
	if n >= most {
		return strconv.Itoa(most) + "+"
	}
	return strconv.Itoa(n)
}

// Balance is what a trader has, and what of it is held for open payments.
type Balance struct{ Available, Reserved string }

// Job is an open payment.
type Job struct {
	ID             int64
	Amount, Method string
	Requisite      Requisite
	// Phase is where a card checkout stands, and Card the last digits of its card; both may be "".
	Phase     say.Phrase
	Card      string
	ExpiresAt time.Time
	ClaimedAt *time.Time
	Receipts  int
	Steps     []Step
}

func (j Job) href() string { return "/trader/payments/" + strconv.FormatInt(j.ID, 10) }

// Requisite is where money is sent.
type Requisite struct{ Value, Bank, Holder string }

// Step is something a trader may do about a payment. Asks tells that a page comes first which says
// what is about to be done.
type Step struct {
	Label           say.Phrase
	Href            string
	Asks            bool
	Primary, Danger bool
	Key             string
}

// StepOf is a step by its name.
func StepOf(id int64, name string) Step {
	path := "/trader/payments/" + strconv.FormatInt(id, 10)
	switch name {
	case "confirm":
		return Step{Label: say.ConfirmAct, Href: path + "/confirm", Asks: true, Primary: true, Key: "c"}
	case "cancel":
		return Step{Label: say.CancelAct, Href: path + "/cancel", Asks: true, Danger: true}
	case "request_code":
		return Step{Label: say.RequestCodeAct, Href: path + "/code"}
	case "resend":
		return Step{Label: say.ResendAct, Href: path + "/resend"}
	}
	return Step{Label: say.NoCodeAct, Href: path + "/no-code"}
}

// Offer is a payout as a trader sees it.
type Offer struct {
	// Path is where it is shown.
	Path                                                         string
	ID, Amount, Method, Address, Recipient, Bank, Reward, Status string
	ExpiresAt                                                    time.Time
	MayWork                                                      bool
}

func (o Offer) href() string { return o.Path }

// PaymentQuestion asks whether a payment shall end.
type PaymentQuestion struct {
	ID int64
	// Token names the form, Status is what the payment had when the form was shown.
	Token, Status        string
	Amount, Method, USDT string
	Requisite            Requisite
	ClaimedAt            *time.Time
	Reason               string
	Wrong                map[string]string
}

func (q PaymentQuestion) href() string { return "/trader/payments/" + strconv.FormatInt(q.ID, 10) }
