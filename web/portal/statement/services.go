// Package statement shows the statement of an account, and the list of all
// accounts.
package statement

import (
	"gateway.example/internal/books"
	"gateway.example/web/portal"
)

type Services struct {
	Books       *books.Service
	BookExports *books.Service
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} }, ledgerRoutes, statementRoutes)
