// Command gallery takes a picture of every page, with data in it, on a phone
// and at a desk, in light and dark, and writes a page that shows them all
// beside each other.
//
//	go run ./internal/tools/gallery DIRECTORY
package main

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run has the tests of the pages take their pictures into the directory, and
// then makes the page of them all. It has to run in the repository's directory.
func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: go run ./internal/tools/gallery DIRECTORY")
	}
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	// The pages' own tests know how to fill a gateway and where its pages
	// are.
	test := exec.CommandContext(ctx, "go", "test", "-count=1", "-timeout=30m", "-run=Gallery", "./web/portals", "./web/pay")
	test.Env = append(os.Environ(), "GATEWAY_TEST_GALLERY="+dir)
	test.Stdout, test.Stderr = os.Stdout, os.Stderr
	if err := test.Run(); err != nil {
		return fmt.Errorf("take the pictures: %w", err)
	}
	return index(dir)
}

// page is all pictures of one page of one kind of user.
type page struct {
	Name     string
	Pictures []string
}

var all = template.Must(template.New("all").Parse(`<!doctype html>
<meta charset="utf-8"><title>Every page</title>
<style>body{font:14px sans-serif;margin:24px}div{display:flex;gap:12px;align-items:start;overflow-x:auto}img{height:480px;border:1px solid #999}</style>
{{range .}}<h2>{{.Name}}</h2><div>{{range .Pictures}}<a href="{{.}}"><img loading="lazy" src="{{.}}" alt="{{.}}"></a>{{end}}</div>
{{end}}`))

// index writes the page that shows the pictures, those of one page in a row.
func index(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.png"))
	if err != nil {
		return err
	}
	slices.Sort(files)
	var pages []page
	for _, file := range files {
		path, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		// A picture is called NAME-WIDTH-THEME-LANGUAGE.png.
		parts := strings.Split(path, "-")
		name := strings.Join(parts[:max(1, len(parts)-3)], "-")
		if len(pages) == 0 || pages[len(pages)-1].Name != name {
			pages = append(pages, page{Name: name})
		}
		last := &pages[len(pages)-1]
		last.Pictures = append(last.Pictures, filepath.ToSlash(path))
	}
	out, err := os.Create(filepath.Join(dir, "index.html")) //nolint:gosec // where the caller says
	if err != nil {
		return err
	}
	if err := all.Execute(out, pages); err != nil {
		return errors.Join(err, out.Close())
	}
	fmt.Println("Look at", out.Name())
	return out.Close()
}
