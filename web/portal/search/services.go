// Package search searches everything that the user may see and that has a name
// or a number.
package search

import (
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/report"
	"gateway.example/internal/session"
	"gateway.example/web/portal"
)

// Services are the services that are searched.
type Services struct {
	Sessions *session.Service
	Settings *directory.Settings
	Deposits *deposit.Service
	Payments *payment.Service
	Reports  *report.Service
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} }, searchRoutes)
