package acceptance

import (
	"encoding/hex"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// linesOf reads a file of testdata without comments. A line "{name} = a | b" stands for none: lines that have {name} are
// there once for each of its values.
func linesOf(t *testing.T, name string) []string {
	t.Helper()
	content := testenv.Must(os.ReadFile("testdata/" + name))(t)
	var lines []string
	values := map[string][]string{}
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if variable := assigned.FindStringSubmatch(line); variable != nil {
			values[variable[1]] = append(values[variable[1]], cellsOf(variable[2])...)
			continue
		}
		lines = append(lines, each(line, values)...)
	}
	testenv.Need(t, len(lines) != 0, "%s has no lines", name)
	return lines
}

// section is a part of a file of testdata: its title, and its lines.
type section struct {
	title string
	lines []string
}

// sections reads a file of testdata.
func sections(t *testing.T, name string) []section {
	t.Helper()
	var all []section
	for _, line := range linesOf(t, name) {
		if title := heading.FindStringSubmatch(line); title != nil {
			all = append(all, section{title: title[1]})
		} else {
			last := &all[len(all)-1]
			last.lines = append(last.lines, line)
		}
	}
	return all
}

// tables are the cells of the lines of a file of testdata, by the section that they are in.
func tables(t *testing.T, name string) map[string][][]string {
	t.Helper()
	found := map[string][][]string{}
	for _, s := range sections(t, name) {
		for _, line := range s.lines {
			found[s.title] = append(found[s.title], cellsOf(line))
		}
	}
	return found
}

var (
	assigned = regexp.MustCompile(`^(\{\w+\}) = (.*)$`)
	heading  = regexp.MustCompile(`^\[([a-z][^|]*)\]$`)
)

func cellsOf(line string) []string {
	cells := strings.Split(line, "|")
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(cell)
	}
	return cells
}

// each is the line with every combination of the values that it names.
func each(line string, values map[string][]string) []string {
	for name, all := range values {
		if !strings.Contains(line, name) {
			continue
		}
		var lines []string
		for _, value := range all {
			lines = append(lines, each(strings.ReplaceAll(line, name, value), values)...)
		}
		return lines
	}
	return []string{line}
}

var (
	repeated = regexp.MustCompile(`<([^<>*]+)\*(\d+)>`)
	inHex    = regexp.MustCompile(`<((?:[0-9a-f]{2})+)(?::(\d+))?>`)
	filling  = regexp.MustCompile(`<fill\*(\d+)>`)
)

// unfolded writes out what a cell has in short: "<x*3>" is xxx, "<0d0a>" those bytes, "<ff:9>" nine
// of them, and "<fill*100>" as many letters as make the cell a hundred bytes long.
func unfolded(cell string) string {
	filled := filling.FindStringSubmatch(cell)
	cell = strings.ReplaceAll(cell, "<fill*", "<\x00*")
	cell = repeated.ReplaceAllStringFunc(cell, func(short string) string {
		parts := repeated.FindStringSubmatch(short)
		count, _ := strconv.Atoi(parts[2])
		if parts[1] == "\x00" {
			return short
		}
		return strings.Repeat(parts[1], count)
	})
	cell = inHex.ReplaceAllStringFunc(cell, func(short string) string {
		parts := inHex.FindStringSubmatch(short)
		bytes, _ := hex.DecodeString(parts[1])
		count, _ := strconv.Atoi(parts[2])
		return strings.Repeat(string(bytes), max(count, 1))
	})
	if filled == nil {
		return cell
	}
	short := "<\x00*" + filled[1] + ">"
	size, _ := strconv.Atoi(filled[1])
	return strings.Replace(cell, short, strings.Repeat("x", size-len(cell)+len(short)), 1)
}
