// Package sandbox shows the pages that only a sandbox has: one to try
// everything from, and the trader's simulator.
package sandbox

import (
	"gateway.example/internal/deposit"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/report"
	"gateway.example/internal/session"
	"gateway.example/internal/simulator"
	"gateway.example/internal/withdrawal"
	"gateway.example/web/portal"
)

type Services struct {
	Sessions *session.Service
	Payments *payment.Service
	Payouts  *payout.Service
	Reports  *report.Service
	// Deposits and Withdrawals are what the sandbox's wallet sends USDT
	// for.
	Deposits    *deposit.Service
	Withdrawals *withdrawal.Service
	// Page lets everybody sign in with a click and try payments.
	Page *Page `absent:"outside a sandbox"`
	// Simulator plays the traders.
	Simulator *simulator.Service `absent:"outside a sandbox"`
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

func Routes(s Services) []portal.Route {
	visited := func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s} }
	var routes []portal.Route
	if s.Page != nil {
		routes = portal.Bind(visited, sandboxRoutes, walletRoutes)
	}
	if s.Simulator != nil {
		routes = append(routes, portal.Bind(visited, simulatorRoutes)...)
	}
	return routes
}
