// Package payers is what is known of payers across payments, and who of them is
// kept out.
package payers

import (
	"gateway.example/internal/directory"
	"gateway.example/internal/report"
	"gateway.example/web/portal"
)

type Services struct {
	Settings *directory.Settings
	Reports  *report.Service
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} },
	blockRoutes, payerRoutes, patternRoutes)
