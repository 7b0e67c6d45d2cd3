// Package money shows operators what they move by hand, what waits for a second
// operator, and the platform's income.
package money

import (
	"gateway.example/internal/books"
	"gateway.example/internal/directory"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/web/portal"
)

type Services struct {
	Settings    *directory.Settings
	Rates       *rate.Settings
	Proposals   *proposal.Service
	Books       *books.Service
	BookExports *books.Service
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} },
	approvalRoutes, incomeRoutes, moneyRoutes)
