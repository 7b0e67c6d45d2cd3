// Package rates is what a USDT costs, and from where that is known.
package rates

import (
	"gateway.example/internal/rate"
	"gateway.example/web/portal"
)

type Services struct {
	Rates *rate.Settings
	// Sums explain how payments are calculated.
	Sums *rate.Explainer
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

func Routes(s Services) []portal.Route {
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s} },
		rateRoutes)
}
