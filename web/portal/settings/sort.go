package settings

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gateway.example/web/portal"
	"gateway.example/web/portal/view"
)

// none stands in place of a missing number.
const none = "–"

// sorted sorts a list by the column in the address, which is "2" or "-2" for
// the second, and makes the heads of columns links to that. It may be called
// only for a list that is complete on one page, because otherwise a page would
// show only some of its rows.
func (v *visit) sorted(d *Directory, kept []string) {
	asked := v.R.URL.Query().Get(portal.AsksSort)
	by, err := strconv.Atoi(asked)
	if at := max(by, -by); err == nil && at >= 1 && at <= len(d.Columns) {
		slices.SortStableFunc(d.Rows, func(a, b []view.Cell) int {
			return compare(a[at-1], b[at-1], by < 0)
		})
	}
	for i := range d.Columns {
		column := strconv.Itoa(i + 1)
		s := view.Sorting{Up: asked == column, Down: asked == "-"+column}
		if s.Up {
			column = "-" + column
		}
		s.Href = view.Query(d.Path, append(slices.Clone(kept), portal.AsksSort, column)...)
		d.Columns[i].Sort = s
	}
	if asked != "" {
		d.Keep = append(d.Keep, [2]string{portal.AsksSort, asked})
	}
}

// compare compares cells by their numbers or texts. A cell without a value
// comes last in either direction.
func compare(a, b view.Cell, down bool) int {
	order := func(c view.Cell) (number float64, text string, rank int) {
		text = strings.ToLower(c.Text)
		if c.By != nil {
			return *c.By, "", 0
		}
		if number, err := strconv.ParseFloat(text, 64); err == nil {
			return number, "", 0
		}
		if text == "" || text == none {
			return 0, "", 2
		}
		return 0, text, 1
	}
	numberA, textA, rankA := order(a)
	numberB, textB, rankB := order(b)
	if rankA != rankB {
		return cmp.Compare(rankA, rankB)
	}
	by := cmp.Or(cmp.Compare(numberA, numberB), strings.Compare(textA, textB))
	if down {
		return -by
	}
	return by
}
