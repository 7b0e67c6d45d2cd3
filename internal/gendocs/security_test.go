package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest  = regexp.MustCompile("`(Test\\w+)`")
	writtenAs  = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	attackFile = regexp.MustCompile(`^attack(_\w+)?_test\.go$`)
)

// docs/security.md names tests that there are, and every test that attacks the gateway.
func TestAttacksAreProven(t *testing.T) {
	t.Parallel()
	there, attacks := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		content, err := os.ReadFile(path)
		for _, found := range writtenAs.FindAllStringSubmatch(string(content), -1) {
			there[found[1]] = true
			if attackFile.MatchString(entry.Name()) {
				attacks[found[1]] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, found := range namedTest.FindAllStringSubmatch(read(t, "docs/security.md"), -1) {
		if named[found[1]] = true; !there[found[1]] {
			t.Errorf("docs/security.md names %s, which is nowhere", found[1])
		}
	}
	for name := range attacks {
		if !named[name] {
			t.Errorf("%s is not in docs/security.md", name)
		}
	}
	if len(attacks) < 15 {
		t.Errorf("only %d attacks were found", len(attacks))
	}
}
