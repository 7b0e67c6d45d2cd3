// Package deposits is a merchant's deposits, and what its cashboxes hold.
package deposits

import (
	"gateway.example/internal/deposit"
	"gateway.example/web/portal"
)

// Services are what these pages work with.
type Services struct {
	Deposits *deposit.Service
}

// visit is a visit to these pages.
type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

// Routes are the addresses of these pages.
func Routes(s Services) []portal.Route {
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s} },
		depositRoutes)
}
