package portal_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
)

// rows are what a list shows, each row's cells with their white space made single.
func rows(page *goquery.Document) []string {
	var list []string
	page.Find("tr[data-row]").Each(func(_ int, row *goquery.Selection) {
		var cells []string
		row.Find("td").Each(func(_ int, cell *goquery.Selection) {
			cells = append(cells, words(cell))
		})
		list = append(list, strings.Join(cells, " | "))
	})
	return list
}

// words is what a part of a page says, a space between its elements.
func words(s *goquery.Selection) string {
	var said []string
	s.Contents().Each(func(_ int, part *goquery.Selection) {
		if goquery.NodeName(part) == "#text" {
			said = append(said, strings.Fields(part.Text())...)
		} else if text := words(part); text != "" {
			said = append(said, text)
		}
	})
	return strings.Join(said, " ")
}

// line is values with a space between them.
func line(values ...any) string { return strings.TrimSpace(fmt.Sprintln(values...)) }

func want(t testing.TB, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

// wantIn wants a text to hold others, and wantNot wants it to hold none of them.
func wantIn(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: not %q in %s", what, part, text)
		}
	}
}

func wantNot(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%s: %q in %s", what, part, text)
		}
	}
}

// wantAnswer wants a page with the status, and with all of these words.
func wantAnswer(t testing.TB, what string, a answer, code int, parts ...string) {
	t.Helper()
	want(t, what, a.code, code)
	wantIn(t, what, a.text(), parts...)
}

func (b *bundle) confirm(t *testing.T, p payment.Payment) {
	t.Helper()
	_, err := b.payments.Confirm(t.Context(), b.asTrader(), p.ID)
	noError(t, err)
}

// 1500 RUB at 105 are 14.28571428 USDT for the merchant, 2500 are 23.80952380, and 9000.5 are
// 85.71904761.
func TestPayments(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	b.confirm(t, b.create(t, "1500"))
	b.create(t, "2500")
	b.create(t, "9000.50")
	b.create(t, "15000") // the other trader's
	first := "1 | %s | 1,500 ₽ | SBP transfer | %s | Completed | 14.28571428"
	requisite := words(p.page(t, "/trader/payments").Find("tr[data-row]").Last().Find("td").Eq(4))
	created := words(p.page(t, "/trader/payments").Find("tr[data-row]").Last().Find("td").Eq(1))
	one := fmt.Sprintf(first, created, requisite)
	two := fmt.Sprintf("2 | %s | 2,500 ₽ | SBP transfer | %s | Pending | 23.80952380", created, requisite)
	three := fmt.Sprintf("3 | %s | 9,000.50 ₽ | SBP transfer | %s | Pending | 85.71904761", created, requisite)
	for query, expected := range map[string][]string{
		"":                                 {three, two, one},
		"?status=completed":                {one},
		"?status=completed&status=pending": {three, two, one},
		"?status=failed":                   nil,
		"?min=2500&max=9000":               {two},
		"?max=1+500,00":                    {one},
		"?method=sbp":                      {three, two, one},
		"?method=card":                     nil,
		"?from=2000-01-01&to=2000-01-02":   nil,
		"?q=2&status=completed":            {two},
		"?q=4":                             nil, // another trader's
	} {
		want(t, query, rows(p.page(t, "/trader/payments"+query)), expected)
	}
	link := p.page(t, "/trader/payments").Find("tr[data-row] a").First()
	want(t, "the first link", link.AttrOr("href", ""), "/trader/payments/3")
}

