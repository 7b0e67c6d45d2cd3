package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// csvTable writes rows as CSV and counts them.
type csvTable struct {
	csv  *csv.Writer
	zone *time.Location
	rows int
	err  error
}

// newTable begins a file with the names of its columns.
func newTable(w io.Writer, zone *time.Location, columns ...string) *csvTable {
	if zone == nil {
		zone = time.UTC
	}
	t := &csvTable{csv: csv.NewWriter(w), zone: zone}
	t.err = t.csv.Write(columns)
	return t
}

// row writes a row. What goes wrong, flush tells.
func (t *csvTable) row(values ...any) {
	cells := make([]string, 0, len(values))
	for _, value := range values {
		cells = append(cells, cell(value, t.zone))
	}
	if err := t.csv.Write(cells); t.err == nil {
		t.err = err
	}
	t.rows++
}

// flush sends what was written.
func (t *csvTable) flush() error {
	t.csv.Flush()
	if t.err == nil {
		t.err = t.csv.Error()
	}
	if t.err != nil {
		return fmt.Errorf("write export: %w", t.err)
	}
	return nil
}

// end writes the line that says the file is whole, and how many rows it has.
func (t *csvTable) end() error {
	if err := t.csv.Write([]string{"rows", strconv.Itoa(t.rows)}); t.err == nil {
		t.err = err
	}
	return t.flush()
}

// formulaBegins are what formulas begin with, in full width as well, which some spreadsheets take for
// the same.
const formulaBegins = "=+-@\t\r\n＝＋－＠"

// safeText is a text that no spreadsheet takes for a formula. Others wrote it: an order id that
// begins with "=" would be carried out by whoever opens the file.
func safeText(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	if text != "" && strings.ContainsRune(formulaBegins, first) {
		return "'" + text
	}
	return text
}
