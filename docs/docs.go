// Package docs has the manuals that the program shows to those who use it.
package docs

import (
	"embed"
	"path"
	"regexp"
	"strings"
	"unicode"
)

//go:embed operate.md operate integrate ru
var files embed.FS

// Page is a page of a manual, in Markdown.
type Page struct {
	// Path is where it is in this directory, and Name how the portal's
	// addresses call it: the index "".
	Path, Name string
	Text       []byte
	// Names are those by which the portal's links know the headings, in
	// their order: in every language those of the page in English, so that
	// what leads to a part need not know the reader's language.
	Names []string
}

// Russian is the language of the manuals in the folder of that name. Those
// beside it are in English.
const Russian = "ru"

var inOperate = regexp.MustCompile(`(?m)^\| \[.*?\]\((operate/\w+\.md)\)`)

// Operate is the operators' manual in a language: its index, and the pages of
// the index's table in their order. It has the same pages in both, with the
// same headings.
func Operate(language string) []Page {
	folder := ""
	if language == Russian {
		folder = Russian
	}
	index := Find("operate.md")
	names := []string{index.Path}
	for _, found := range inOperate.FindAllSubmatch(index.Text, -1) {
		names = append(names, string(found[1]))
	}
	var pages []Page
	for _, file := range names {
		page := Find(path.Join(folder, file))
		if file != index.Path {
			page.Name = strings.TrimSuffix(path.Base(file), ".md")
		}
		page.Names = Find(file).Anchors()
		pages = append(pages, page)
	}
	return pages
}

// Find returns a page of the manuals. One that there is not has no text.
func Find(path string) Page {
	text, _ := files.ReadFile(path)
	return Page{Path: path, Text: text}
}

var (
	fenced  = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	heading = regexp.MustCompile(`(?m)^#{1,6} (.*)$`)
)

// Anchors are the names by which links know the headings of a page, in their
// order. Code hosts make them so in every language; the renderer's own names
// would leave out all letters but Latin ones.
func (p Page) Anchors() []string {
	var anchors []string
	for _, found := range heading.FindAllSubmatch(fenced.ReplaceAll(p.Text, nil), -1) {
		anchors = append(anchors, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, string(found[1])))
	}
	return anchors
}
