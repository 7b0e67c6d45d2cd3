package search

import (
	"html"
	"regexp"
	"sync"

	"gateway.example/docs"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// pages finds pages of the navigation by their names in the reader's language,
// in English or in Russian.
func (v *visit) pages(text string) (Group, error) {
	group := Group{Label: sayPages}
	for _, item := range v.Shell.Nav {
		if holds(v.Say(item.Label), text) || holds(item.Label.In(say.English), text) || holds(item.Label.In(say.Russian), text) {
			group.Rows = append(group.Rows, Row{
				Text: v.Say(item.Label), Note: v.Say(item.Group), Href: view.Link(item.Href),
			})
		}
	}
	return group, nil
}

// heading is a heading in the operators' manual, and the title of its page.
type heading struct{ page, text, address string }

var (
	headingForm = regexp.MustCompile(`(?s)<h[1-6] id="([^"]+)"[^>]*>(.*?)</h[1-6]>`)
	element     = regexp.MustCompile(`<[^>]*>`)
)

// headings are the headings of the manual in each language of the portal. They
// are read once.
var headings = map[string]func() ([]heading, error){
	say.English: sync.OnceValues(func() ([]heading, error) { return readHeadings(docs.Operate(say.English)) }),
	say.Russian: sync.OnceValues(func() ([]heading, error) { return readHeadings(docs.Operate(say.Russian)) }),
}

// readHeadings finds the headings of the pages by rendering them as the manual
// does, so that links have the same names. The first heading of a page is its
// title.
func readHeadings(pages []docs.Page) ([]heading, error) {
	var list []heading
	for _, page := range pages {
		content, err := site.Markdown(page.Text, 1, func(to string) string { return to }, page.Names...)
		if err != nil {
			return nil, err
		}
		title := ""
		for _, found := range headingForm.FindAllStringSubmatch(content, -1) {
			text := html.UnescapeString(element.ReplaceAllString(found[2], ""))
			if title == "" {
				list, title = append(list, heading{"", text, portal.ManualPart(page.Name, "")}), text
				continue
			}
			list = append(list, heading{title, text, portal.ManualPart(page.Name, found[1])})
		}
	}
	return list, nil
}

// manual finds the parts of the operators' manual whose headings contain the
// text.
func (v *visit) manual(text string) (Group, error) {
	group := Group{Label: say.ManualTitle}
	list, err := headings[v.Shell.Code]()
	for _, one := range list {
		if holds(one.text, text) && len(group.Rows) < most {
			group.Rows = append(group.Rows, Row{
				Text: one.text, Note: one.page, Href: view.Link(one.address),
			})
		}
	}
	return group, err
}
