package rest

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits on what a caller can make an error say, so that a body of wrong fields
// does not get a longer answer.
const (
	maxFindings = 100 // fields
	maxName     = 64  // bytes of a name inside a path
)

// path is a position in a body. It becomes text only for a report. nil is the
// root.
type path struct {
	parent *path
	name   string
	index  int // of a list's item, else notItem
}

const notItem = -1

func (p *path) field(name string) *path { return &path{parent: p, name: name, index: notItem} }
func (p *path) item(index int) *path    { return &path{parent: p, index: index} }

// String is the path as errors name it: payer.userIp, items[0].x.
func (p *path) String() string {
	var steps []*path
	for step := p; step != nil; step = step.parent {
		steps = append(steps, step)
	}
	var out strings.Builder
	for i := len(steps) - 1; i >= 0; i-- {
		steps[i].write(&out)
	}
	return out.String()
}

func (p *path) write(out *strings.Builder) {
	if p.index != notItem {
		out.WriteString("[" + strconv.Itoa(p.index) + "]")
		return
	}
	if out.Len() > 0 {
		out.WriteByte('.')
	}
	out.WriteString(shorten(p.name))
}

func shorten(name string) string {
	if len(name) <= maxName {
		return name
	}
	end := maxName
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "…"
}
