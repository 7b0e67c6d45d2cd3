// Package deposits is a merchant's deposits, and what its cashboxes hold.
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

func Routes(s Services) []portal.Route {
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s} },
		depositRoutes)
}
