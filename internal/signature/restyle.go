package signature

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"gateway.example/internal/strictjson"
)

// layout is where a serialiser writes white space. Without an indent everything
// is on one line.
type layout struct{ indent, colon, comma string }

// layouts are those of common languages' serialisers.
var layouts = []layout{
	{"", ":", ","}, {"", ": ", ", "}, {"  ", ": ", ","}, {"    ", ": ", ","}, {"\t", ": ", ","}, {"  ", " : ", ","},
}

// escapings are the letters that serialisers escape although JSON does not
// require it.
var escapings = []func(letter rune) string{
	func(rune) string { return "" },
	escapeASCII,
	escapeSlash,
	func(letter rune) string { return escapeSlash(letter) + escapeASCII(letter) },
	escapeHTML,
}

func escapeSlash(letter rune) string {
	if letter == '/' {
		return `\/`
	}
	return ""
}

func escapeASCII(letter rune) string {
	if letter < 0x80 {
		return ""
	}
	if high, low := utf16.EncodeRune(letter); high != '\uFFFD' {
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, letter)
}

func escapeHTML(letter rune) string {
	if strings.ContainsRune("<>&\u2028\u2029", letter) {
		return fmt.Sprintf(`\u%04x`, letter)
	}
	return ""
}

// restyledMost is the longest body for which other forms are tried: there are
// hundreds.
const restyledMost = 16 << 10

// restyled are the forms that serialisers would write a JSON body in.
func restyled(body []byte) []candidate {
	root, err := strictjson.Parse(body)
	if err != nil || len(body) > restyledMost {
		return nil
	}
	var list []candidate
	for _, tree := range []strictjson.Value{root, sorted(root)} {
		for _, layout := range layouts {
			for _, escape := range escapings {
				for _, number := range []func(string) string{asWritten, shortestNumber} {
					s := styler{layout: layout, escape: escape, number: number}
					s.value(tree, 0)
					text := s.out.String()
					list = append(list,
						candidate{Reserialised, []byte(text), true}, candidate{Reserialised, []byte(text + "\n"), true})
				}
			}
		}
	}
	return list
}

// sorted is a value with the fields of its objects sorted.
func sorted(v strictjson.Value) strictjson.Value {
	v.Items, v.Members = slices.Clone(v.Items), slices.Clone(v.Members)
	for i, item := range v.Items {
		v.Items[i] = sorted(item)
	}
	for i, member := range v.Members {
		v.Members[i].Value = sorted(member.Value)
	}
	slices.SortStableFunc(v.Members, func(a, b strictjson.Member) int {
		return strings.Compare(a.Name.Text, b.Name.Text)
	})
	return v
}

// styler writes JSON as a serialiser does.
type styler struct {
	out    strings.Builder
	layout layout
	escape func(rune) string
	number func(string) string
}

// value writes a value. depth is how many levels deep its own line is, 0 for
// the whole document.
func (s *styler) value(v strictjson.Value, depth int) {
	switch v.Kind {
	case strictjson.Object:
		s.list("{", "}", len(v.Members), depth, func(i int) {
			s.text(v.Members[i].Name.Text)
			s.out.WriteString(s.layout.colon)
			s.value(v.Members[i].Value, depth+1)
		})
	case strictjson.Array:
		s.list("[", "]", len(v.Items), depth, func(i int) { s.value(v.Items[i], depth+1) })
	case strictjson.String:
		s.text(v.Text)
	case strictjson.Number:
		s.out.WriteString(s.number(v.Text))
	default:
		s.out.WriteString(v.Text)
	}
}

// list writes size items between brackets, each on a line of its own where the
// layout has lines. An empty list has none.
func (s *styler) list(opening, closing string, size, depth int, item func(i int)) {
	s.out.WriteString(opening)
	for i := range size {
		if i > 0 {
			s.out.WriteString(s.layout.comma)
		}
		s.line(depth + 1)
		item(i)
	}
	if size > 0 {
		s.line(depth)
	}
	s.out.WriteString(closing)
}

// line begins a line, if the layout has lines.
func (s *styler) line(depth int) {
	if s.layout.indent != "" {
		s.out.WriteString("\n" + strings.Repeat(s.layout.indent, depth))
	}
}

func (s *styler) text(text string) {
	for _, letter := range string(strictjson.AppendString(nil, text)) {
		if escaped := s.escape(letter); escaped != "" {
			s.out.WriteString(escaped)
		} else {
			s.out.WriteRune(letter)
		}
	}
}
