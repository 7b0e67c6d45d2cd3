package site

import (
	"bytes"
	"fmt"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensions "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	source "github.com/yuin/goldmark/text"
)

// Markdown renders a text of the documentation for a page. Its headings get
// the names in order or, if none are given, the ids by which links know them,
// and become deeper by the given number of levels. A link leads where the
// function link says; if that returns "", only its words stay. Tables may be
// wider than a phone, and can be scrolled with the keyboard, too.
func Markdown(content []byte, deeper int, link func(to string) string, names ...string) (string, error) {
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	root := markdown.Parser().Parse(source.NewReader(content))
	fit(root, deeper, link, names)
	var page bytes.Buffer
	if err := markdown.Renderer().Render(&page, content, root); err != nil {
		return "", fmt.Errorf("render a text: %w", err)
	}
	return page.String(), nil
}

// fit changes a text as Markdown says. It takes links out only after the walk,
// because the walk continues from each node.
func fit(root ast.Node, deeper int, link func(to string) string, names []string) {
	var out []ast.Node
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := node.(type) {
		case *ast.Heading:
			if !entering {
				break
			}
			n.Level += deeper
			if len(names) > 0 {
				n.SetAttributeString("id", []byte(names[0]))
				names = names[1:]
			}
		case *ast.Link:
			if !entering {
				break
			}
			to := link(string(n.Destination))
			n.Destination = []byte(to)
			if to == "" {
				out = append(out, n)
			}
		case *extensions.Table:
			n.SetAttributeString("tabindex", []byte("0"))
		}
		return ast.WalkContinue, nil
	})
	for _, node := range out {
		for child := node.FirstChild(); child != nil; child = node.FirstChild() {
			node.Parent().InsertBefore(node.Parent(), node, child)
		}
		node.Parent().RemoveChild(node.Parent(), node)
	}
}
