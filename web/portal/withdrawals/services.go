// Package withdrawals shows withdrawals and address books to merchants and
// traders, and to operators what they decide about withdrawals.
package withdrawals

import (
	"slices"

	"gateway.example/internal/books"
	"gateway.example/internal/deposit"
	"gateway.example/internal/report"
	"gateway.example/internal/withdrawal"
	"gateway.example/web/portal"
)

type Services struct {
	Withdrawals *withdrawal.Service
	Deposits    *deposit.Service
	Reports     *report.Service
	Books       *books.Service
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

func Routes(s Services) []portal.Route {
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s} },
		slices.Concat(ownRoutes("/merchant"), ownRoutes("/trader"), operatorRoutes))
}
