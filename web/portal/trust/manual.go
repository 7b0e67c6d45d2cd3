package trust

import (
	"bytes"
	"fmt"
	"net/http"
	"path"
	"slices"
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
	html, err := manuals[v.Shell.Code]()
	if err != nil {
		return err
	}
	v.Shell.Title = v.Shell.Say(say.ManualTitle)
	v.Show(http.StatusOK, func(s view.Shell) site.Page { return ManualPage(s, html) })
	return nil
}

// manuals are the manual in each language of the portal.
var manuals = map[string]func() (string, error){
	say.English: sync.OnceValues(func() (string, error) { return manualHTML(docs.Operate(say.English)) }),
	say.Russian: sync.OnceValues(func() (string, error) { return manualHTML(docs.Operate(say.Russian)) }),
}

// manualHTML is the manual as one page, so that it can be searched and printed as a whole. The index's
// title is left out, since the page has one; the titles of the others stand below it.
func manualHTML(pages []docs.Page) (string, error) {
	var whole strings.Builder
	parts := map[string]string{}
	// The calls are for those who write programs, and would be a third of the page; more servers, for those who plan them.
	pages = slices.DeleteFunc(pages, func(page docs.Page) bool {
		return slices.Contains([]string{"calls.md", "scale.md"}, path.Base(page.Path))
	})
	for _, page := range pages {
		parts[page.Path] = "page-" + strings.TrimSuffix(path.Base(page.Path), ".md")
		for i, anchor := range page.Anchors() {
			parts[page.Path+"#"+anchor] = page.Names[i]
		}
	}
	for i, page := range pages {
		text, names, deeper := page.Text, page.Names, 1
		if i == 0 {
			_, text, _ = bytes.Cut(text, []byte("\n"))
			names, deeper = names[1:], 0
		}
		link := func(to string) string { return manualLink(parts, page.Path, to) }
		html, err := site.Markdown(text, deeper, link, names...)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&whole, "<section id=%q>\n%s</section>\n", parts[page.Path], html)
	}
	return whole.String(), nil
}

// manualLink leads from a page of the manual to a part of it, or to another site. Files that the program
// does not show have no link.
func manualLink(parts map[string]string, from, to string) string {
	if strings.HasPrefix(to, "https://") {
		return to
	}
	if !strings.HasPrefix(to, "#") {
		from, to, _ = strings.Cut(path.Join(path.Dir(from), to), "#")
		if to != "" {
			to = "#" + to
		}
	}
	if part := parts[from+to]; part != "" {
		return "#" + part
	}
	return ""
}