// What is asked for stands in the address. A chip removes one filter and keeps the others, and an
// address that says something in vain is made short.
func TestFilters(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	b.create(t, "1500")
	page := p.page(t, "/trader/payments")
	want(t, "the time", strings.HasPrefix(words(page.Find(".window")), "The last 30 days, since "), true)
	page = p.page(t, "/trader/payments?status=pending&status=failed&min=1000&q=1234")
	var chips []string
	page.Find(".chips a").Each(func(_ int, chip *goquery.Selection) {
		chips = append(chips, words(chip)+" "+chip.AttrOr("href", ""))
	})
	want(t, "chips", strings.Join(chips, "\n"), strings.Join([]string{
		"Remove the filter: “1234” /trader/payments?min=1000&status=pending&status=failed",
		"Remove the filter: Pending /trader/payments?min=1000&q=1234&status=failed",
		"Remove the filter: Failed /trader/payments?min=1000&q=1234&status=pending",
		"Remove the filter: Amount from 1,000 /trader/payments?q=1234&status=pending&status=failed",
		"Clear all /trader/payments",
	}, "\n"))
	want(t, "ticked", page.Find("input[name=status][checked]").Length(), 2)
	a := p.get(t, "/trader/payments?q=&status=failed&method=&from=&to=&min=&max=")
	want(t, "an address in vain", line(a.code, a.to()), "303 /trader/payments?status=failed")
}

// What is wrong with a filter is said at its field, and what was typed stays there.
func TestWrongFilters(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	for query, expected := range map[string]string{
		"from=soon":                     "from soon Write the date as in 2026-11-03.",
		"from=2026-02-30":               "from 2026-02-30 Write the date as in 2026-11-03.",
		"from=2026-11-03&to=2026-11-02": "to 2026-11-02 Must not be before “From”.",
		"min=abc":                       "min abc Write an amount as in 1000 or 1000.50.",
		"min=-5":                        "min -5 Write an amount as in 1000 or 1000.50.",
		"max=1.005":                     "max 1.005 Write an amount as in 1000 or 1000.50.",
		"min=1e3":                       "min 1e3 Write an amount as in 1000 or 1000.50.",
		"min=10&max=5":                  "max 5 Must not be less than “Amount from”.",
		"q=" + strings.Repeat("x", 201): "q " + strings.Repeat("x", 201) + " At most 200 characters.",
	} {
		a := p.get(t, "/trader/payments?"+query)
		page := a.page(t)
		wrong := page.Find("[aria-invalid]")
		said := page.Find("#" + strings.TrimSpace(wrong.AttrOr("aria-describedby", "none"))).Text()
		got := fmt.Sprint(wrong.AttrOr("name", ""), " ", wrong.AttrOr("value", ""), " ", said)
		want(t, query, line(a.code, got, page.Find("table").Length()),
			line(http.StatusUnprocessableEntity, expected, 0))
		want(t, query+" as a file", p.get(t, "/trader/payments.csv?"+query).code, http.StatusUnprocessableEntity)
	}
	for query, expected := range map[string]int{"status=odd": 422, "method=odd": 422, "after=odd": 404, "before=1e": 404} {
		want(t, query, p.get(t, "/trader/payments?"+query).code, expected)
	}
}

// A list that shows nothing says whether there is nothing, nothing lately, or nothing that matches.
func TestEmptyList(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	said := func(query string) string { return words(p.page(t, "/trader/payments"+query).Find(".empty strong")) }
	want(t, "nothing", said(""), "No payments yet.")
	b.create(t, "1500")
	want(t, "none match", said("?min=5000"), "Nothing matches.")
	b.exec(t, "update payment set created_at = created_at - interval '60 days'")
	want(t, "nothing lately", said(""), "No payments in these 30 days.")
}

func (b *bundle) exec(t *testing.T, sql string) {
	t.Helper()
	b.Exec(t, sql)
}

// A list is read page by page, both ways, and keeps to its filters.
func TestPages(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	for i := range 60 {
		b.create(t, fmt.Sprint(100+i))
	}
	follow := func(page *goquery.Document, rel string) *goquery.Document {
		return p.page(t, page.Find(".pages a[rel="+rel+"]").AttrOr("href", "/none"))
	}
	first := p.page(t, "/trader/payments?min=101")
	second := follow(first, "next")
	want(t, "on the first", len(rows(first)), 50)
	want(t, "on the second", len(rows(second)), 9)
	want(t, "further", second.Find(".pages a[rel=next]").Length()+first.Find(".pages a[rel=prev]").Length(), 0)
	want(t, "and back", rows(follow(second, "prev")), rows(first))
}

