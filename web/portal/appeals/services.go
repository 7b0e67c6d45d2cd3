// Package appeals shows merchants their appeals of failed payments, and carries
// the conversation of operators and traders about them.
package appeals

import (
	"gateway.example/internal/clock"
	"gateway.example/internal/edge"
	"gateway.example/internal/payment"
	"gateway.example/web/portal"
)

type Services struct {
	Payments *payment.Service
	Clock    clock.Clock
}

type visit struct {
	*portal.Visit
	Services
	// uploads limits the files that are being sent, by merchant.
	uploads *edge.Files
}

type route = portal.RouteOf[*visit]

func Routes(s Services) []portal.Route {
	uploads := edge.NewFiles(merchantFiles)
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s, uploads: uploads} },
		appealRoutes, threadRoutes)
}
