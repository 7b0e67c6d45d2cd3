package payments_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// A trader sees what they keep of what was completed: here their share is 0 percent.
func TestPayments(t *testing.T) {
	b, p := portaltest.Trader(t)
	b.Confirm(t, b.Create(t, "1500"))
	b.Create(t, "2500")
	b.Create(t, "9000.50")
	b.Create(t, "15000") // the other trader's
	first := "1 | %s | 1,500 ₽ | SBP transfer | %s | Completed | 0.00000000"
	requisite := words(p.Page(t, "/trader/payments").Find("tr[data-row]").Last().Find("td").Eq(4))
	created := words(p.Page(t, "/trader/payments").Find("tr[data-row]").Last().Find("td").Eq(1))
	one := fmt.Sprintf(first, created, requisite)
	two := fmt.Sprintf("2 | %s | 2,500 ₽ | SBP transfer | %s | Pending | ", created, requisite)
	three := fmt.Sprintf("3 | %s | 9,000.50 ₽ | SBP transfer | %s | Pending | ", created, requisite)
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
		want(t, query, rows(p.Page(t, "/trader/payments"+query)), expected)
	}
	want(t, "the first link", p.Page(t, "/trader/payments").Find("tr[data-row] a").First().AttrOr("href", ""), "/trader/payments/3")
}

// A file has what the list has, under a name that says of which days, and counts its rows.
func TestPaymentsFile(t *testing.T) {
	b, p := portaltest.Trader(t)
	b.Confirm(t, b.Create(t, "1500"))
	b.Create(t, "2500")
	a := p.Get(t, "/trader/payments.csv?status=completed&from=2026-01-01&to=2099-12-31")
	want(t, "type", a.Header.Get("Content-Type"), "text/csv; charset=utf-8")
	want(t, "name", a.Header.Get("Content-Disposition"), "attachment; filename=payments-2026-01-01-2099-12-31.csv")
	lines := strings.Split(strings.TrimSpace(a.Body), "\n")
	testenv.Check(t, len(lines) == 3 && strings.Contains(lines[1], ",sbp,RUB,1500.00,completed,") && lines[2] == "rows,1",
		"the file:\n%s", a.Body)
	want(t, "offered to who may not", b.Clerk(t).Page(t, "/trader/payments").Find("a[href*=csv]").Length(), 0)
}

// A payment's page says what may be known and done, and what happened, in the reader's language. What strangers wrote is text.
func TestPayment(t *testing.T) {
	b, p := portaltest.Trader(t)
	pay := b.Create(t, "1500")
	want(t, "steps", words(p.Page(t, "/trader/payments/1").Find("main .actions")), "Money arrived № 1 Cancel № 1")
	reason := "<b>nothing</b> came"
	testenv.Must(b.Payments.Cancel(t.Context(), b.AsTrader(), pay.ID, &reason))(t)
	page := p.Page(t, "/trader/payments/1")
	want(t, "steps of an ended one", page.Find("main .actions").Length(), 0)
	want(t, "a stranger's elements", page.Find(".timeline b, .facts b").Length(), 0)
	text := words(page.Find("main"))
	wantIn(t, "the page", text, "Cancelled", "Reason <b>nothing</b> came",
		"The merchant gets Nothing: it was not completed", pay.UUID.String(),
		"Created: 1,500 ₽, SBP transfer · merchant", "Status: Pending → Cancelled",
		"−15.00 USDT available Held for a payment",
		"+15.00 USDT available Payment cancelled: no longer held")
	want(t, "UTC", page.Find(".timeline li.status time").First().AttrOr("title", ""), pay.CreatedAt.UTC().Format("2006-01-02 15:04:05 UTC"))
	russian := words(p.Page(t, "/trader/payments/1?lang=ru").Find(".timeline"))
	testenv.Check(t, strings.Contains(russian, "Статус: Ожидает → Отменён") && !strings.Contains(russian, "Held"),
		"in Russian: %s", russian)
	want(t, "one that is none", p.Get(t, "/trader/payments/x").Code, http.StatusNotFound)
}

