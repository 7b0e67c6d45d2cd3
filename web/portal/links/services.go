// Package links shows merchants their payment links, by which they sell without
// a shop.
package links

import (
	"gateway.example/internal/auth"
	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/paylink"
	"gateway.example/internal/report"
	"gateway.example/web/portal"
)

type Services struct {
	PayLinks *paylink.Service
	Settings *directory.Settings
	Reports  *report.Service
	// Tokens make the addresses of links, and PayURL is the address of the
	// hosted pages.
	Tokens *auth.Links
	PayURL string
}

type visit struct {
	*portal.Visit
	Services
	// uploads limits the pictures that are being sent, by merchant.
	uploads *edge.Files
}

type route = portal.RouteOf[*visit]

func Routes(s Services) []portal.Route {
	uploads := edge.NewFiles(merchantPictures)
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s, uploads: uploads} }, linkRoutes)
}
