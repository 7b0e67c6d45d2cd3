// Package deposits shows merchants their deposits and the balances of their
// cashboxes.
package deposits

import (
	"gateway.example/internal/deposit"
	"gateway.example/web/portal"
)

type Services struct {
	Deposits *deposit.Service
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} }, depositRoutes)
