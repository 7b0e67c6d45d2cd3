package portal_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/web/portal"
)

// A payment's page leads to its file, its printed page and its webhooks, and those lead back; support
// has no webhooks to see.
func TestPaymentLinks(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	pay := b.create(t, "1500")
	b.confirm(t, pay)
	page := p.page(t, "/merchant/payments/1")
	for _, path := range []string{"/merchant/payments/1/timeline.json", "/merchant/payments/1/print"} {
		want(t, path, page.Find("main a[href='"+path+"']").Length(), 1)
	}
	event := page.Find(".timeline a[href^='/merchant/developers/events/']").First()
	want(t, "named", words(event), "Webhook 1")
	back := p.page(t, event.AttrOr("href", "/none")).Find(".facts a")
	want(t, "and back", line(back.AttrOr("href", ""), words(back)), "/merchant/payments/1 Payment № 1, event 1")
	support := b.as(t, caller.Support).page(t, "/merchant/payments/1")
	want(t, "for support", support.Find("a[href*='/events/'], #curl").Length(), 0)
	want(t, "its file", support.Find("a[href$='timeline.json']").Length(), 1)
	past := p.page(t, "/merchant/payments/1?at="+b.clock.Now().UTC().Format("2006-01-02T15:04"))
	want(t, "the file of a past state", past.Find(".note.late").Length(), 1)
}

// A payout's page leads to its webhooks, which lead back to it.
func TestPayoutLinks(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	path := strings.Replace(b.payOut(t, 1)[0], "trader", "merchant", 1)
	p.post(t, path+"/cancel", hidden(p.page(t, path+"/cancel"))...)
	page := p.page(t, path)
	event := page.Find(".timeline a[href^='/merchant/developers/events/']").First().AttrOr("href", "/none")
	want(t, "back", p.page(t, event).Find(".facts a").AttrOr("href", ""), path)
	want(t, "as curl", strings.Contains(page.Find("#curl").Text(), "'https://api.example/api/v1/payins/"), true)
}

// The overview's figures and queues lead to lists that show exactly what they count.
func TestOverviewLinks(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	b.failed(t, "1200")
	b.clock.Advance(40 * 24 * time.Hour)
	b.SetRate(t, "RUB", "100", true)
	b.week(t)
	appealed := b.failed(t, "1300")
	reason := "not paid"
	_, err := b.payments.AppealWithReceipt(t.Context(), b.asMerchant(), appealed.ID, 1, &reason)
	noError(t, err)
	b.tell(t, b.merchant, 1, "delivered")
	dead := b.tell(t, b.merchant, 2, "dead")
	b.attempt(t, dead, 502, 10, "")
	b.exec(t, "update webhook_event set created_at = created_at - interval '50 days' where status = 'dead'")
	page := p.page(t, "/merchant")
	queues := page.Find("#waiting ~ ul li")
	if queues.Length() != 3 {
		t.Fatalf("%d queues: %s", queues.Length(), words(queues))
	}
	for i := range queues.Length() {
		queue := queues.Eq(i)
		listed := rows(p.page(t, queue.Find("a").AttrOr("href", "/none")))
		want(t, words(queue), len(listed), words(queue.Find("b")))
	}
	endpoint := page.Find("#endpoints ~ ul a").AttrOr("href", "")
	hooks, anchor, _ := strings.Cut(endpoint, "#")
	want(t, "the endpoint's cashbox", p.page(t, hooks).Find("#"+anchor).Length(), 1)
	figures := page.Find(".figures dt a")
	var counts []int
	for i := range figures.Length() {
		counts = append(counts, len(rows(p.page(t, figures.Eq(i).AttrOr("href", "/none")))))
	}
	// Of three, one is completed, one cancelled and one failed.
	want(t, "figures lead to", fmt.Sprint(counts), "[3 3 1]")
}

// A payout that a trader took too long ago is among the overdue, and one that waits is not.
func TestOverdueLink(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	paths := b.payOut(t, 3)
	trader := b.trader(t, 0)
	trader.post(t, paths[0]+"/take")
	b.clock.Advance(31 * time.Minute)
	trader.post(t, paths[1]+"/take")
	queue := p.page(t, "/merchant").Find("#waiting ~ ul a")
	want(t, "the queue", words(queue), "Overdue payouts")
	path := queue.AttrOr("href", "/none")
	want(t, "overdue", list(t, p, path, 0), "[1]")
	want(t, "the same as a file", strings.HasSuffix(
		strings.TrimSpace(p.get(t, strings.Replace(path, "payouts?", "payouts.csv?", 1)).body), "\nrows,1"), true)
	want(t, "the chip", strings.Contains(words(p.page(t, path).Find(".chips")), "Overdue only"), true)
}

