package desk

import (
	"strconv"
	"time"

	"gateway.example/web/chart"
	"gateway.example/web/portal/view"
)

// Desk is what waits for a trader.
type Desk struct {
	OnBreak, MayWork bool
	// Silent are the phones that are silent although payments rely on their
	// messages.
	Silent []string
	// Earned is what the trader earned; empty for users who may not see it.
	Earned []view.OverviewFigure
	// Balance is what the trader has, and what of it is held for open
	// payments; empty for users who may not see it.
	Balance        []view.OverviewFigure
	Jobs           []view.Job
	Taken, Waiting []view.Offer
	// Bank is the bank whose waiting payouts are shown, or "" for all.
	// Banks are the banks to choose from.
	Bank  string
	Banks []string
	// MostJobs and MostOffers are how many of each kind a desk shows; there
	// may be more.
	MostJobs, MostOffers int
}

// Earnings is what a trader earned in some days, and how fast they are. Any
// says that there is something to show.
type Earnings struct {
	Days          []view.Pick
	Any           bool
	Answer        []view.OverviewFigure
	Earned, Speed chart.Chart
}

// Capped formats a number of things of which at most most are counted.
func Capped(n, most int) string {
	if n >= most {
		return strconv.Itoa(most) + "+"
	}
	return strconv.Itoa(n)
}

// urgency is the CSS class of what ends at a time: late within five minutes,
// soon within two. The page's script updates it.
func urgency(now, until time.Time) string {
	switch left := until.Sub(now); {
	case left < 2*time.Minute:
		return "soon"
	case left < 5*time.Minute:
		return "late"
	}
	return ""
}

// saysMore reports whether a row has a second line, for what its payer did or
// for a free transfer that fits.
func saysMore(j view.Job) bool { return j.ClaimedAt != nil || j.Receipts > 0 || j.Fits }

// PaymentQuestion asks for confirmation that a payment shall end.
type PaymentQuestion struct {
	ID int64
	// Token identifies the form. Seen is how the payment stood when the
	// form was shown.
	Token, Seen          string
	Amount, Method, USDT string
	Requisite            view.Requisite
	ClaimedAt            *time.Time
	Reason               string
	// Late says that the payment has expired.
	Late bool
	// Other says that another amount may be entered, Came and Payer are
	// what was typed, and Opened says that the field is shown.
	Other, Opened bool
	Came, Payer   string
	Wrong         map[string]string
}

func (q PaymentQuestion) href() string { return "/trader/payments/" + strconv.FormatInt(q.ID, 10) }
