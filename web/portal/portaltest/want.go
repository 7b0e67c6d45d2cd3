package portaltest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/testenv"
)

// List returns the rows of a merchant's list, without the times.
func List(t testing.TB, p *Person, path string, cells ...int) []string {
	t.Helper()
	var list []string
	for _, row := range Rows(p.Page(t, path)) {
		parts := strings.Split(row, " | ")
		var kept []string
		for _, cell := range cells {
			kept = append(kept, parts[cell])
		}
		list = append(list, strings.Join(kept, " | "))
	}
	return list
}

// Rows are the rows of a list, each cell with single spaces.
func Rows(page *goquery.Document) []string {
	var list []string
	page.Find("tr[data-row]").Each(func(_ int, row *goquery.Selection) {
		var cells []string
		row.Find("td").Each(func(_ int, cell *goquery.Selection) {
			cells = append(cells, Words(cell))
		})
		list = append(list, strings.Join(cells, " | "))
	})
	return list
}

// Words is the text of a part of a page, with a space between elements.
func Words(s *goquery.Selection) string {
	var said []string
	s.Contents().Each(func(_ int, part *goquery.Selection) {
		if goquery.NodeName(part) == "#text" {
			said = append(said, strings.Fields(part.Text())...)
		} else if part.HasClass("fine") && len(said) > 0 { // the other digits of a number
			said[len(said)-1] += part.Text()
		} else if text := Words(part); text != "" {
			said = append(said, text)
		}
	})
	return strings.Join(said, " ")
}

// Line is values with a space between them.
func Line(values ...any) string { return strings.TrimSpace(fmt.Sprintln(values...)) }

// WantSoon repeats a check, for a value that a page leaves out when the
// database is too busy.
func WantSoon(t testing.TB, what string, got func() string, want string) {
	t.Helper()
	last := ""
	_ = testenv.Eventually(func() error {
		if last = got(); last != want {
			return errors.New(last)
		}
		return nil
	})
	Want(t, what, last, want)
}

// Want compares the printed forms of two values.
func Want(t testing.TB, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

// WantIn checks that a text contains the others.
func WantIn(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: not %q in %s", what, part, text)
		}
	}
}

// WantNot checks that a text contains none of the others.
func WantNot(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%s: %q in %s", what, part, text)
		}
	}
}

// WantAnswer checks that a page has the status and contains all of these texts.
func WantAnswer(t testing.TB, what string, a Answer, code int, parts ...string) {
	t.Helper()
	Want(t, what, a.Code, code)
	WantIn(t, what, a.Text(), parts...)
}

// Says checks that a page contains texts.
func Says(t testing.TB, a Answer, wanted ...string) {
	t.Helper()
	WantIn(t, "the page", a.Text(), wanted...)
}

// Band is the text of a page that says who looks as whom.
func Band(t testing.TB, a Answer) string {
	t.Helper()
	return Words(a.Page(t).Find(".viewing p"))
}
