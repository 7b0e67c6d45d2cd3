// Package team shows an owner the users of their merchant or trader.
package team

import (
	"gateway.example/internal/session"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
)

type Services struct {
	Sessions    *session.Service
	Submissions *submission.Service
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} }, teamRoutes)
