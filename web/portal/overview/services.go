// Package overview is what a merchant sees first.
package overview

import (
	"gateway.example/internal/figures"
	"gateway.example/web/portal"
)

// Services are what the overview is made of.
type Services struct {
	Figures *figures.Service
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
		overviewRoutes)
}
