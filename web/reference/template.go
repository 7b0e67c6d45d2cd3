package reference

import (
	"embed"
	"fmt"
	"strings"
	syntax "text/template/parse"
)

//go:embed sample/*.tmpl
var sampleFiles embed.FS

// sampleValues are what a template shows: texts, and what is true or false.
type sampleValues map[string]any

// sampleTemplates are parsed by the standard library, and executed here. The
// library's own execution can call every method by its name, so the linker
// would have to keep each exported method of the whole program: a tenth of its
// size.
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

// pipe is a value, or that of a function.
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

// operand is a field of the values, or what stands in parentheses.
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
