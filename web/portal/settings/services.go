// Package settings shows operators the merchants, cashboxes, traders and
// requisites, and the settings of each.
package settings

import (
	"gateway.example/internal/acquirer"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/figures"
	"gateway.example/internal/report"
	"gateway.example/internal/session"
	"gateway.example/internal/submission"
	"gateway.example/internal/withdrawal"
	"gateway.example/web/portal"
)

type Services struct {
	Sessions    *session.Service
	Submissions *submission.Service
	Settings    *directory.Settings
	Acquirers   *acquirer.Directory
	Deposits    *deposit.Service
	Withdrawals *withdrawal.Service
	Reports     *report.Service
	Figures     *figures.Service
}

type visit struct {
	*portal.Visit
	Services
	// reveal shows something new that is shown only once, such as a secret,
	// in the answer to the first sending of a form; nil if there is nothing
	// to reveal.
	reveal func() error
}

type route = portal.RouteOf[*visit]

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{Visit: v, Services: s} }, directoryRoutes)
