package portal

import (
	"bytes"
	"net/http"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensions "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	source "github.com/yuin/goldmark/text"

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

// manualHTML is the manual as a page has it. Its parts have the names that links know them by.
var manualHTML = sync.OnceValues(func() (string, error) {
	markdown := goldmark.New(
		goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	)
	root := markdown.Parser().Parse(source.NewReader(docs.Operate))
	fitToPage(root)
	var page bytes.Buffer
	err := markdown.Renderer().Render(&page, docs.Operate, root)
	return page.String(), err
})

// fitToPage takes out the title, which the page has already, and links to files that the program does
// not show. Tables and listings, which may be wider than a phone, can be scrolled with keys, too.
func fitToPage(root ast.Node) {
	out := []ast.Node{root.FirstChild()}
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := node.(type) {
		case *ast.Link:
			to := string(n.Destination)
			if entering && !strings.HasPrefix(to, "#") && !strings.HasPrefix(to, "https://") {
				out = append(out, n)
			}
		case *extensions.Table:
			n.SetAttributeString("tabindex", []byte("0"))
		}
		return ast.WalkContinue, nil
	})
	for _, node := range out {
		for child := node.FirstChild(); child != nil && node.Kind() == ast.KindLink; child = node.FirstChild() {
			node.Parent().InsertBefore(node.Parent(), node, child)
		}
		node.Parent().RemoveChild(node.Parent(), node)
	}
}
