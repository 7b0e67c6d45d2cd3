// Package requisites shows a trader their requisites, and why one gets no
// payments.
package requisites

import (
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/proposal"
	"gateway.example/web/portal"
)

type Services struct {
	Payments  *payment.Service
	Settings  *directory.Settings
	Proposals *proposal.Service
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} }, requisiteRoutes)
