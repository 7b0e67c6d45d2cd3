// Package payoutfiles makes payouts from a merchant's file: first a preview,
// then all of its payouts or none.
package payoutfiles

import (
	"gateway.example/internal/edge"
	"gateway.example/internal/payout"
	"gateway.example/web/portal"
)

type Services struct {
	Payouts *payout.Service
}

type visit struct {
	*portal.Visit
	Services
	// uploads limits the files that are being sent, by merchant.
	uploads *edge.Files
}

// merchantFiles is how many files of one merchant are received at the same
// time.
const merchantFiles = 2

type route = portal.RouteOf[*visit]

func Routes(s Services) []portal.Route {
	uploads := edge.NewFiles(merchantFiles)
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s, uploads: uploads} }, fileRoutes)
}
