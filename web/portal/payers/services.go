// Package payers shows what is known of payers across payments, and which
// payers are blocked.
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
