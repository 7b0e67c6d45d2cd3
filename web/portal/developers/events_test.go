package developers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/web/portal"
	"gateway.example/web/portal/portaltest"
)

// Dead events of a merchant's address are sent again, those of others are not.
func TestCaseResend(t *testing.T) {
	b := portaltest.Parallel(t)
	ann, _ := b.Two(t)
	b.Tell(t, b.Merchant, 1, "dead")
	row := ann.Page(t, "/operator/events/dead").Find("tbody tr")
	want(t, "addresses", row.Length(), 1)
	a := ann.Post(t, "/operator/events/dead", hidden(ann.Page(t, row.Find("a").AttrOr("href", "")))...)
	if !strings.HasPrefix(a.To(), "/operator/events/replays/") {
		t.Fatalf("resent: %d, to %q", a.Code, a.To())
	}
	want(t, "sent", strings.TrimSpace(ann.Page(t, a.To()).Find("#replay .num").Text()), "1 of 1")
	want(t, "left", ann.Page(t, "/operator/events/dead").Find("tbody tr").Length(), 0)
}

// The health of an endpoint is of its attempts of the last days: 2 of 3 taken, half within 80 ms.
func TestHealth(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	b.Attempt(t, b.Tell(t, b.Merchant, 1, "dead"), 503, 9999, "long ago")
	b.Clock.Advance(8 * 24 * time.Hour)
	id := b.Tell(t, b.Merchant, 2, "delivered")
	b.Attempt(t, id, 500, 40, "<img src=x>\x00broken")
	b.Attempt(t, id, 200, 120, "")
	b.Attempt(t, id, 204, 80, "")
	page := p.Page(t, "/merchant/developers/webhooks")
	wantIn(t, "the page", words(page.Find(".requisites")), "Attempts 3", "2xx 66 %", "within 80 ms")
	want(t, "failures", page.Find("tbody tr").Length(), 1)
	wantIn(t, "the failure", words(page.Find("tbody")), "500, 40 ms", "<img src=x>broken")
	want(t, "a stranger's elements", page.Find("main img").Length(), 0)
}

// Events are found by status, type, payment and day, and another merchant finds none of them.
func TestEvents(t *testing.T) {
	b, p := portaltest.Member(t, caller.Developer)
	stranger := b.Stranger(t)
	first := b.Tell(t, b.Merchant, 1, "dead")
	b.Clock.Advance(40 * 24 * time.Hour)
	second := b.Tell(t, b.Merchant, 2, "delivered")
	b.Attempt(t, second, 200, 5, "ok")
	listed := func(query string) string {
		var all []string
		for _, row := range rows(p.Page(t, "/merchant/developers/events"+query)) {
			all = append(all, strings.Fields(row)[0])
		}
		return strings.Join(all, " ")
	}
	year := "?from=" + b.Clock.Now().AddDate(-1, 0, 0).Format(time.DateOnly)
	for query, found := range map[string]string{
		"":                                    "2",
		year:                                  "2 1",
		year + "&status=dead":                 "1",
		year + "&type=payin.status.updated":   "",
		year + "&type=payment.status.updated": "2 1",
		"?q=901":                              "1",
		"?q=" + first:                         "1",
		year + "&to=" + b.Clock.Now().AddDate(0, 0, -20).Format(time.DateOnly): "1",
	} {
		want(t, query, listed(query), found)
	}
	want(t, "a wrong type", p.Get(t, "/merchant/developers/events?type=x").Code, http.StatusUnprocessableEntity)
	page := p.Page(t, "/merchant/developers/events/"+second)
	text := words(page.Find("main"))
	wantIn(t, "the page", text, "Event № 2", "Payment № 902, event 1", portaltest.DeadURL, "<script>alert(1)</script>", "200, 5 ms ok")
	want(t, "a stranger's elements", page.Find("main script, main i").Length(), 0)
	want(t, "no such event", p.Get(t, "/merchant/developers/events/x").Code, http.StatusNotFound)
	want(t, "a stranger's list", len(rows(stranger.Page(t, "/merchant/developers/events"+year))), 0)
	want(t, "a stranger's search", len(rows(stranger.Page(t, "/merchant/developers/events?q="+second))), 0)
}

func eventStands(t testing.TB, b *portaltest.Bundle, id string) string {
	t.Helper()
	return b.Text(t, "select concat_ws(' ', status, round) from webhook_event where id = $1", id)
}

