// Package routing shows which trader would get a payment, and why one got it.
package routing

import (
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/routing"
	"gateway.example/web/portal"
)

type Services struct {
	Payments *payment.Service
	Settings *directory.Settings
	// Refusals are the payments that found no requisite.
	Refusals *routing.Refusals
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} }, routingRoutes)
