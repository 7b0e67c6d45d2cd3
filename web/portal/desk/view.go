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
	// Silent are the phones whose messages payments count on and that say nothing.
	Silent []string
	// Earned is what the trader keeps; none for those who do not see it.
	Earned []view.OverviewFigure
	// Balance is what the trader has, and what of it is held for open payments; none for those who do not see it.
	Balance        []view.OverviewFigure
	Jobs           []view.Job
	Taken, Waiting []view.Offer
	// Bank is the one whose waiting payouts are shown, "" all; Banks are those to choose from.
	Bank  string
	Banks []string
	// MostJobs and MostOffers are how many of each kind a desk shows; there may be more.
	MostJobs, MostOffers int
}

// Earnings are what a trader keeps of some days, and how fast they are. Any tells that there is something to see.
type Earnings struct {
	Days          []view.Pick
	Any           bool
	Answer        []view.OverviewFigure
	Earned, Speed chart.Chart
}

// Capped is a number of things of which no more than most are shown.
func Capped(n, most int) string {
	if n >= most {
		return strconv.Itoa(most) + "+"
	}
	return strconv.Itoa(n)
}

// urgency is the class of what ends at a time: late within five minutes, soon within two. The script goes on with it.
func urgency(now, until time.Time) string {
	switch left := until.Sub(now); {
	case left < 2*time.Minute:
		return "soon"
	case left < 5*time.Minute:
		return "late"
	}
	return ""
}

// saysMore says that a row has a line for what its payer did, or for money that fits.
func saysMore(j view.Job) bool { return j.ClaimedAt != nil || j.Receipts > 0 || j.Fits }

// PaymentQuestion asks whether a payment shall end.
type PaymentQuestion struct {
	ID int64
	// Token names the form, Status is what the payment had when the form was shown.
	Token, Status        string
	Amount, Method, USDT string
	Requisite            view.Requisite
	ClaimedAt            *time.Time
	Reason               string
	// Late says that the payment's time has run out.
	Late bool
	// Other says that another amount may be said than asked for, Came and Payer what was typed, and Opened that
	// its field is shown.
	Other, Opened bool
	Came, Payer   string
	Wrong         map[string]string
}

func (q PaymentQuestion) href() string { return "/trader/payments/" + strconv.FormatInt(q.ID, 10) }
