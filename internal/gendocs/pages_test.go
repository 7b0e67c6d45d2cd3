package main

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"gateway.example/docs"
	"gateway.example/internal/testenv"
	"gateway.example/internal/tongue"
)

// markdown is a page as links see it: where it leads to, and the names of its
// parts.
type markdown struct {
	words int
	links []string
	parts map[string]bool
}

// markdownPages are all pages of the repository by their paths.
func markdownPages(t *testing.T) map[string]markdown {
	t.Helper()
	pages := map[string]markdown{}
	testenv.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return fs.SkipDir
		case !entry.IsDir() && path.Ext(name) == ".md":
			pages[name] = parseMarkdown(t, read(t, name))
		}
		return nil
	}))
	return pages
}

func parseMarkdown(t *testing.T, content string) markdown {
	t.Helper()
	page := markdown{words: len(strings.Fields(content)), parts: map[string]bool{}}
	for _, anchor := range (docs.Page{Text: []byte(content)}).Anchors() {
		page.parts[anchor] = true
	}
	document := goldmark.New().Parser().Parse(text.NewReader([]byte(content)))
	testenv.NoError(t, ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := node.(type) {
		case *ast.Link:
			if entering {
				page.links = append(page.links, string(n.Destination))
			}
		case *ast.Image:
			if entering {
				page.links = append(page.links, string(n.Destination))
			}
		}
		return ast.WalkContinue, nil
	}))
	return page
}

// Every link of every page leads to a file that is there, and to a part that it
// has.
func TestLinksLead(t *testing.T) {
	t.Parallel()
	pages, checked := markdownPages(t), 0
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		for _, link := range pages[name].links {
			if strings.Contains(link, "://") {
				continue
			}
			checked++
			file, part, inside := strings.Cut(link, "#")
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(path.Join(root, to)); err != nil {
				t.Errorf("%s leads to %s, which there is not", name, link)
			} else if inside && !pages[to].parts[part] {
				t.Errorf("%s leads to %s, a part that there is not", name, link)
			}
		}
	}
	testenv.Check(t, checked >= 100, "only %d links were found", checked)
}

// A page names files that are there. Names in capitals stand for others.
func TestNamedFilesAreThere(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile("`((?:cmd|deploy|docs|internal|queries|rpc|schema|web)/[a-z0-9_./-]+\\.[a-z]+)`")
	for page := range markdownPages(t) {
		for _, found := range named.FindAllStringSubmatch(read(t, page), -1) {
			_, err := os.Stat(path.Join(root, found[1]))
			testenv.Check(t, err == nil, "%s names %s, which there is not", page, found[1])
		}
	}
}

// longPages may have more words than others: a generated table, a record that
// only grows, and the contract as it was given.
var longPages = []string{
	"docs/integrate/errors.md", "docs/track-record.md", "internal/acceptance/testdata/interface.md", "internal/acceptance/testdata/decisions.md",
}

// A page is short enough to be read. What grows beyond that becomes two pages.
func TestPagesAreShort(t *testing.T) {
	t.Parallel()
	const most = 3000
	for name, page := range markdownPages(t) {
		testenv.Check(t, page.words <= most || slices.Contains(longPages, name), "%s has %d words, and may have %d", name, page.words, most)
	}
}

// The index of a manual leads to each of its pages.
func TestPagesAreFound(t *testing.T) {
	t.Parallel()
	pages := markdownPages(t)
	for name := range pages {
		folder := path.Dir(name)
		testenv.Check(t, !strings.HasPrefix(folder, "docs/") || folder == "docs/"+docs.Russian ||
			slices.Contains(pages[folder+".md"].links, path.Base(folder)+"/"+path.Base(name)),
			"%s.md does not lead to %s", folder, name)
	}
}

// What both manuals have alike: the headings' levels, the blocks of code, and
// the rows of tables.
var (
	headingLevel = regexp.MustCompile(`(?m)^#+ `)
	codeBlock    = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	tableRow     = regexp.MustCompile(`(?m)^\|.*$`)
)

// Who changes a page of the operators' manual changes it in both languages.
func TestManualsAreInStep(t *testing.T) {
	t.Parallel()
	english, russian := docs.Operate(""), docs.Operate(docs.Russian)
	testenv.Want(t, len(testenv.Must(os.ReadDir(path.Join(root, "docs/ru/operate")))(t))+1, len(english), "pages in Russian")
	for i, page := range english {
		in, other := string(page.Text), string(russian[i].Text)
		levels := headingLevel.FindAllString(codeBlock.ReplaceAllString(in, ""), -1)
		for at, level := range headingLevel.FindAllString(codeBlock.ReplaceAllString(other, ""), -1) {
			testenv.Check(t, at < len(levels) && levels[at] == level,
				"%s: heading %d is not of the level in English", russian[i].Path, at+1)
		}
		testenv.Want(t, len(russian[i].Anchors()), len(page.Names), "headings of %s", russian[i].Path)
		testenv.Check(t, slices.Equal(codeBlock.FindAllString(other, -1), codeBlock.FindAllString(in, -1)),
			"%s has other code in English", russian[i].Path)
		rows, same := tableRow.FindAllString(other, -1), tableRow.FindAllString(in, -1)
		testenv.Want(t, len(rows), len(same), "rows of tables of %s", russian[i].Path)
		for at := range min(len(rows), len(same)) {
			testenv.Want(t, len(cellsOf(rows[at])), len(cellsOf(same[at])),
				"%s: a row has not the cells it has in English: %s", russian[i].Path, rows[at])
		}
	}
}

// words are two of them in English, outside of code: names, numbers and codes
// of currencies need no Russian.
var words = regexp.MustCompile("[a-z]{2,} [a-z]|^[a-z]{3,}$")

// Every generated cell has its Russian in russian.txt, which has none for what
// is not there any more.
func TestCellsAreInRussian(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	src := testenv.Must(parse(root))(t)
	tables := testenv.Must(makeTables(src))(t)
	there, russian := map[string]bool{}, readRussian()
	for _, name := range []string{"settings", "secrets", "metrics", "requisites", "declared", "second", "faults"} {
		for line := range strings.Lines(tables[name]) {
			for _, cell := range cellsOf(line) {
				there[cell] = true
				plain := regexp.MustCompile("`[^`]*`").ReplaceAllString(cell, "")
				testenv.Check(t, !words.MatchString(plain) || russian[cell] != "" || numbered(cell),
					"russian.txt has no Russian for %q of the table %s", cell, name)
			}
		}
	}
	for english := range tongue.Pairs(files, "russian.txt") {
		testenv.Check(t, there[english], "russian.txt has %q, which no table has", english)
	}
}

// numbered tells that a cell is one of those which differ in numbers only.
func numbered(cell string) bool {
	return slices.ContainsFunc(numbers, func(n number) bool { return n.english.MatchString(cell) })
}