// A file has what the list has, under a name that says of which days, and counts its rows.
func TestPaymentsFile(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	b.confirm(t, b.create(t, "1500"))
	b.create(t, "2500")
	a := p.get(t, "/trader/payments.csv?status=completed&from=2026-01-01&to=2099-12-31")
	want(t, "type", a.header.Get("Content-Type"), "text/csv; charset=utf-8")
	want(t, "name", a.header.Get("Content-Disposition"), "attachment; filename=payments-2026-01-01-2099-12-31.csv")
	lines := strings.Split(strings.TrimSpace(a.body), "\n")
	if len(lines) != 3 || !strings.Contains(lines[1], ",sbp,RUB,1500.00,completed,") || lines[2] != "rows,1" {
		t.Errorf("the file:\n%s", a.body)
	}
	b.user(t, "desk", caller.Trader, caller.Desk, b.traders[0].ID)
	desk := b.signIn(t, "desk")
	want(t, "offered to who may not", desk.page(t, "/trader/payments").Find("a[href*=csv]").Length(), 0)
}

// A payment's page says what may be known and done, and what happened, in the reader's language. What
// strangers wrote is text.
func TestPayment(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	pay := b.create(t, "1500")
	page := p.page(t, "/trader/payments/1")
	want(t, "steps", words(page.Find("main .actions")), "Money arrived № 1 Cancel № 1")
	reason := "<b>nothing</b> came"
	_, err := b.payments.Cancel(t.Context(), b.asTrader(), pay.ID, &reason)
	noError(t, err)
	page = p.page(t, "/trader/payments/1")
	want(t, "steps of an ended one", page.Find("main .actions").Length(), 0)
	want(t, "a stranger's elements", page.Find(".timeline b, .facts b").Length(), 0)
	text := words(page.Find("main"))
	wantIn(t, "the page", text, "Cancelled", "Reason <b>nothing</b> came",
		"The merchant gets 14.28571428 USDT", "You keep 0.00 USDT", pay.UUID.String(),
		"Created: 1,500 ₽, SBP transfer · merchant", "Status: Pending → Cancelled",
		"−15.00 USDT available Held for a payment",
		"+15.00 USDT available Payment cancelled: no longer held")
	at := page.Find(".timeline li.status time").First()
	want(t, "UTC", at.AttrOr("title", ""), pay.CreatedAt.UTC().Format("2006-01-02 15:04:05 UTC"))
	russian := words(p.page(t, "/trader/payments/1?lang=ru").Find(".timeline"))
	if !strings.Contains(russian, "Статус: Ожидает → Отменён") || strings.Contains(russian, "Held") {
		t.Errorf("in Russian: %s", russian)
	}
	foreign := b.trader(t, 1)
	for _, path := range []string{"/trader/payments/1", "/trader/payments/1/receipts/1"} {
		want(t, "another trader's "+path, foreign.get(t, path).code, http.StatusNotFound)
	}
	want(t, "one that is none", p.get(t, "/trader/payments/x").code, http.StatusNotFound)
}

// A receipt is given as a file of the type found in it, whatever its payer calls it.
func TestReceipt(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	pay := b.create(t, "1500")
	_, err := b.payments.Claim(t.Context(), pay.UUID)
	noError(t, err)
	const png = "\x89PNG\r\n\x1a\n"
	file := io.NewSectionReader(strings.NewReader(png), 0, int64(len(png)))
	noError(t, b.payments.AddReceipt(t.Context(), pay.UUID, `<img src=x>.png`, file))
	page := p.page(t, "/trader/payments/1")
	want(t, "its name as an element", page.Find("#receipts img").Length(), 0)
	want(t, "in the timeline", words(page.Find(".timeline .receipt span").First()),
		"The payer sent receipt 1: PNG, 8 B")
	a := p.get(t, page.Find("#receipts a").AttrOr("href", ""))
	want(t, "the file", a.body, png)
	want(t, "type", a.header.Get("Content-Type")+" "+a.header.Get("X-Content-Type-Options"), "image/png nosniff")
	if !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment;") {
		t.Errorf("to be shown: %q", a.header.Get("Content-Disposition"))
	}
	for _, n := range []string{"0", "2", "x", "99999999999"} {
		want(t, "receipt "+n, p.get(t, "/trader/payments/1/receipts/"+n).code, http.StatusNotFound)
	}
}