// What is copied says whose key it needs, and a shell takes every text in it as it is.
func TestCurl(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.create(t, "1500")
	page := b.as(t, caller.Developer).page(t, "/merchant/payments/1")
	command := page.Find("#curl").Text()
	want(t, "copied", page.Find("[data-copy]").AttrOr("data-copy", ""), command)
	want(t, "with placeholders", line(strings.Contains(command, "'YOUR_KEY_ID'"), strings.Contains(command,
		"'YOUR_SECRET'"), strings.Contains(command, b.merchant.Secret), strings.Contains(command, b.merchant.KeyID)),
		"true true false false")
	want(t, "a trader's page", b.trader(t, 0).page(t, "/trader/payments/1").Find("#curl").Length(), 0)
	for _, hostile := range []string{
		"plain", "it's", "'; touch /tmp/x; '", "$(id) `id` \"q\" \\ \n !", "'\\''", "--help", "", "a b\tc", "№ \u202e end",
	} {
		got, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+portal.Quoted(hostile)).Output()
		if err != nil || string(got) != hostile {
			t.Errorf("%q becomes %q, %v", hostile, got, err)
		}
	}
}

// Deposits and appeals are read page by page, both ways, and keep to their filters.
func TestShortListsTurn(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	for i := range 112 {
		b.create(t, fmt.Sprint(100+i))
	}
	b.exec(
		t,
		`insert into deposit (merchant_id, cashbox_id, amount, network, address, idempotency_key, status, created_at,
			status_at)
		select merchant_id, cashbox_id, 5, 'TRC20', 'T', gen_random_uuid(),
			case when n = 7 then 'confirmed' else 'pending' end, created_at, created_at
		from (select *, row_number() over (order by id) n from payment) p order by id`, // ids have gaps: connections take some ahead
	)
	b.exec(
		t,
		`insert into appeal (merchant_id, payment_id, reason, file_name, file_type, file_size, status, status_at, actor,
			created_at)
		select merchant_id, id, 'why', 'a.pdf', 'application/pdf', 1,
			case when n % 4 = 0 then 'open' when n % 4 = 1 then 'in_review' else 'closed' end, created_at, 'key:1', created_at
		from (select *, row_number() over (order by id) n from payment) p order by id`,
	)
	for path, expected := range map[string]string{
		"/merchant/deposits":                              "112-63 62-13 12-1",
		"/merchant/deposits?status=pending":               "112-63 62-13 12-1",
		"/merchant/deposits?status=confirmed":             "7-7",
		"/merchant/appeals":                               "112-63 62-13 12-1",
		"/merchant/appeals?status=open&status=in_review":  "112-13 12-1",
		"/merchant/appeals?status=closed&cashbox=9999999": "",
	} {
		forth, back := b.turn(t, p, path)
		want(t, path, strings.Join(forth, " "), expected)
		slices.Reverse(back)
		want(t, path+", back", back, forth)
	}
	want(t, "a place that is none", p.get(t, "/merchant/deposits?before=x").code, http.StatusNotFound)
	beyond := p.page(t, "/merchant/appeals?before=112")
	want(t, "nothing newer", words(beyond.Find(".pages a")), "To the newest")
}

// turn reads a list to its end and back, each page by its first and last number.
func (b *bundle) turn(t *testing.T, p *person, path string) (forth, back []string) {
	t.Helper()
	for _, turn := range []struct {
		rel  string
		list *[]string
	}{{"next", &forth}, {"prev", &back}} {
		for {
			page := p.page(t, path)
			if found := rows(page); len(found) > 0 {
				first, _, _ := strings.Cut(found[0], " ")
				last, _, _ := strings.Cut(found[len(found)-1], " ")
				*turn.list = append(*turn.list, first+"-"+last)
			}
			next, there := page.Find(".pages a[rel=" + turn.rel + "]").Attr("href")
			if !there {
				break
			}
			path = next
		}
	}
	return forth, back
}

// asMerchant calls a service as the owner of the merchant.
func (b *bundle) asMerchant() caller.Caller {
	return caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 1, MerchantID: b.merchant.ID}
}