// An event leads to what it is about, and not to a payout of the same number; whoever may not look at money is led nowhere.
func TestEventLeads(t *testing.T) {
	b, owner := portaltest.Member(t, caller.Owner)
	developer := b.As(t, caller.Developer)
	id := b.Tell(t, b.Merchant, 1, "delivered")
	for subject, led := range map[string]string{
		"payment": "Payment /merchant/payments/901", "deposit": "Deposit /merchant/deposits/901", "withdrawal": "Withdrawal /merchant/withdrawals/901",
	} {
		b.Exec(t, "update webhook_event set subject = $2 where id = $1", id, subject)
		name, href, _ := strings.Cut(led, " ")
		wantIn(t, subject, words(owner.Page(t, portal.EventPath(id)).Find(`main a[href="`+href+`"]`)), name+" № 901")
		theirs := developer.Page(t, portal.EventPath(id)).Find(`main a[href="` + href + `"]`)
		want(t, "a developer's "+subject, theirs.Length() == 1, subject == "payment")
	}
}

// An event is sent again once, however often the form is sent, and is a test of its own merchant alone.
func TestResendEvent(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	stranger := b.Stranger(t)
	id := b.Tell(t, b.Merchant, 1, "delivered")
	path := "/merchant/developers/events/" + id + "/resend"
	fields := hidden(p.Page(t, path))
	for range 2 {
		want(t, "sent", p.Post(t, path, fields...).Led(), "303 /merchant/developers/events/"+id+" event-resent")
	}
	want(t, "the event", eventStands(t, b, id), "pending 1")
	a := p.Post(t, b.BoxPath("test"), hidden(p.Page(t, b.BoxPath("test")))...)
	want(t, "as a test", line(a.Code, eventStands(t, b, id)), "303 pending 2")
	theirs := stranger.Page(t, "/merchant/developers/webhooks").Find(".actions a").Last().AttrOr("href", "")
	want(t, "no event to test with", stranger.Get(t, theirs).Led(), "303 /merchant/developers/webhooks no-event")
	want(t, "a stranger's test", line(stranger.Post(t, theirs, "event", id).Code, eventStands(t, b, id)), "404 pending 2")
}

// The dead events of an address are counted, sent again once, and no other merchant's are.
func TestResendDead(t *testing.T) {
	b, p := portaltest.Member(t, caller.Developer)
	stranger := b.Stranger(t)
	first, second := b.Tell(t, b.Merchant, 1, "dead"), b.Tell(t, b.Merchant, 2, "dead")
	third := b.Tell(t, b.Merchant, 3, "delivered")
	other := b.Tell(t, b.NewMerchant(t, dbtest.MerchantOpts{}), 4, "dead")
	page := p.Page(t, "/merchant/developers/resend")
	want(t, "counted", rows(page)[0], portaltest.DeadURL+" | 2 | Send again "+portaltest.DeadURL)
	confirm := page.Find("tbody a").AttrOr("href", "")
	want(t, "a stranger", len(rows(stranger.Page(t, "/merchant/developers/resend"))), 0)
	want(t, "a stranger's confirmation", stranger.Get(t, confirm).Code, http.StatusSeeOther)
	question := p.Page(t, confirm)
	wantIn(t, "the question", words(question.Find("main")), "Yes, send 2 again", portaltest.DeadURL)
	fields := hidden(question)
	led := p.Post(t, "/merchant/developers/resend", fields...).To()
	want(t, "again", p.Post(t, "/merchant/developers/resend", fields...).To(), led)
	wantIn(t, "progress", words(p.Page(t, led).Find("main")), "Queued so far 2", "Done")
	want(t, "events", line(eventStands(t, b, first), eventStands(t, b, second), eventStands(t, b, third)),
		"pending 1 pending 1 delivered 0")
	want(t, "another's event", eventStands(t, b, other), "dead 0")
	// Whoever left finds what still runs, and nobody another merchant's.
	running := func(p *portaltest.Person, path string) string {
		return p.Page(t, path).Find("#running a").AttrOr("href", "")
	}
	want(t, "done ones", running(p, "/merchant/developers/resend"), "")
	b.Exec(t, "update webhook_replay set state = 'running'")
	want(t, "where it runs", running(p, "/merchant/developers/resend"), led)
	want(t, "a stranger's", running(stranger, "/merchant/developers/resend"), "")
	wantIn(t, "an operator's", running(b.Operator(t, caller.Auditor), "/operator/events/dead"), "/operator/events/replays/")
	a := p.Post(t, led+"/stop")
	want(t, "stopped", line(a.Code, a.To()), "303 "+led)
}
