package words

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"gateway.example/internal/testenv"
)

// Keys are the keys that key.go declares.
func Keys(t *testing.T) []Key {
	t.Helper()
	file := testenv.Must(parser.ParseFile(token.NewFileSet(), "key.go", nil, 0))(t)
	var keys []Key
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || fmt.Sprint(spec.Type) != "Key" {
			return true
		}
		keys = append(keys, Key(testenv.Must(strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value))(t)))
		return true
	})
	return keys
}

// Raw is a language's own phrase, with its places unfilled; a plural's forms
// are all in it.
func Raw(code string, key Key) (string, bool) {
	phrase, there := all[code][key]
	return fmt.Sprint(phrase), there
}

// Size is how many phrases a language has.
func Size(code string) int { return len(all[code]) }
