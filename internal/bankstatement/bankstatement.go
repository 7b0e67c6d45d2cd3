// Package bankstatement reads statements as banks give them to their customers, and finds which of their lines are
// payments. Nothing of a statement is kept.
package bankstatement

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"
	"github.com/thedatashed/xlsxreader"
	"golang.org/x/text/encoding/charmap"
)

const (
	// MaxSize is how many bytes a file may have.
	MaxSize = 4 << 20
	// maxLines is how many movements a statement may have.
	maxLines = 10_000
	// maxUnpacked is how many bytes a workbook may have when it is unpacked.
	maxUnpacked = 64 << 20
	// maxText is how much of a line's text is kept, in characters.
	maxText = 300
)

// Line is a movement on a statement.
type Line struct {
	// Number is its place in the file, from 1, as its reader counts.
	Number int
	// At is when it was. Without Timed the statement has only the day, which begins then.
	At    time.Time
	Timed bool
	// Amount is above zero for what came in.
	Amount decimal.Decimal
	// Text is what the bank says about it.
	Text string
}

// Errors about a file as a whole.
var (
	errEmpty   = errors.New("has no movement that could be read")
	errUnknown = errors.New("has no row that names a column of dates and one of amounts")
	errLong    = fmt.Errorf("has more than %d movements: send a shorter period", maxLines)
	errBook    = errors.New("is no XLSX workbook that can be opened")
)

// lineError says what is wrong in which line of a file.
func lineError(number int, what, value string) error {
	return fmt.Errorf("has a line %d whose %s cannot be read: %q", number, what, cut(value, 40))
}

// Read reads a statement: an exchange file of 1C, a workbook of Excel (XLSX), or text with a column for each value
// (CSV), whose columns are found by their names. Times without a zone are in the one given. An error completes the
// sentence "the file ...".
func Read(content []byte, zone *time.Location) ([]Line, error) {
	var lines []Line
	var err error
	switch {
	case bytes.HasPrefix(content, []byte("PK\x03\x04")):
		var rows [][]string
		if rows, err = bookRows(content); err == nil {
			lines, err = fromTable(rows, zone)
		}
	case strings.HasPrefix(decode(content), exchangeHead):
		lines, err = fromExchange(decode(content), zone)
	default:
		var rows [][]string
		if rows, err = textRows(decode(content)); err == nil {
			lines, err = fromTable(rows, zone)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case len(lines) == 0:
		return nil, errEmpty
	case len(lines) > maxLines:
		return nil, errLong
	}
	return lines, nil
}

// decode makes text of a file, which is in UTF-8 or, as older programs write it, in Windows' Cyrillic.
func decode(content []byte) string {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	if utf8.Valid(content) {
		return string(content)
	}
	text, _ := charmap.Windows1251.NewDecoder().Bytes(content) // every byte has a character or a replacement
	return string(text)
}

// textRows takes the separator that most lines have most of.
func textRows(text string) ([][]string, error) {
	separator, most := ',', 0
	for _, one := range []rune{';', '\t', ','} {
		if count := strings.Count(text, string(one)); count > most {
			separator, most = one, count
		}
		if one == '\t' && most > 0 { // commas stand in amounts and texts, too
			break
		}
	}
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.FieldsPerRecord, reader.LazyQuotes = separator, -1, true
	var rows [][]string
	for {
		row, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil:
			return nil, fmt.Errorf("has a line that cannot be read: %w", err)
		}
		// The reader leaves out empty lines, and a text may go over several.
		number, _ := reader.FieldPos(0)
		for len(rows) < number-1 && len(rows) <= maxLines {
			rows = append(rows, nil)
		}
		if rows = append(rows, row); len(rows) > 2*maxLines {
			return nil, errLong
		}
	}
}

// bookRows reads the first sheet of a workbook.
func bookRows(content []byte) ([][]string, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, errBook
	}
	// A small archive may unpack to more than there is memory.
	unpacked := uint64(0)
	for _, file := range archive.File {
		unpacked += min(file.UncompressedSize64, maxUnpacked+1)
	}
	if unpacked > maxUnpacked {
		return nil, errLong
	}
	book, err := xlsxreader.NewReaderZip(archive)
	if err != nil || len(book.Sheets) == 0 {
		return nil, errBook
	}
	var rows [][]string
	var failed error
	for row := range book.ReadRows(book.Sheets[0]) { // read to the end, or its goroutine stays
		if failed == nil {
			failed = row.Error
		}
		if failed == nil && len(rows) > 2*maxLines {
			failed = errLong
		}
		if failed != nil {
			continue
		}
		for len(rows) < row.Index-1 && len(rows) <= 2*maxLines {
			rows = append(rows, nil)
		}
		var cells []string
		for _, cell := range row.Cells {
			column := cell.ColumnIndex()
			for len(cells) <= column && column < 200 {
				cells = append(cells, "")
			}
			if column < len(cells) {
				cells[column] = cell.Value
			}
		}
		rows = append(rows, cells)
	}
	if failed != nil && !errors.Is(failed, errLong) {
		return nil, errBook
	}
	return rows, failed
}

func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
