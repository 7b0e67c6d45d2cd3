// Package account shows the pages for signing in and out, for second factors,
// and for the user's own account.
package account

import (
	"gateway.example/internal/session"
	"gateway.example/web/portal"
)

type Services struct {
	// Sandbox says that this is a sandbox, which has a first page of its
	// own.
	Sandbox  bool
	Sessions *session.Service
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

func Routes(s Services) []portal.Route {
	first := startRoutes
	if s.Sandbox {
		first = nil
	}
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s} },
		first, accountRoutes, consentRoutes, signRoutes, viewAsRoutes)
}
