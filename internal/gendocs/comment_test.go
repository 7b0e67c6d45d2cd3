package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// commentWidth is the number of columns that a comment may take, with a tab as
// eight: two versions of a file fit beside each other.
const commentWidth = 80

// unwrapped finds a comment's line of words: no directive, nothing that is set
// in by hand, and no single word, such as an address.
var unwrapped = regexp.MustCompile(`^\t*// \S+ \S`)

// Comments of the code by hand are wrapped, so that they are read without
// moving the eyes across the screen.
func TestCommentsAreWrapped(t *testing.T) {
	checked := 0
	err := filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			if entry != nil && entry.Name() == "node_modules" {
				return filepath.SkipDir
			}
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil || bytes.Contains(source, []byte("\n// Code generated")) || bytes.HasPrefix(source, []byte("// Code generated")) {
			return err
		}
		checked++
		for i, line := range strings.Split(string(source), "\n") {
			width := len([]rune(line)) + 7*strings.Count(line, "\t")
			if width > commentWidth && unwrapped.MatchString(line) {
				t.Errorf("%s:%d: a comment of %d columns, and at most %d are read easily", path, i+1, width, commentWidth)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 500 {
		t.Errorf("%d files were read; the test looks in the wrong place", checked)
	}
}
