// Package docs has the manuals that the program shows to those who use it.
package docs

import (
	"embed"
	"regexp"
)

//go:embed operate.md operate integrate
var files embed.FS

// Page is a page of a manual, in Markdown.
type Page struct {
	// Path is where it is in this directory.
	Path string
	Text []byte
}

var inOperate = regexp.MustCompile(`(?m)^\| \[.*?\]\((operate/\w+\.md)\)`)

// Operate is the operators' manual: its index, and the pages of the index's table in their order.
func Operate() []Page {
	pages := []Page{Find("operate.md")}
	for _, found := range inOperate.FindAllSubmatch(pages[0].Text, -1) {
		pages = append(pages, Find(string(found[1])))
	}
	return pages
}

// Find returns a page of the manuals. One that there is not has no text.
func Find(path string) Page {
	text, _ := files.ReadFile(path)
	return Page{path, text}
}
