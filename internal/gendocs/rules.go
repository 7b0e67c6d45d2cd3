package main

import (
	"fmt"
	"go/ast"
	"strings"
)

// ruleMark begins the line of a comment that says which question the
// declaration below it answers.
const ruleMark = "//rule:"

// ruleTable lists the questions that are answered in one place each, file by
// file.
func ruleTable(src source) (string, error) {
	var rows [][]string
	answers := map[string]string{}
	var twice error
	add := func(path, name string, doc *ast.CommentGroup) {
		if doc == nil {
			return
		}
		for _, line := range doc.List {
			question, marked := strings.CutPrefix(line.Text, ruleMark)
			if !marked {
				continue
			}
			if answers[question] != "" {
				twice = fmt.Errorf("%q is answered by %s and by %s", question, answers[question], name)
			}
			answers[question] = name
			rows = append(rows, []string{question, fmt.Sprintf("`%s` in [%s](../../%s)", name, path, path)})
		}
	}
	src.inspect(func(path string, node ast.Node) {
		switch of := node.(type) {
		case *ast.FuncDecl:
			add(path, of.Name.Name, of.Doc)
		case *ast.GenDecl:
			switch spec := of.Specs[0].(type) {
			case *ast.ValueSpec:
				add(path, spec.Names[0].Name, of.Doc)
			case *ast.TypeSpec:
				add(path, spec.Name.Name, of.Doc)
			}
		}
	})
	return table([]string{"question", "answered by"}, rows), twice
}
