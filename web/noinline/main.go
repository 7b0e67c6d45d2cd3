// Command noinline has the compiler leave the functions that templ has written where they are.
//
// A template's function only returns a closure, so it would be inlined wherever it is called, and the
// closure, which has the whole page in it, compiled once more each time: more than half of what the
// templates took to compile.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// function is where a template's function begins, after the last line of its comment if it has one.
var function = regexp.MustCompile(`(?m)^(//.*\n)?(func .*\) templ\.Component \{)$`)

func main() {
	if err := mark("."); err != nil {
		fmt.Fprintln(os.Stderr, "noinline:", err)
		os.Exit(1)
	}
}

func mark(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return fs.WalkDir(root.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_templ.go") {
			return err
		}
		text, err := root.ReadFile(path)
		if err != nil {
			return err
		}
		marked := function.ReplaceAllStringFunc(string(text), func(found string) string {
			comment, rest, commented := strings.Cut(found, "\nfunc ")
			if !commented {
				return "//go:noinline\n" + found
			}
			return comment + "\n//\n//go:noinline\nfunc " + rest
		})
		return root.WriteFile(path, []byte(marked), 0o600)
	})
}
