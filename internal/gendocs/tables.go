package main

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/setting"
)

var (
	sqlComment = regexp.MustCompile(`--.*`)
	sqlShape   = regexp.MustCompile(`(?i)\b(?:create|alter) table (?:if (?:not )?exists )?(\w+)( partition of)?`)
	sqlLock    = regexp.MustCompile(`(?i)(for (no key )?|do )update`)
	sqlWrite   = regexp.MustCompile(`(?i)\b(?:insert into|update|delete from) (\w+)`)
	sqlQuery   = regexp.MustCompile(`(?m)^-- name: (\w+) :\w+$`)
)

// tableTable lists the tables of the database: the migrations that say what
// each has, and the packages that write it.
func tableTable(src source) (string, error) {
	shaped, err := migrationsOf(root)
	if err != nil {
		return "", err
	}
	writes, err := tablesWritten(root)
	if err != nil {
		return "", err
	}
	writers := writersOf(src, writes)
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(shaped)) {
		rows = append(rows, []string{code(name), strings.Join(shaped[name], ", "),
			strings.Join(slices.Sorted(maps.Keys(writers[name])), ", ")})
	}
	return table([]string{"table", "migrations", "written by"}, rows), nil
}

// writersOf finds the packages that write each table, by the methods of queries
// that write it.
func writersOf(src source, writes map[string][]string) map[string]map[string]bool {
	writers := map[string]map[string]bool{}
	add := func(written []string, dir string) {
		for _, name := range written {
			if writers[name] == nil {
				writers[name] = map[string]bool{}
			}
			writers[name][code(strings.TrimPrefix(dir, "internal/"))] = true
		}
	}
	src.inspect(func(file string, node ast.Node) {
		dir := path.Dir(file)
		if strings.HasSuffix(file, ".sql.go") || strings.HasSuffix(dir, "test") && dir != "internal/attest" { // generated, or for tests
			return
		}
		switch node := node.(type) {
		case *ast.SelectorExpr:
			if of, ok := node.X.(*ast.Ident); !ok || !imported(src[file], of.Name) {
				add(writes[node.Sel.Name], dir)
			}
		case *ast.BasicLit:
			text, _ := literal(node)
			add(written(text), dir)
		}
	})
	for _, subject := range setting.Subjects { // these are written by db.Set and db.Put, whose statements are made of the declarations
		if subject.Needs == caller.OperatorDirectory {
			add([]string{subject.Name}, "internal/directory")
		}
	}
	return writers
}

// migrationsOf are the tables, and links to the migrations that make or change
// each. Partitions are no tables of their own.
func migrationsOf(root string) (map[string][]string, error) {
	shaped := map[string][]string{}
	err := eachFile(root, "schema", func(name, text string) {
		up, _, _ := strings.Cut(text, "-- +goose Down")
		number, _, _ := strings.Cut(name, "_")
		link := fmt.Sprintf("[%s](../../schema/%s)", number, name)
		for _, found := range sqlShape.FindAllStringSubmatch(sqlComment.ReplaceAllString(up, ""), -1) {
			if found[2] == "" && !slices.Contains(shaped[found[1]], link) {
				shaped[found[1]] = append(shaped[found[1]], link)
			}
		}
	})
	return shaped, err
}

// tablesWritten are the tables that each query writes.
func tablesWritten(root string) (map[string][]string, error) {
	writes := map[string][]string{}
	err := eachFile(root, "queries", func(_, text string) {
		names := sqlQuery.FindAllStringSubmatch(text, -1)
		for i, query := range sqlQuery.Split(text, -1)[1:] {
			writes[names[i][1]] = written(query)
		}
	})
	return writes, err
}

// written are the tables that a text of SQL writes.
func written(sql string) []string {
	var tables []string
	for _, found := range sqlWrite.FindAllStringSubmatch(sqlLock.ReplaceAllString(sqlComment.ReplaceAllString(sql, ""), ""), -1) {
		tables = append(tables, found[1])
	}
	return tables
}

// eachFile reads the files of SQL of a directory.
func eachFile(root, dir string, visit func(name, text string)) error {
	paths, err := filepath.Glob(filepath.Join(root, dir, "*.sql"))
	if err != nil {
		return err
	}
	for _, at := range paths {
		text, err := os.ReadFile(at)
		if err != nil {
			return fmt.Errorf("read SQL: %w", err)
		}
		visit(filepath.Base(at), string(text))
	}
	return nil
}

// imported tells whether a name is that of a package in a file.
func imported(file *ast.File, name string) bool {
	return slices.ContainsFunc(file.Imports, func(one *ast.ImportSpec) bool {
		if one.Name != nil {
			return one.Name.Name == name
		}
		text, _ := literal(one.Path)
		return path.Base(text) == name
	})
}
