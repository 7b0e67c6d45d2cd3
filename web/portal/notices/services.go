// Package notices shows users which notifications they get by Telegram, mail
// and push, and makes the desk an app on a phone.
package notices

import (
	"gateway.example/internal/notify"
	"gateway.example/web/portal"
)

type Services struct{ Notices *notify.Service }

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} }, noticeRoutes, appRoutes)
