// Package desk shows a trader's desk: what waits for them now, and what they
// can do about it.
package desk

import (
	"gateway.example/internal/bankmessage"
	"gateway.example/internal/checkout"
	"gateway.example/internal/directory"
	"gateway.example/internal/figures"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/session"
	"gateway.example/web/portal"
)

type Services struct {
	Sessions  *session.Service
	Payments  *payment.Service
	Checkouts *checkout.Service
	Payouts   *payout.Service
	Settings  *directory.Settings
	Figures   *figures.Service
	// Messages reads the messages of the trader's banks.
	Messages *bankmessage.Service
	// Stopping is closed when the program is about to end, so that live
	// pages end.
	Stopping <-chan struct{}
}

type visit struct {
	*portal.Visit
	Services
	live *live
}

type route = portal.RouteOf[*visit]

func Routes(s Services) []portal.Route {
	live := newLive(s)
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s, live: live} },
		deskRoutes, earningsRoutes)
}
