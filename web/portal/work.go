package portal

import (
	"net/http"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// What operators begin with: what waits for them.
var workRoutes = []route{
	{pattern: "GET /operator", kinds: operators, needs: caller.OperatorRead, handle: (*visit).work},
}

var workEntries = []entry{
	{needs: caller.OperatorRead, href: "/operator", label: say.WorkTitle, group: say.WorkGroup},
}

func (v *visit) work() error {
	v.shell.Title = v.shell.Say(say.WorkTitle)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.WorkPage(s) })
	return nil
}
