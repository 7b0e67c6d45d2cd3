package payments_test

import (
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/portaltest"
)

// A payment's page leads to its file, its printed page and its webhooks, and those lead back; support
// has no webhooks to see.
func TestPaymentLinks(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	pay := b.Create(t, "1500")
	b.Confirm(t, pay)
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
