package acceptance

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// linesOf reads a file of testdata without comments. A line "{name} = a | b"
// stands for none: lines that have {name} are there once for each of its
// values.
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

// steps is the file of what takes several calls.
const steps = "steps.txt"

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

// tables are the cells of the lines of a file of testdata, by the section that
// they are in.
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

// unfolded writes out what a cell has in short: "<x*3>" is xxx, "<0d0a>" those
// bytes, "<ff:9>" nine of them, and "<fill*100>" as many letters as make the
// cell a hundred bytes long.
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

// kind is what a value must be.
type kind func(value any) bool

func matching(pattern string) kind {
	compiled := regexp.MustCompile(pattern)
	return func(value any) bool {
		text, isText := value.(string)
		return isText && compiled.MatchString(text)
	}
}

// kindOfJSON is a value of a type.
func kindOfJSON[T any](value any) bool { _, ok := value.(T); return ok }

// kinds are the values that tables and golden files name.
var kinds = map[string]kind{
	"text": kindOfJSON[string], "boolean": kindOfJSON[bool], "object": kindOfJSON[object], "list": kindOfJSON[[]any],
	"number": kindOfJSON[json.Number], "order": kindOfJSON[string],
	"integer": func(value any) bool {
		n, ok := value.(json.Number)
		return ok && !strings.ContainsAny(n.String(), ".eE")
	},
	"id":      func(value any) bool { n, _ := value.(json.Number); return matching(`^[1-9][0-9]*$`)(n.String()) },
	"id text": matching(`^[1-9][0-9]*$`),
	// A UUIDv7, and a UUID of any kind, as the caller named it.
	"uuid": matching(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
	"key":  matching(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`),
	// ISO 8601, UTC, milliseconds.
	"time":       matching(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`),
	"2 decimals": matching(`^\d+\.\d{2}$`), "8 decimals": matching(`^\d+\.\d{8}$`),
	"phone": matching(`^\+79\d{9}$`), "card": matching(`^\d{16}$`), "iban": matching(`^MN\d{18}$`),
	"masked": matching(`^•••• \d{4}$`), "holder": matching(`^[A-Z][A-Za-z-]+ [A-Z]\.$`),
	// 96 and 256 bits.
	"key id": matching(`^mk_[0-9a-f]{24}$`), "secret": matching(`^sk_[A-Za-z0-9_-]{43}$`),
	"page":          matching(`^http://[^/]+/r/[A-Za-z0-9_-]{43}$`),
	"checkout":      matching(`^http://[^/]+/pay/[A-Za-z0-9_-]{43}$`),
	"checkout code": matching(`^http://[^/]+/pay/[A-Za-z0-9_-]{43}/code$`),
}

// is reports whether a value is of a kind, one of two, another than one, or
// what JSON writes so.
func (a answer) is(value any, name string) bool {
	if k, ok := kinds[name]; ok {
		return k(value)
	}
	if first, second, either := strings.Cut(name, " or "); either && name[0] != '"' {
		return a.is(value, first) || a.is(value, second)
	}
	if other, ok := strings.CutPrefix(name, "not "); ok {
		return !a.is(value, other)
	}
	if inside, ok := strings.CutPrefix(name, "has "); ok {
		return strings.Contains(fmt.Sprint(value), inside)
	}
	if wait, later := strings.CutPrefix(name, "<time +"); later {
		return kinds["time"](value) && a.later(value.(string), strings.TrimSuffix(wait, ">"))
	}
	have, err := json.Marshal(value)
	return err == nil && string(have) == name
}

// later reports whether a time is as much later than the creation.
func (a answer) later(text, wait string) bool {
	created, err := time.Parse(time.RFC3339Nano, a.text("data.createdAt"))
	at, err2 := time.Parse(time.RFC3339Nano, text)
	return err == nil && err2 == nil && at.Sub(created).String() == wait+"0s"
}

// lacking is what an answer does not show of all this, as interface.txt has it;
// "" is nothing.
func (a answer) lacking(all string) string {
	for one := range strings.SplitSeq(all, "; ") {
		if wrong := a.lacks(one); wrong != "" {
			return wrong
		}
	}
	return ""
}

// lacks is lacking of one thing.
func (a answer) lacks(one string) string {
	path, rest, _ := strings.Cut(one, " ")
	value, there := a.part(path)
	right := true
	switch path {
	case "":
	case "lacks":
		for name := range strings.FieldsSeq(rest) {
			_, there := find(a.body, name)
			right = right && !there
		}
	case "has", "hides":
		right = strings.Contains(a.compact(), rest) == (path == "has")
	case "header":
		name, want, _ := strings.Cut(rest, ":")
		value, want = a.header.Get(name), strings.TrimSpace(want)
		right = value == want || a.is(value, strings.Trim(want, "<>"))
	case "whole":
		return a.golden(rest)
	default:
		names, isOnly := strings.CutPrefix(rest, "only ")
		switch {
		case isOnly && path == ".":
			right = only(a.body, names)
		case isOnly:
			right = only(value, names)
		case strings.HasPrefix(rest, "as "):
			right = there
		default:
			right = there && a.is(value, rest)
		}
	}
	if right {
		return ""
	}
	return fmt.Sprintf("%.300s: it is %v (there: %t) in %.3000s", one, value, there, a)
}

// part is a field of a body or, of what an expression between slashes finds,
// its group.
func (a answer) part(path string) (value any, there bool) {
	if expression, ok := strings.CutPrefix(path, "/"); ok {
		found := regexp.MustCompile(strings.TrimSuffix(expression, "/")).FindStringSubmatch(a.compact())
		return strings.Join(found[min(len(found), 1):], ""), found != nil
	}
	return find(a.body, path)
}

// compact is what came, without the spaces that procedures put between fields
// in some builds and not in others.
func (a answer) compact() string {
	var out bytes.Buffer
	if json.Compact(&out, []byte(a.raw)) != nil {
		return a.raw
	}
	return out.String()
}

// only reports whether an object has these fields and no other.
func only(value any, names string) bool {
	fields, _ := value.(object)
	return slices.Equal(slices.Sorted(maps.Keys(fields)), slices.Sorted(strings.FieldsSeq(names)))
}

// golden compares an answer with a file written by hand: values and their
// types, and every name, absent or null as the file has it. The kinds of values
// stand in the file as "<time>".
func (a answer) golden(name string) string {
	content, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	want := decoded(string(content))
	if err != nil || want == nil {
		return "no JSON"
	}
	return a.differs("", want, a.body)
}

// differs is where a value is not as it should be.
func (a answer) differs(path string, want, got any) string {
	switch want := want.(type) {
	case object:
		inside, ok := got.(object)
		if !ok || !slices.Equal(slices.Sorted(maps.Keys(inside)), slices.Sorted(maps.Keys(want))) {
			return fmt.Sprintf("%s is %v; want %v", path, got, want)
		}
		for key, value := range want {
			if wrong := a.differs(path+"."+key, value, inside[key]); wrong != "" {
				return wrong
			}
		}
		return ""
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Sprintf("%s is %v; want a list of %d", path, got, len(want))
		}
		for i, value := range want {
			if wrong := a.differs(fmt.Sprintf("%s[%d]", path, i), value, list[i]); wrong != "" {
				return wrong
			}
		}
		return ""
	case string:
		name := strings.Trim(want, "<>")
		if _, ok := kinds[name]; ok && name != want && a.is(got, name) ||
			strings.HasPrefix(want, "<time +") && a.is(got, want) || got == any(want) {
			return ""
		}
	default:
		if reflect.DeepEqual(want, got) {
			return ""
		}
	}
	return fmt.Sprintf("%s is %v (%T); want %v (%T)", path, got, got, want, want)
}
