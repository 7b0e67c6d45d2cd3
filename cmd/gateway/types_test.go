package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// Services answer with types of their own: a struct that embedded a row would
// show all its columns to whoever reads it. A page of a list is no row.
func TestNoExportedStructEmbedsARow(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	files, root := token.NewFileSet(), filepath.Join("..", "..")
	testenv.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, isType := n.(*ast.TypeSpec)
			if !isType || !spec.Name.IsExported() {
				return true
			}
			fields, isStruct := spec.Type.(*ast.StructType)
			if !isStruct {
				return true
			}
			for _, field := range fields.Fields.List {
				row := strings.TrimPrefix(types.ExprString(field.Type), "*")
				testenv.Check(t, len(field.Names) != 0 || !strings.HasPrefix(row, "db.") || row == "db.Page" || row == "db.Span",
					"%s: %s embeds %s", files.Position(spec.Pos()), spec.Name.Name, row)
			}
			return true
		})
		return nil
	}))
}
