package payments_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

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

// What people do at these pages, as walks.txt says.
func TestWalks(t *testing.T) { portaltest.Walks(t, "walks.txt") }

// What tests say often is short.
var (
	want, wantAnswer, wantIn, wantNot = portaltest.Want, portaltest.WantAnswer, portaltest.WantIn, portaltest.WantNot
	hidden, line, words               = portaltest.Hidden, portaltest.Line, portaltest.Words
	noError                           = testenv.NoError
)

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