// A receipt is given as a file of the type found in it, whatever its payer calls it.
func TestReceipt(t *testing.T) {
	b, p := portaltest.Trader(t)
	pay := b.Create(t, "1500")
	testenv.Must(b.Payments.Claim(t.Context(), pay.UUID))(t)
	const png = "\x89PNG\r\n\x1a\n"
	file := io.NewSectionReader(strings.NewReader(png), 0, int64(len(png)))
	noError(t, b.Payments.AddReceipt(t.Context(), pay.UUID, `<img src=x>.png`, file))
	page := p.Page(t, "/trader/payments/1")
	want(t, "its name as an element", page.Find("#receipts img").Length(), 0)
	want(t, "in the timeline", words(page.Find(".timeline .receipt span").First()), "The payer sent receipt 1: PNG, 8 B")
	a := p.Get(t, page.Find("#receipts a").AttrOr("href", ""))
	want(t, "the file", a.Body, png)
	want(t, "type", a.Header.Get("Content-Type")+" "+a.Header.Get("X-Content-Type-Options"), "image/png nosniff")
	testenv.Check(t, strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment;"),
		"to be shown: %q", a.Header.Get("Content-Disposition"))
	for _, n := range []string{"0", "2", "x", "99999999999"} {
		want(t, "receipt "+n, p.Get(t, "/trader/payments/1/receipts/"+n).Code, http.StatusNotFound)
	}
}

func TestMain(m *testing.M) { portaltest.Main(m) }

// What tests say often is short.
var (
	want, wantAnswer, wantIn, wantNot = portaltest.Want, portaltest.WantAnswer, portaltest.WantIn, portaltest.WantNot
	hidden, line, rows, words         = portaltest.Hidden, portaltest.Line, portaltest.Rows, portaltest.Words
	noError                           = testenv.NoError
)

// A payment's page leads to its file, its printed page and its webhooks, and those lead back; support has no webhooks to see.
func TestPaymentLinks(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	b.Confirm(t, b.Create(t, "1500"))
	page := p.Page(t, "/merchant/payments/1")
	for _, path := range []string{"/merchant/payments/1/timeline.json", "/merchant/payments/1/print"} {
		want(t, path, page.Find("main a[href='"+path+"']").Length(), 1)
	}
	event := page.Find(".timeline a[href^='/merchant/developers/events/']").First()
	want(t, "named", words(event), "Webhook 1")
	back := p.Page(t, event.AttrOr("href", "/none")).Find(".facts a")
	want(t, "and back", line(back.AttrOr("href", ""), words(back)), "/merchant/payments/1 Payment № 1, event 1")
	support := b.As(t, caller.Support).Page(t, "/merchant/payments/1")
	want(t, "for support", support.Find("a[href*='/events/'], #curl").Length(), 0)
	want(t, "its file", support.Find("a[href$='timeline.json']").Length(), 1)
	past := p.Page(t, "/merchant/payments/1?at="+b.Clock.Now().UTC().Format("2006-01-02T15:04"))
	want(t, "the file of a past state", past.Find(".note.late").Length(), 1)
}

// A payout's page leads to its webhooks, which lead back to it.
func TestPayoutLinks(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	path := strings.Replace(b.PayOut(t, 1)[0], "trader", "merchant", 1)
	p.Post(t, path+"/cancel", hidden(p.Page(t, path+"/cancel"))...)
	page := p.Page(t, path)
	event := page.Find(".timeline a[href^='/merchant/developers/events/']").First().AttrOr("href", "/none")
	want(t, "back", p.Page(t, event).Find(".facts a").AttrOr("href", ""), path)
	want(t, "as curl", strings.Contains(page.Find("#curl").Text(), "'https://api.example/api/v1/payins/"), true)
}

// What is copied says whose key it needs.
func TestCurl(t *testing.T) {
	b := portaltest.Parallel(t)
	b.Create(t, "1500")
	page := b.As(t, caller.Developer).Page(t, "/merchant/payments/1")
	command := page.Find("#curl").Text()
	want(t, "copied", page.Find("[data-copy]").AttrOr("data-copy", ""), command)
	want(t, "with placeholders", line(strings.Contains(command, "'YOUR_KEY_ID'"), strings.Contains(command,
		"'YOUR_SECRET'"), strings.Contains(command, b.Merchant.Secret), strings.Contains(command, b.Merchant.KeyID)),
		"true true false false")
	want(t, "a trader's page", b.Trader(t, 0).Page(t, "/trader/payments/1").Find("#curl").Length(), 0)
}
