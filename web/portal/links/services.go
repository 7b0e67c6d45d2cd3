// Package links is a merchant's payment links: what is sold without a shop.
package links

import (
	"gateway.example/internal/auth"
	"gateway.example/internal/directory"
	"gateway.example/internal/paylink"
	"gateway.example/web/portal"
)

// Services are what these pages work with.
type Services struct {
	PayLinks *paylink.Service
	Settings *directory.Settings
	// Tokens make the addresses of links, and PayURL is where the hosted pages are.
	Tokens *auth.Links
	PayURL string
}

// visit is a visit to these pages.
type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

// Routes are the addresses of these pages.
func Routes(s Services) []portal.Route {
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s} }, linkRoutes)
}
