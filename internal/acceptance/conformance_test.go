package acceptance

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// checks are what proves the statements of a document, by heading and statement: testdata/NAME.txt has them.
func checks(t *testing.T, name string) map[string][]string {
	t.Helper()
	found, key, section := map[string][]string{}, "", ""
	for _, line := range linesOf(t, name) {
		quoted, quotes := strings.CutPrefix(line, ">")
		title := sectionOf.FindStringSubmatch(line)
		switch {
		case title != nil:
			section = title[1]
		case quotes && key != "" && found[key] == nil: // the quote goes on
			key += quoted
		case quotes:
			key = section + "\n" + strings.TrimSpace(quoted)
		default:
			found[key] = append(found[key], line)
		}
	}
	return found
}

var sectionOf = regexp.MustCompile(`^\[(.+)\]$`)

// parts is how many walks the statements are dealt out to, each on a gateway of its own, and slowSection the section that
// one of them has to itself: its payers wait for the bank's answer to a dozen cards.
const (
	parts       = 3
	slowSection = "What payers do"
)

// part is one walk's share: what can be checked at once, and what needs time to pass.
type part struct {
	now, late []func(t *testing.T, w *instance)
}

// shortest is the part with the fewest statements, of those that are not a section's own.
func shortest(dealt *[parts]part) *part {
	of := &dealt[0]
	for i := range dealt[:parts-1] {
		if one := &dealt[i]; len(one.now)+len(one.late) < len(of.now)+len(of.late) {
			of = one
		}
	}
	return of
}

// TestConformance walks the interface document and the page of decisions, statement by statement,
// and proves each by calls to a running gateway. A statement without a check fails, and so does a
// check whose statement has changed: it must be looked at again.
func TestConformance(t *testing.T) {
	t.Parallel()
	var dealt [parts]part
	var of *part
	heading, done := "", &proven{}
	for _, document := range []string{"interface", "decisions"} {
		wanted := checks(t, document+".txt")
		for _, s := range statements(t, document+".md") {
			if document == "decisions" && !decided(s) {
				continue
			}
			key := s.heading + "\n" + s.text
			lines := wanted[key]
			if delete(wanted, key); len(lines) == 0 {
				t.Errorf("%s, %s: nothing checks: %s", document, s.heading, s.text)
			}
			if s.heading != heading {
				heading, of = s.heading, shortest(&dealt)
			}
			if heading == slowSection {
				of = &dealt[parts-1]
			}
			run := func(t *testing.T, w *instance) {
				t.Run(document+"/"+s.name(), func(t *testing.T) {
					for _, line := range lines {
						w.prove(t, line, done)
					}
				})
			}
			if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "late ") }) {
				of.late = append(of.late, run)
			} else {
				of.now = append(of.now, run)
			}
		}
		for key := range wanted {
			t.Errorf("%s: no such statement: %s", document, key)
		}
	}
	for n, p := range dealt {
		t.Run(fmt.Sprint("part ", n+1), func(t *testing.T) {
			t.Parallel()
			w := newWalk(t)
			// What needs time to pass comes last: the clock moves forward only.
			for _, run := range slices.Concat(p.now, p.late) {
				run(t, w)
			}
			w.wantAudit(t)
		})
	}
}

// statement is a row of a table, an item of a list or a paragraph, without its backquotes.
type statement struct {
	heading, text string
	// first is the first cell, or the first words; of rows of one section with the same, more.
	first string
}

func (s statement) name() string { return s.heading + "/" + s.first }

var (
	ruler   = regexp.MustCompile(`^\|[ |-]+\|$`)
	item    = regexp.MustCompile(`^(\d+\. |- )`)
	newItem = regexp.MustCompile(`^(#|\||\d+\. |- )`)
)

// statements reads a document of testdata.
func statements(t *testing.T, name string) []statement {
	t.Helper()
	content := testenv.Must(os.ReadFile("testdata/" + name))(t)
	var all []statement
	heading := ""
	blocks := blocksOf(strings.ReplaceAll(string(content), "`", ""))
	for i, text := range blocks {
		switch {
		case strings.HasPrefix(text, "#"):
			heading = strings.TrimLeft(text, "# ")
		case ruler.MatchString(text), i+1 < len(blocks) && ruler.MatchString(blocks[i+1]):
		default:
			all = append(all, statement{heading: heading, text: text, first: first(all, heading, text)})
		}
	}
	testenv.Need(t, len(all) != 0, "%s says nothing", name)
	return all
}

// blocksOf joins what belongs together: a paragraph or an item may be several lines.
func blocksOf(content string) []string {
	var blocks []string
	open := false
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			open = false
			continue
		case open && !newItem.MatchString(line):
			blocks[len(blocks)-1] += " " + spaced(line)
			continue
		}
		blocks = append(blocks, spaced(line))
		open = !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "|")
	}
	return blocks
}

// first names a statement by as many cells as set it apart from those before it in its section.
func first(all []statement, heading, text string) string {
	if !strings.HasPrefix(text, "|") {
		words := strings.Fields(item.ReplaceAllString(text, ""))
		return strings.Join(words[:min(8, len(words))], " ")
	}
	cells := strings.Split(strings.Trim(text, "| "), " | ")
	name := cells[0]
	for _, cell := range cells[1:] {
		if !slices.ContainsFunc(all, func(s statement) bool { return s.heading == heading && s.first == name }) {
			break
		}
		name += ", " + cell
	}
	return name
}

func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// decided are those of the decisions' statements that are walked: the table of errors, that of
// methods, and what payers do. The rest says how, not what.
func decided(s statement) bool {
	return strings.HasPrefix(s.text, "|") || strings.HasPrefix(s.text, "- Method × currency") ||
		s.heading == slowSection
}

// fixture is an answer that was kept.
func (w *instance) fixture(t *testing.T, name string) answer {
	t.Helper()
	a, ok := w.answers[name]
	testenv.Need(t, ok, "no answer is kept as %q", name)
	return a
}
