// Package statement is the statement of an account, and the list of all accounts.
package statement

import (
	"gateway.example/internal/books"
	"gateway.example/web/portal"
)

// Services are what statements are read with.
type Services struct {
	Books       *books.Service
	BookExports *books.Service
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
		ledgerRoutes, statementRoutes)
}
