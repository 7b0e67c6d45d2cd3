// Package cases shows operators what waits for them, and carries out what they
// decide.
package cases

import (
	"gateway.example/internal/alarm"
	"gateway.example/internal/bankmessage"
	"gateway.example/internal/books"
	"gateway.example/internal/checkout"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/figures"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/report"
	"gateway.example/internal/session"
	"gateway.example/internal/timeline"
	"gateway.example/internal/work"
	"gateway.example/web/portal"
	"gateway.example/web/portal/view"
)

type Services struct {
	Sessions  *session.Service
	Payments  *payment.Service
	Checkouts *checkout.Service
	Messages  *bankmessage.Service
	Payouts   *payout.Service
	Settings  *directory.Settings
	Deposits  *deposit.Service
	Rates     *rate.Settings
	Proposals *proposal.Service
	Reports   *report.Service
	Books     *books.Service
	Figures   *figures.Service
	Timelines *timeline.Service
	// Work is what waits for operators.
	Work *work.Service
	// Alarms are the alarms that fire now.
	Alarms *alarm.Service
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} },
	caseRoutes, transferRoutes, workRoutes)

// Claim returns a function for the page of a payment, which shows who works on
// it.
func Claim(s Services) func(*portal.Visit, work.Kind, int64) (*view.Claim, error) {
	return func(v *portal.Visit, kind work.Kind, id int64) (*view.Claim, error) {
		return (&visit{Visit: v, Services: s}).claimShown(kind, id, v.PaymentPath(id))
	}
}

// OnPayout returns a function for the page of a payout, which shows what an
// operator may do about it and who works on it.
func OnPayout(s Services) func(*portal.Visit, payout.Payout) ([]view.Act, *view.Claim, error) {
	return func(v *portal.Visit, p payout.Payout) ([]view.Act, *view.Claim, error) {
		return (&visit{Visit: v, Services: s}).onPayout(p)
	}
}
