// Package arrivals shows a trader the money that belongs to no payment.
package arrivals

import (
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/web/portal"
)

type Services struct {
	Payments *payment.Service
	Settings *directory.Settings
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} }, arrivalRoutes)
