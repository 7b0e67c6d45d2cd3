// Package team is where an owner looks after the users of their merchant.
package team

import (
	"gateway.example/internal/session"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
)

// Services are what these pages work with.
type Services struct {
	Sessions    *session.Service
	Submissions *submission.Service
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
		teamRoutes)
}
