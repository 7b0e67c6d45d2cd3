// Package overview is what a merchant sees first.
package overview

import (
	"gateway.example/internal/figures"
	"gateway.example/web/portal"
)

type Services struct {
	Figures *figures.Service
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

func Routes(s Services) []portal.Route {
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s} },
		overviewRoutes)
}
