// Package export writes tables as files for people: CSV of which a spreadsheet
// takes a text for a text and a number for a number, and which says at its end
// that it is whole.
package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Table writes rows as CSV and counts them.
type Table struct {
	csv  *csv.Writer
	zone *time.Location
	rows int
	err  error
}

// New begins a file with the names of its columns.
func New(w io.Writer, zone *time.Location, columns ...string) *Table {
	if zone == nil {
		zone = time.UTC
	}
	t := &Table{csv: csv.NewWriter(w), zone: zone}
	t.err = t.csv.Write(columns)
	return t
}

// Row writes a row. What goes wrong, Flush tells.
func (t *Table) Row(values ...any) {
	cells := make([]string, 0, len(values))
	for _, value := range values {
		cells = append(cells, cell(value, t.zone))
	}
	if err := t.csv.Write(cells); t.err == nil {
		t.err = err
	}
	t.rows++
}

// Flush sends what was written.
func (t *Table) Flush() error {
	t.csv.Flush()
	if t.err == nil {
		t.err = t.csv.Error()
	}
	if t.err != nil {
		return fmt.Errorf("write export: %w", t.err)
	}
	return nil
}

// End writes the line that says the file is whole, and how many rows it has.
func (t *Table) End() error {
	if err := t.csv.Write([]string{"rows", strconv.Itoa(t.rows)}); t.err == nil {
		t.err = err
	}
	return t.Flush()
}

const (
	// formulaBegins are what formulas begin with, in full width as well,
	// which some spreadsheets take for the same.
	formulaBegins = "=+-@＝＋－＠"
	// cellEnds are what may end a cell within a text. A spreadsheet in a
	// language that writes 1,5 separates by semicolons, and heeds no
	// quotation mark that is not at the beginning of a cell.
	cellEnds = ";\t\r\n"
)

// safeText is a text of which no spreadsheet takes any part for a formula.
// Others wrote it: an order id that begins with "=" would be carried out by
// whoever opens the file.
func safeText(text string) string {
	var out strings.Builder
	if text != "" && strings.IndexByte("\t\r\n", text[0]) >= 0 {
		out.WriteByte('\'')
	}
	begins, written := true, 0
	for i, r := range text {
		if begins && strings.ContainsRune(formulaBegins, r) {
			out.WriteString(text[written:i] + "'")
			written = i
		}
		begins = strings.ContainsRune(cellEnds, r) || begins && i > 0 && r == '"'
	}
	return out.String() + text[written:]
}
