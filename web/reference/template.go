package reference

import (
	"embed"
	"fmt"
	"strings"
	syntax "text/template/parse"
)

//go:embed sample/*.tmpl
var sampleFiles embed.FS

// sampleValues are the texts and conditions of a template.
type sampleValues map[string]any

// sampleTemplates are parsed by the standard library, but executed here. The
// library's execution can call every method by name, so the linker would have
// to keep all exported methods of the program, a tenth of its size.
var sampleTemplates = func() map[string]*syntax.Tree {
	all := map[string]*syntax.Tree{}
	known := map[string]any{"or": true, "and": true, "not": true, "quoted": true, "literal": true}
	for _, language := range languages {
		text, err := sampleFiles.ReadFile("sample/" + language.file + ".tmpl")
		if err != nil {
			panic(err) // a file of ours, as are the templates below
		}
		trees, err := syntax.Parse(language.file, string(text), "", "", known)
		if err != nil {
			panic(err)
		}
		all[language.file] = trees[language.file]
	}
	return all
}()

// execute writes a template: texts, conditions, and actions that show a value.
func (v sampleValues) execute(out *strings.Builder, list *syntax.ListNode) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *syntax.TextNode:
			out.Write(node.Text)
		case *syntax.ActionNode:
			fmt.Fprint(out, v.pipe(node.Pipe))
		case *syntax.IfNode:
			if isTrue(v.pipe(node.Pipe)) {
				v.execute(out, node.List)
			} else {
				v.execute(out, node.ElseList)
			}
		default:
			panic(fmt.Sprintf("a sample has %s, which is not known here", node))
		}
	}
}

// pipe evaluates a pipeline: a value or a function's result.
func (v sampleValues) pipe(pipe *syntax.PipeNode) any {
	words := pipe.Cmds[0].Args
	function, ok := words[0].(*syntax.IdentifierNode)
	if !ok {
		return v.operand(words[0])
	}
	first := v.operand(words[1])
	switch function.Ident {
	case "not":
		return !isTrue(first)
	case "and":
		return isTrue(first) && isTrue(v.operand(words[2]))
	case "or":
		return isTrue(first) || isTrue(v.operand(words[2]))
	case "quoted":
		return quoted(fmt.Sprint(first))
	}
	return literal(fmt.Sprint(first))
}

// operand evaluates a field or an expression in parentheses.
func (v sampleValues) operand(node syntax.Node) any {
	if inner, ok := node.(*syntax.PipeNode); ok {
		return v.pipe(inner)
	}
	value, known := v[strings.TrimPrefix(node.String(), ".")]
	if !known {
		panic(fmt.Sprintf("a sample has %s, which is not known here", node))
	}
	return value
}

func isTrue(value any) bool { return value != false && value != "" }
