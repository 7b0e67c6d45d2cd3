package export_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/export"
	"gateway.example/internal/testenv"
)

// Only texts are prefixed: a number may begin with a minus.
func TestNoFormulas(t *testing.T) {
	t.Parallel()
	for cell, want := range map[any]string{
		"=1": "'=1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\tx": "'\tx", "\rx": "'\rx", "\nx": "'\nx", "＝1": "'＝1", "－1": "'－1",
		"x=1": "x=1", "": "", "1-2": "1-2", export.USDT(new(decimal.NewFromInt(-5))): "-5.00000000",
	} {
		var file strings.Builder
		table := export.New(&file, nil, "cell", "next")
		table.Row(cell, "x")
		testenv.NoError(t, table.End())
		rows := csv.NewReader(strings.NewReader(file.String()))
		rows.FieldsPerRecord = -1
		testenv.Want(t, testenv.Must(rows.ReadAll())(t)[1][0], want, "%q becomes", cell)
	}
}

// Where people write 1,5 a spreadsheet separates by semicolons, and so finds
// more cells in a text of ours.
func TestNoFormulasBetweenSemicolons(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"x;=1+1;", "x;+1", "=1;@x", "x;\"=1+1;", "x\n=1+1;", "x\r\n-1;", "x;\t＝1", "x;;=1"} {
		var file strings.Builder
		table := export.New(&file, nil, "id", "cell")
		table.Row(int64(1), text)
		testenv.NoError(t, table.End())
		rows := csv.NewReader(strings.NewReader(file.String()))
		rows.Comma, rows.FieldsPerRecord, rows.LazyQuotes = ';', -1, true
		for _, row := range testenv.Must(rows.ReadAll())(t) {
			for _, cell := range row {
				begin := strings.TrimLeft(cell, "\"\t\r\n")
				testenv.Check(t, !strings.ContainsAny(begin[:min(1, len(begin))], "=+-@") && !strings.HasPrefix(begin, "＝"),
					"%q has the cell %q", text, cell)
			}
		}
	}
}
