package trust

import (
	"bytes"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"

	"gateway.example/web/portal"

	"gateway.example/docs"
	"gateway.example/internal/caller"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// manualRoutes show the operators' manual, which alarms lead to: whoever is called at night need not
// look for it.
var manualRoutes = []route{
	{Pattern: "GET " + portal.ManualPath, Kinds: portal.Operators, Needs: caller.OperatorRead, Handle: (*visit).manual},
}

func (v *visit) manual() error {
	html, err := manualHTML()
	if err != nil {
		return err
	}
	v.Shell.Title = v.Shell.Say(say.ManualTitle)
	v.Show(http.StatusOK, func(s view.Shell) site.Page { return ManualPage(s, html) })
	return nil
}

// manualHTML is the manual as one page, so that it can be searched and printed as a whole. The index's
// title is left out, since the page has one; the titles of the others stand below it.
var manualHTML = sync.OnceValues(func() (string, error) {
	var whole strings.Builder
	pages := docs.Operate()
	sections := map[string]string{}
	for _, page := range pages {
		sections[page.Path] = "page-" + strings.TrimSuffix(path.Base(page.Path), ".md")
	}
	for i, page := range pages {
		text, deeper := page.Text, 1
		if i == 0 {
			_, text, _ = bytes.Cut(text, []byte("\n"))
			deeper = 0
		}
		html, err := site.Markdown(text, deeper, func(to string) string { return manualLink(sections, page.Path, to) })
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&whole, "<section id=%q>\n%s</section>\n", sections[page.Path], html)
	}
	return whole.String(), nil
})

// manualLink leads from a page of the manual to another, or to another site. Files that the program does
// not show have no link.
func manualLink(sections map[string]string, from, to string) string {
	if strings.HasPrefix(to, "#") || strings.HasPrefix(to, "https://") {
		return to
	}
	file, part, inside := strings.Cut(to, "#")
	section := sections[path.Join(path.Dir(from), file)]
	switch {
	case section == "":
		return ""
	case inside:
		return "#" + part
	}
	return "#" + section
}
