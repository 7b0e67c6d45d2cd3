package main

import (
	"embed"
	"path"
	"regexp"
	"slices"
	"strings"

	"gateway.example/docs"
	"gateway.example/internal/setting"
	"gateway.example/internal/tongue"
)

// files are alerts.txt and russian.txt, which has a cell of a table on a line,
// what the Russian manual has in its place on the next, and then an empty line.
// Cells that are not there are the same in both manuals.
//
//go:embed *.txt
var files embed.FS

// readRussian are the cells in Russian by the English ones, and those that the
// portal says as well.
func readRussian() map[string]string {
	russian := tongue.Pairs(files, "russian.txt")
	for _, subject := range setting.Subjects {
		for _, one := range subject.Settings {
			russian[one.Label.En] = one.Label.Ru
		}
	}
	return russian
}

// number is a form of cells that differ in their numbers only.
type number struct {
	english *regexp.Regexp
	russian string
}

var numbers = []number{
	{regexp.MustCompile(`(\d),(\d{3})(;|$)`), "$1 $2$3"},
	{regexp.MustCompile(`^(\d+) to ([\d ]+)`), "от $1 до $2"},
	{regexp.MustCompile("; (`\\w+`) at first$"), "; вначале $1"},
	{regexp.MustCompile(`^(\d+)\.(\d) s$`), "$1,$2 с"},
	{regexp.MustCompile(`(\d+)× refused`), "$1× отказ в соединении"},
	{regexp.MustCompile(`(\d+)× reset`), "$1× обрыв"},
}

// partLink is a link of a table to a part of the manual.
var partLink = regexp.MustCompile(`\]\((\w+\.md)?#([\w-]+)\)`)

// inRussian are the tables as a page of the Russian manual has them. The page
// is of docs/ru/operate.
func inRussian(tables map[string]string, page string) map[string]string {
	russian, translated := readRussian(), map[string]string{}
	for name, text := range tables {
		var lines []string
		for line := range strings.Lines(text) {
			cells := cellsOf(line)
			for i, cell := range cells {
				if in := russian[cell]; in != "" {
					cells[i] = russianLinks(in, page)
				}
				for _, form := range numbers {
					cells[i] = form.english.ReplaceAllString(cells[i], form.russian)
				}
			}
			if !strings.HasPrefix(line, "|---") {
				line = "| " + strings.Join(cells, " | ") + " |\n"
			}
			lines = append(lines, line)
		}
		translated[name] = strings.Join(lines, "")
	}
	return translated
}

// cellsOf are the cells of a table's line.
func cellsOf(line string) []string {
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "| "), " |"), " | ")
}

// russianLinks leads links to the Russian headings that stand where the English
// ones do.
func russianLinks(text, page string) string {
	return partLink.ReplaceAllStringFunc(text, func(link string) string {
		found := partLink.FindStringSubmatch(link)
		file := path.Join("operate", page)
		if found[1] != "" {
			file = path.Join("operate", found[1])
		}
		english, russian := docs.Find(file).Anchors(), docs.Find(path.Join(docs.Russian, file)).Anchors()
		if i := slices.Index(english, found[2]); i >= 0 && i < len(russian) {
			return "](" + found[1] + "#" + russian[i] + ")"
		}
		return link
	})
}
