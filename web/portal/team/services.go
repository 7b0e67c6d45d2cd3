// Package team is where an owner looks after the users of their merchant.
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

func Routes(s Services) []portal.Route {
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s} },
		teamRoutes)
}
