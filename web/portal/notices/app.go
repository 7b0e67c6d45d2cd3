package notices

import (
	"net/http"

	"gateway.example/web/portal/view"
	"gateway.example/web/site"
	"gateway.example/web/static"
)

// appRoutes are the files by which a browser puts the desk on a home screen.
// They contain nothing about anybody.
var appRoutes = []route{
	{Pattern: "GET /app.webmanifest", Open: true, Handle: file("application/manifest+json", "app.webmanifest")},
	{Pattern: "GET /worker.js", Open: true, Handle: file("text/javascript; charset=utf-8", "worker.js")},
	{Pattern: "GET /app-192.png", Open: true, Handle: file("image/png", "app-192.png")},
	{Pattern: "GET /app-512.png", Open: true, Handle: file("image/png", "app-512.png")},
	{Pattern: "GET /offline", Open: true, Handle: (*visit).offline},
}

func file(kind, name string) func(*visit) error {
	return func(v *visit) error {
		v.W.Header().Set("Content-Type", kind)
		site.Send(v.W, v.R, http.StatusOK, static.Read(name))
		return nil
	}
}

func (v *visit) offline() error {
	v.Shell.Title = v.Say(sayOffline)
	v.Show(http.StatusOK, func(s view.Shell) site.Page { return OfflinePage(s) })
	return nil
}
