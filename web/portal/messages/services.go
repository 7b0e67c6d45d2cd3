// Package messages shows what banks write to traders' phones: to a trader what
// waits for them, their phones, and what messages do for each requisite; to
// operators the messages that no pattern matches.
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
