// Package overview shows merchants their first page.
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

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} }, overviewRoutes)
