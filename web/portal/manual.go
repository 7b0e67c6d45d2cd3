package portal

import (
	"bytes"
	"net/http"
	"strings"
	"sync"

	"gateway.example/docs"
	"gateway.example/internal/caller"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

const manualPath = "/operator/manual"

// manualRoutes show the operators' manual, which alarms lead to: whoever is called at night need not
// look for it.
var manualRoutes = []route{
	{pattern: "GET " + manualPath, kinds: operators, needs: caller.OperatorRead, handle: (*visit).manual},
}

func (v *visit) manual() error {
	html, err := manualHTML()
	if err != nil {
		return err
	}
	v.shell.Title = v.shell.Say(say.ManualTitle)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.ManualPage(s, html) })
	return nil
}

// manualHTML is the manual as a page has it, without its title, which the page has already, and without
// links to files that the program does not show.
var manualHTML = sync.OnceValues(func() (string, error) {
	_, text, _ := bytes.Cut(docs.Operate, []byte("\n"))
	return site.Markdown(text, func(to string) string {
		if strings.HasPrefix(to, "#") || strings.HasPrefix(to, "https://") {
			return to
		}
		return ""
	})
})
