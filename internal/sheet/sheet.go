// Package sheet reads tables out of files as people send them: text with a
// column for each value (CSV), and workbooks of Excel (XLSX).
package sheet

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"
	"github.com/thedatashed/xlsxreader"
	"golang.org/x/text/encoding/charmap"
)

const (
	// maxUnpacked is how many bytes a workbook may have when it is
	// unpacked. Its texts are all in memory at once.
	maxUnpacked = 16 << 20
	// maxColumns is how many columns are read.
	maxColumns = 200
	// maxCells is how many cells a workbook may have: a few bytes of a file
	// are many of memory.
	maxCells = 1 << 20
	// maxText is how many bytes the cells of a workbook may have in all. A
	// text that it has once may be in each of them.
	maxText = 2 * maxUnpacked
)

// What is wrong with a file. Each completes the sentence "the file ...".
var (
	ErrLong = errors.New("has too many rows")
	ErrBook = errors.New("is no XLSX workbook that can be opened")
	// ErrBusy is about no file: other workbooks were read for too long.
	ErrBusy = errors.New("could not be read beside others: send it again")
)

// IsBook tells a workbook from text.
func IsBook(content []byte) bool { return bytes.HasPrefix(content, []byte("PK\x03\x04")) }

// Rows reads the rows of a file, of a workbook those of its first sheet. A
// row's place is its line in the file, so that empty ones are there as well. A
// workbook waits until those before it are read: hold no connection meanwhile.
func Rows(ctx context.Context, content []byte, most int) ([][]string, error) {
	if IsBook(content) {
		ctx, cancel := context.WithTimeout(ctx, longestWait)
		defer cancel()
		select {
		case reading <- struct{}{}:
			defer func() { <-reading }()
			return bookRows(content, most)
		case <-ctx.Done():
			return nil, ErrBusy
		}
	}
	return textRows(Decode(content), most)
}

// Decode makes text of a file, which is in UTF-8 or, as older programs write
// it, in Windows' Cyrillic.
func Decode(content []byte) string {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	if utf8.Valid(content) {
		return string(content)
	}
	text, _ := charmap.Windows1251.NewDecoder().Bytes(content) // every byte has a character or a replacement
	return string(text)
}

// textRows reads lines of values.
func textRows(text string, most int) ([][]string, error) {
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.FieldsPerRecord, reader.LazyQuotes = separatorOf(text), -1, true
	var rows [][]string
	for {
		row, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil:
			return nil, fmt.Errorf("has a line that cannot be read: %w", err)
		}
		// The reader leaves out empty lines, and a text may go over
		// several.
		number, _ := reader.FieldPos(0)
		for len(rows) < number-1 && len(rows) <= most {
			rows = append(rows, nil)
		}
		if rows = append(rows, row[:min(len(row), maxColumns)]); len(rows) > most {
			return nil, ErrLong
		}
	}
}

// separatorOf is what separates the values of a text: a semicolon or a tab,
// whichever there is more of. A comma is it only where there is neither,
// because commas stand in amounts and texts, too.
func separatorOf(text string) rune {
	semicolons, tabs := strings.Count(text, ";"), strings.Count(text, "\t")
	switch {
	case tabs > semicolons:
		return '\t'
	case semicolons > 0:
		return ';'
	}
	return ','
}

// reading lets only one workbook be read at a time, because each can take some
// hundred megabytes of memory for a moment, and two seconds.
var reading = make(chan struct{}, 1)

// longestWait is how long a workbook waits for those before it.
const longestWait = 10 * time.Second

// bookRows reads the first sheet of a workbook.
func bookRows(content []byte, most int) ([][]string, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, ErrBook
	}
	// A small archive may unpack to more than there is memory.
	unpacked := uint64(0)
	for _, file := range archive.File {
		unpacked += min(file.UncompressedSize64, maxUnpacked+1)
	}
	if unpacked > maxUnpacked {
		return nil, ErrLong
	}
	for _, file := range archive.File {
		if err := harmless(file); err != nil {
			return nil, err
		}
	}
	book, err := xlsxreader.NewReaderZip(archive)
	if err != nil || len(book.Sheets) == 0 {
		return nil, ErrBook
	}
	var rows [][]string
	var failed error
	text := 0
	for row := range book.ReadRows(book.Sheets[0]) { // read to the end, or its goroutine stays
		if failed == nil {
			failed = row.Error
		}
		if failed == nil && len(rows) >= most {
			failed = ErrLong
		}
		if failed != nil {
			continue
		}
		for len(rows) < row.Index-1 && len(rows) < most {
			rows = append(rows, nil)
		}
		var values []string
		values, failed = cells(row)
		rows = append(rows, values)
		for _, value := range values {
			text += len(value)
		}
		if failed == nil && text > maxText {
			failed = ErrLong
		}
	}
	if failed != nil && !errors.Is(failed, ErrLong) {
		return nil, ErrBook
	}
	return rows, failed
}

// cells are a row's values. A cell that does not say where it is could be any
// of them.
func cells(row xlsxreader.Row) ([]string, error) {
	var values []string
	for _, cell := range row.Cells {
		column := cell.ColumnIndex()
		if column < 0 {
			return nil, ErrBook
		}
		for len(values) <= column && column < maxColumns {
			values = append(values, "")
		}
		if column < len(values) {
			values[column] = plain(cell)
		}
	}
	return values, nil
}

const (
	// farthest is up to which power of ten a number is written out.
	farthest = 30
	// exact is how many digits of a whole number a workbook keeps. Of a
	// longer one, such as an account, the last are lost.
	exact = 15
	// longest is more characters than a workbook has for a number. Of
	// millions of digits a number would take minutes.
	longest = 64
)

// plain is a cell as people write it: a number is kept as 1.2345678E7, and with
// what binary fractions have too much. One with digits that are lost is cut
// there, so that nothing takes it for an account.
func plain(cell xlsxreader.Cell) string {
	if cell.Type == xlsxreader.TypeDateTime { // a workbook knows no zones, and a time alone is one of its first day
		return strings.TrimPrefix(strings.TrimSuffix(cell.Value, "Z"), "1899-12-30T")
	}
	if cell.Type != xlsxreader.TypeNumerical || len(cell.Value) > longest {
		return cell.Value
	}
	number, err := decimal.NewFromString(cell.Value)
	if err != nil || number.Exponent() > farthest || number.Exponent() < -farthest {
		return cell.Value
	}
	if whole := number.Truncate(0).String(); len(strings.TrimPrefix(whole, "-")) > exact {
		return whole[:exact] + lost
	}
	return number.Round(8).String() //nolint:mnd // more than any currency has, and less than a binary fraction is off by
}

// lost stands for the digits that a workbook has not kept.
const lost = "…"

// rounded matches a long number as a spreadsheet writes it into text.
var rounded = regexp.MustCompile(`^-?\d([.,]\d+)?E\+\d+$`)

// LostDigits reports whether a value is a number of which a workbook, or a
// spreadsheet that made text of it, has lost digits.
func LostDigits(value string) bool {
	kept, found := strings.CutSuffix(value, lost)
	return found && len(kept) == exact && strings.Trim(kept, "-0123456789") == "" || rounded.MatchString(value)
}

// failed matches what a spreadsheet has in place of a value: the error of a
// formula, in English or as a text is saved in other languages, or a number for
// which its column was too narrow.
var failed = regexp.MustCompile(`^#(N/A|Н/Д|YOK|[\p{Lu}0/]+[!?]|#+)$`)

// IsError reports whether a value is none: a spreadsheet shows it where it has
// no value, or no room for it.
func IsError(value string) bool { return failed.MatchString(value) }
