// Package bankstatement compares a bank's statement with the payments of a
// requisite, for its trader and for operators.
package bankstatement

import (
	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/report"
	"gateway.example/web/portal"
)

type Services struct {
	Settings *directory.Settings
	Reports  *report.Service
}

type visit struct {
	*portal.Visit
	Services
	// uploads limits the files that are being sent, by user.
	uploads *edge.Files
}

// filesAtOnce is how many statements are read at the same time for all users
// together, because a large one takes much memory.
const filesAtOnce = 4

type route = portal.RouteOf[*visit]

func Routes(s Services) []portal.Route {
	uploads := edge.NewFiles(filesAtOnce)
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s, uploads: uploads} },
		statementRoutes)
}
