// Package developers shows a merchant's developers their tools: keys, webhooks,
// events, requests and the look of hosted pages.
package developers

import (
	"gateway.example/internal/auth"
	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/internal/webhook"
	"gateway.example/web/portal"
)

type Services struct {
	Submissions *submission.Service
	Settings    *directory.Settings
	Looks       *directory.Looks
	Reports     *report.Service
	Keys        *auth.MerchantKeys
	Events      *webhook.Events
}

type visit struct {
	*portal.Visit
	Services
	// uploads limits the logos that are being sent, by merchant.
	uploads *edge.Files
}

type route = portal.RouteOf[*visit]

func Routes(s Services) []portal.Route {
	uploads := edge.NewFiles(merchantLogos)
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s, uploads: uploads} },
		caseEventRoutes, developerRoutes, doctorRoutes, requestRoutes, lookRoutes, logoRoutes)
}
