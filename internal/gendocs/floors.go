package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// floorFile says on which floor each package is, and has the test that imports
// only go down.
const floorFile = "cmd/gateway/imports_test.go"

const module = "gateway.example/"

// box is packages of one floor that lie together: those of the web, of the API,
// or those below both.
type box struct {
	floor int
	area  string
}

func (b box) String() string { return b.area + strconv.Itoa(b.floor) }

// floorPicture draws the packages that the program is made of, floor by floor,
// and which import which. An arrow that other arrows imply is left out.
func floorPicture(src source) (string, error) {
	floors, err := readFloors()
	if err != nil {
		return "", err
	}
	boxes, arrows := map[box][]string{}, map[box]map[box]bool{}
	imports := src.imports()
	for name := range reached(imports, "cmd/gateway") {
		floor, known := floors[name]
		if !known {
			return "", fmt.Errorf("%s has no floor for %s", floorFile, name)
		}
		from := box{floor, area(name)}
		boxes[from] = append(boxes[from], strings.TrimPrefix(name, "internal/"))
		for to := range imports[name] {
			if arrows[from] == nil {
				arrows[from] = map[box]bool{}
			}
			arrows[from][box{floors[to], area(to)}] = true
		}
	}
	return drawBoxes(boxes, arrows), nil
}

// packageTable lists packages from the top floor down, with the first sentence
// of what each says of itself.
func packageTable(src source) (string, error) {
	floors, err := readFloors()
	if err != nil {
		return "", err
	}
	says := map[string]string{}
	for file, parsed := range src {
		text := strings.Join(strings.Fields(parsed.Doc.Text()), " ")
		first, _, _ := strings.Cut(text, ". ")
		if words := strings.SplitN(strings.TrimSuffix(first, "."), " ", 3); len(words) == 3 && (words[0] == "Package" || words[0] == "Command") {
			says[path.Dir(file)] = words[2]
		}
	}
	var rows [][]string
	for _, name := range slices.SortedFunc(maps.Keys(says), func(a, b string) int {
		return cmp.Or(cmp.Compare(floors[b], floors[a]), cmp.Compare(a, b))
	}) {
		if floor, known := floors[name]; known {
			rows = append(rows, []string{strconv.Itoa(floor), code(name), says[name]})
		}
	}
	return table([]string{"floor", "package", "which"}, rows), nil
}

// readFloors reads the floors of packages by their directories.
func readFloors() (map[string]int, error) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, floorFile), nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("read the floors: %w", err)
	}
	floors := map[string]int{}
	ast.Inspect(file, func(node ast.Node) bool {
		if pair, ok := node.(*ast.KeyValueExpr); ok {
			name, named := literal(pair.Key)
			text, _ := literal(pair.Value)
			if floor, err := strconv.Atoi(text); named && err == nil {
				floors[strings.TrimPrefix(name, module)] = floor
			}
		}
		return true
	})
	return floors, nil
}

// imports are the packages of the module that each of them imports, without
// generated ones.
func (s source) imports() map[string]map[string]bool {
	found := map[string]map[string]bool{}
	for file, parsed := range s {
		from := path.Dir(file)
		if found[from] == nil {
			found[from] = map[string]bool{}
		}
		for _, spec := range parsed.Imports {
			to, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module)
			if ours && !strings.HasPrefix(to, "rpc/gen/") {
				found[from][to] = true
			}
		}
	}
	return found
}

// reached are the packages that one imports, directly or not, and itself.
func reached(imports map[string]map[string]bool, from string) map[string]bool {
	found, next := map[string]bool{}, []string{from}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if !found[name] {
			found[name] = true
			next = slices.AppendSeq(next, maps.Keys(imports[name]))
		}
	}
	return found
}

func area(name string) string {
	switch first, _, _ := strings.Cut(name, "/"); first {
	case "cmd", "rpc", "web":
		return first
	}
	return "internal"
}

// drawBoxes draws the floors in Mermaid, from the highest down, and leaves out
// arrows that follow from others. The same boxes give the same text, whose
// packages it sorts in place.
func drawBoxes(boxes map[box][]string, arrows map[box]map[box]bool) string {
	downwards := func(a, b box) int {
		return cmp.Or(cmp.Compare(b.floor, a.floor), cmp.Compare(a.area, b.area))
	}
	var out strings.Builder
	out.WriteString("```mermaid\nflowchart TD\n")
	for _, from := range slices.SortedFunc(maps.Keys(boxes), downwards) {
		slices.Sort(boxes[from])
		var lines []string
		for some := range slices.Chunk(boxes[from], 5) {
			lines = append(lines, strings.Join(some, ", "))
		}
		fmt.Fprintf(&out, "    %s[\"<b>%d</b><br>%s\"]\n", from, from.floor, strings.Join(lines, "<br>"))
		for _, to := range slices.SortedFunc(maps.Keys(arrows[from]), downwards) {
			if !implied(arrows, from, to) {
				fmt.Fprintf(&out, "    %s --> %s\n", from, to)
			}
		}
	}
	return out.String() + "```\n"
}

// implied tells whether one box leads to another by way of a third.
func implied(arrows map[box]map[box]bool, from, to box) bool {
	for by := range arrows[from] {
		if by != to && leads(arrows, by, to) {
			return true
		}
	}
	return false
}

// leads tells whether a way goes from one box to another. It ends, since arrows
// only go down.
func leads(arrows map[box]map[box]bool, from, to box) bool {
	if arrows[from][to] {
		return true
	}
	for by := range arrows[from] {
		if by.floor > to.floor && leads(arrows, by, to) {
			return true
		}
	}
	return false
}
