// Package bankstatement reads statements as banks give them to their customers,
// and finds which of their lines are payments. Nothing of a statement is kept.
package bankstatement

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/sheet"
)

const (
	// MaxSize is how many bytes a file may have.
	MaxSize = 4 << 20
	// maxLines is how many movements a statement may have.
	maxLines = 10_000
	// maxText is how much of a line's text is kept, in characters.
	maxText = 300
)

// Line is a movement on a statement.
type Line struct {
	// Number is the line's place in the file, counted from 1 as in the
	// program that shows the file.
	Number int
	// At is the time of the movement. If Timed is false the statement has
	// only the day, and At is its beginning.
	At    time.Time
	Timed bool
	// Amount is positive for money that was received.
	Amount decimal.Decimal
	// Text is the bank's description of the movement.
	Text string
}

// Errors about a file as a whole.
var (
	errEmpty   = errors.New("has no movement that could be read")
	errUnknown = errors.New("has no row that names a column of dates and one of amounts")
	errLong    = fmt.Errorf("has more than %d movements: send a shorter period", maxLines)
)

// lineError says which line of a file is wrong, and why.
func lineError(number int, what, value string) error {
	return fmt.Errorf("has a line %d whose %s cannot be read: %q", number, what, cut(value, 40))
}

// Read reads a statement: a 1C exchange file, an Excel workbook (XLSX), or text
// with a column for each value (CSV), whose columns are found by their
// headings. Times without a zone are taken to be in the given zone. The text of
// an error completes the sentence "the file ...", and that of sheet.ErrBusy is
// about no file.
func Read(ctx context.Context, content []byte, zone *time.Location) ([]Line, error) {
	if !sheet.IsBook(content) {
		if text := sheet.Decode(content); strings.HasPrefix(text, exchangeHead) {
			return checked(fromExchange(text, zone))
		}
	}
	rows, err := sheet.Rows(ctx, content, 2*maxLines)
	if err != nil {
		return checked(nil, err)
	}
	if line := joined(rows); line > 0 && !sheet.IsBook(content) {
		return nil, fmt.Errorf("has a line %d that goes over several lines: is a quotation mark missing?", line)
	}
	return checked(fromTable(rows, zone))
}

// checked refuses a statement without movements and one with too many. Other
// errors about the file pass unchanged.
func checked(lines []Line, err error) ([]Line, error) {
	switch {
	case errors.Is(err, sheet.ErrLong):
		return nil, errLong
	case err != nil:
		return nil, err
	case len(lines) == 0:
		return nil, errEmpty
	case len(lines) > maxLines:
		return nil, errLong
	}
	return lines, nil
}

func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
