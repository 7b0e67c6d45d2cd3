// Command templates generates the Go code of the templates below a directory,
// as templ's own command does, which takes ten times as long to compile, and
// has the compiler leave their functions where they are.
//
//	templates DIRECTORY
//
// A template's function only returns a closure, so it would be inlined wherever
// it is called, and the closure, which has the whole page in it, compiled once
// more each time: more than half of what the templates took to compile.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/a-h/templ"
	"github.com/a-h/templ/generator"
	"github.com/a-h/templ/parser/v2"
)

// function is where a template's function begins, after the last line of its
// comment if it has one.
var function = regexp.MustCompile(`(?m)^(//.*\n)?(func .*\) templ\.Component \{)$`)

// main generates the code of every template, and removes code whose template is
// gone. The first failure ends it; what was generated until then stays.
func main() {
	dir := os.Args[1]
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if template, generated := strings.CutSuffix(path, "_templ.go"); generated {
			if _, err := os.Stat(template + ".templ"); errors.Is(err, fs.ErrNotExist) {
				return os.Remove(path) // its template is gone
			}
		}
		if !strings.HasSuffix(path, ".templ") {
			return nil
		}
		name, _ := filepath.Rel(dir, path)
		return generate(path, filepath.ToSlash(name))
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "templates:", err)
		os.Exit(1)
	}
}

// generate writes the code of a template, whose errors at run time name it as
// given.
func generate(path, name string) error {
	parsed, err := parser.Parse(path)
	if err != nil {
		return fmt.Errorf("parse %s: %w", path, err)
	}
	var code bytes.Buffer
	if _, err := generator.Generate(parsed, &code, generator.WithVersion(templ.Version()), generator.WithFileName(name)); err != nil {
		return fmt.Errorf("generate the code of %s: %w", path, err)
	}
	formatted, err := format.Source(code.Bytes())
	if err != nil {
		return fmt.Errorf("format the code of %s: %w", path, err)
	}
	return os.WriteFile(strings.TrimSuffix(path, ".templ")+"_templ.go", stay(formatted), 0o600)
}

// stay marks functions of templates as not to be inlined.
func stay(code []byte) []byte {
	return function.ReplaceAllFunc(code, func(found []byte) []byte {
		comment, rest, commented := strings.Cut(string(found), "\nfunc ")
		if !commented {
			return append([]byte("//go:noinline\n"), found...)
		}
		return []byte(comment + "\n//\n//go:noinline\nfunc " + rest)
	})
}
