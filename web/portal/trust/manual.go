package trust

import (
	"bytes"
	"net/http"
	"path"
	"strings"
	"sync"

	"gateway.example/web/portal"

	"gateway.example/docs"
	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// manualRoutes show the operators' manual, to which alarms link, so that nobody
// has to search for it at night.
var manualRoutes = []route{
	{Pattern: "GET " + portal.ManualPath, Needs: caller.OperatorRead, Handle: (*visit).manual},
	{Pattern: "GET " + portal.ManualPath + "/{page}", Needs: caller.OperatorRead, Handle: (*visit).manual},
}

// chapter is a page of the manual, as HTML.
type chapter struct{ title, html string }

// manual shows the page of the manual in the address, or else its index.
func (v *visit) manual() error {
	chapters, err := manuals[v.Shell.Code]()
	if err != nil {
		return err
	}
	name := v.R.PathValue("page")
	shown, known := chapters[name]
	if !known {
		return fault.ErrNotFound
	}
	v.Shell.Title = shown.title
	if name == "" {
		v.Shell.Title = v.Say(say.ManualTitle)
	}
	v.Show(http.StatusOK, func(s view.Shell) site.Page { return ManualPage(s, shown.html, name == "") })
	return nil
}

// manuals are the pages of the manual by their names, in each language of the
// portal.
var manuals = map[string]func() (map[string]chapter, error){
	say.English: sync.OnceValues(func() (map[string]chapter, error) { return chapters(docs.Operate(say.English)) }),
	say.Russian: sync.OnceValues(func() (map[string]chapter, error) { return chapters(docs.Operate(say.Russian)) }),
}

// chapters converts pages of the manual. Their titles are left out of the HTML,
// because the portal's pages show them.
func chapters(pages []docs.Page) (map[string]chapter, error) {
	shown, parts := map[string]chapter{}, map[string]string{}
	for _, page := range pages {
		parts[page.Path] = portal.ManualPart(page.Name, "")
		for i, anchor := range page.Anchors() {
			parts[page.Path+"#"+anchor] = portal.ManualPart(page.Name, page.Names[i])
			if i == 0 {
				parts[page.Path+"#"+anchor] = parts[page.Path]
			}
		}
	}
	for _, page := range pages {
		title, text, _ := bytes.Cut(page.Text, []byte("\n"))
		html, err := site.Markdown(text, 0, func(to string) string { return manualLink(parts, page.Path, to) }, page.Names[1:]...)
		if err != nil {
			return nil, err
		}
		shown[page.Name] = chapter{strings.TrimPrefix(string(title), "# "), html}
	}
	return shown, nil
}

// manualLink converts a link in the manual to an address in the portal, or of
// another site. For a file that the program does not show there is no link.
func manualLink(parts map[string]string, from, to string) string {
	if strings.HasPrefix(to, "https://") {
		return to
	}
	file, part, named := strings.Cut(to, "#")
	if file == "" {
		file = from
	} else {
		file = path.Join(path.Dir(from), file)
	}
	if named {
		file += "#" + part
	}
	return parts[file]
}
