// Package rates shows what a USDT costs, and where that price comes from.
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

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} }, rateRoutes)
