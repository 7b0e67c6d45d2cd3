// Command gendocs writes the tables of the documentation that the code knows
// best: error codes, flags and environment variables, metrics, webhook events,
// fields of requests and methods. It reads the source of the program, its SQL
// and docs/openapi.json, and replaces what stands between a line "<!--
// generated: NAME -->" and the next line "<!-- end -->" in the Markdown files
// of the repository. Those in Russian have the cells of russian.txt. It also
// writes the lists of the TypeScript package, and the fields of requests and
// answers in the clients for Python and PHP.
//
// It fails where the code has something that this package says nothing of, such
// as an error code without a remedy.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gateway.example/docs"
)

//go:generate go run .

// root is the repository, seen from this directory: go generate and go test run
// a package's code in its directory.
const root = "../.."

func main() {
	if err := run(root); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

// run writes every page anew that is not up to date.
func run(root string) error {
	pages, err := generate(root)
	if err != nil {
		return err
	}
	for path, page := range pages {
		if page.now == page.generated {
			continue
		}
		//nolint:gosec // documentation is for everybody to read
		err := os.WriteFile(path, []byte(page.generated), 0o644)
		if err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	return nil
}

// page is a file as it is now, and as it is with what is generated of it made
// anew.
type page struct{ now, generated string }

// generate returns the pages of the repository by their path.
func generate(root string) (map[string]page, error) {
	src, err := parse(root)
	if err != nil {
		return nil, err
	}
	tables, err := makeTables(src)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "docs/ru/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, fmt.Errorf("look for pages: %w", err)
		}
		paths = append(paths, found...)
	}
	pages, used := map[string]page{}, map[string]bool{}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read a page: %w", err)
		}
		itsTables := tables
		if strings.HasPrefix(path, filepath.Join(root, "docs", docs.Russian)) {
			itsTables = inRussian(tables, filepath.Base(path))
		}
		generated, err := fill(string(content), itsTables, used)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		pages[path] = page{now: string(content), generated: generated}
	}
	for name := range tables {
		if !used[name] {
			return nil, fmt.Errorf("no page has a place for the table %q", name)
		}
	}
	described, err := readDescription(root)
	if err != nil {
		return nil, err
	}
	if err := clientTypes(root, described, pages); err != nil {
		return nil, err
	}
	lists, err := typescriptLists(root, src)
	if err != nil {
		return nil, err
	}
	pages[filepath.Join(root, listsFile)] = lists
	return pages, nil
}

// The marks stand on lines of their own.
var beginMark = regexp.MustCompile("(?m)^<!-- generated: (\\S+) -->\n")

const endMark = "\n<!-- end -->\n"

// fill replaces what stands between the marks of a page, and notes which tables
// it used.
func fill(content string, tables map[string]string, used map[string]bool) (string, error) {
	var out strings.Builder
	for {
		mark := beginMark.FindStringSubmatchIndex(content)
		if mark == nil {
			out.WriteString(content)
			return out.String(), nil
		}
		begin, name, body := content[:mark[1]], content[mark[2]:mark[3]], content[mark[1]-1:]
		table, known := tables[name]
		if !known {
			return "", fmt.Errorf("there is no table %q", name)
		}
		_, after, found := strings.Cut(body, endMark)
		if !found {
			return "", fmt.Errorf("the table %q has no end", name)
		}
		used[name] = true
		out.WriteString(begin + strings.TrimSuffix(table, "\n") + endMark)
		content = after
	}
}

// makeTables makes every table from the source.
func makeTables(src source) (map[string]string, error) {
	var err error
	tables := map[string]string{}
	for name, make := range map[string]func(source) (string, error){
		"codes": codeTable, "settings": settingTable, "secrets": secretTable, "metrics": metricTable,
		"methods": methodTable, "requisites": requisiteTable, "floors": floorPicture, "packages": packageTable, "declared": declaredTable,
		"second": secondTable,
		"rules":  ruleTable,
		"tables": tableTable,
	} {
		if tables[name], err = make(src); err != nil {
			return nil, err
		}
	}
	described, err := readDescription(root)
	if err != nil {
		return nil, err
	}
	for _, message := range []string{"CreatePaymentRequest", "CreatePayinRequest", "CreateDepositRequest", "CreateWithdrawalRequest"} {
		if tables["fields-"+message], err = described.fieldTable(message); err != nil {
			return nil, err
		}
	}
	if tables["faults"], err = faultTable(root); err != nil {
		return nil, err
	}
	tables["events"], err = eventTable(src, described)
	return tables, err
}

// faultTable is what a test has measured and written into the English page.
func faultTable(root string) (string, error) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "operate", "failover.md"))
	if err != nil {
		return "", fmt.Errorf("read the table of faults: %w", err)
	}
	_, measured, _ := strings.Cut(string(page), "<!-- measured: ")
	_, measured, _ = strings.Cut(measured, "\n")
	measured, _, found := strings.Cut(measured, "<!-- measured end -->")
	if !found {
		return "", errors.New("docs/operate/failover.md has no table of faults")
	}
	return measured, nil
}

// table writes rows of cells as Markdown.
func table(header []string, rows [][]string) string {
	var out strings.Builder
	line := func(cells []string) { out.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(header)
	out.WriteString("|" + strings.Repeat("---|", len(header)) + "\n")
	for _, row := range rows {
		line(row)
	}
	return out.String()
}

func code(text string) string { return "`" + text + "`" }

// sentence gives a text a capital letter and a full stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
