// Package messages is what the banks of traders' phones write: what waits for
// the trader, their phones, and what messages do for each requisite; and for
// operators what no pattern knows.
package messages

import (
	"gateway.example/internal/bankmessage"
	"gateway.example/internal/directory"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
)

type Services struct {
	Messages *bankmessage.Service
	Settings *directory.Settings
	// Submissions let a form act only once.
	Submissions *submission.Service
	// Address is the address to which phones send messages.
	Address string
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} },
	messageRoutes, phoneRoutes, ruleRoutes, operatorRoutes)
