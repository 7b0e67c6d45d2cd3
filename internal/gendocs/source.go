package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// source is the program's source: every Go file but tests, generated code and
// the load generator, by its path within the repository.
type source map[string]*ast.File

// left are directories that tell nothing of the running program.
var left = map[string]bool{
	".git":         true,
	"node_modules": true,
	"gen":          true,
	"bench":        true,
	"gendocs":      true,
	"testdata":     true,
	"tools":        true,
}

// parse reads the Go files below a directory, by their paths with slashes.
// Tests and the directories in left are not among them.
func parse(root string) (source, error) {
	src, files := source{}, token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && left[entry.Name()]:
			return filepath.SkipDir
		case entry.IsDir(), !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		within, err := filepath.Rel(root, path)
		src[filepath.ToSlash(within)] = file
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the source: %w", err)
	}
	return src, nil
}

// inspect visits every node, file by file in the order of their paths.
func (s source) inspect(visit func(path string, node ast.Node)) {
	for _, path := range slices.Sorted(maps.Keys(s)) {
		ast.Inspect(s[path], func(node ast.Node) bool {
			if node != nil {
				visit(path, node)
			}
			return true
		})
	}
}

// constants are the constants of a directory with a literal value: texts
// unquoted, numbers as written.
func (s source) constants(dir string) map[string]string {
	found := map[string]string{}
	s.inspect(func(path string, node ast.Node) {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || filepath.ToSlash(filepath.Dir(path)) != dir {
			return
		}
		for i, value := range spec.Values {
			if text, ok := literal(value); ok {
				found[spec.Names[i].Name] = text
			}
		}
	})
	return found
}

// literal is the value of a literal.
func literal(e ast.Expr) (string, bool) {
	basic, ok := e.(*ast.BasicLit)
	if !ok {
		return "", false
	}
	if basic.Kind != token.STRING {
		return basic.Value, true
	}
	text, err := strconv.Unquote(basic.Value)
	return text, err == nil
}

// texts are the literals among expressions, in their order.
func texts(list []ast.Expr) []string {
	var found []string
	for _, e := range list {
		if text, ok := literal(e); ok {
			found = append(found, text)
		}
	}
	return found
}

// fields are the values of a composite literal by the names of its fields.
func fields(c *ast.CompositeLit) map[string]ast.Expr {
	found := map[string]ast.Expr{}
	for _, element := range c.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if name, ok := pair.Key.(*ast.Ident); ok {
				found[name.Name] = pair.Value
			}
		}
	}
	return found
}

// name is the last part of an identifier: Refused for fault.Refused.
func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// belongs tells whether an identifier is of a package: written with its name,
// or bare in one of the package's own files.
func belongs(path string, e ast.Expr, pkg string) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return filepath.Base(filepath.Dir(path)) == pkg
	case *ast.SelectorExpr:
		of, ok := e.X.(*ast.Ident)
		return ok && of.Name == pkg
	}
	return false
}
