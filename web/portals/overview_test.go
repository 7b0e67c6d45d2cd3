package portals_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/caller"
	"gateway.example/internal/figures"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// The overview's figures and queues lead to lists that show exactly what they
// count.
func TestOverviewLinks(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	b.Failed(t, "1200")
	b.Clock.Advance(40 * 24 * time.Hour)
	b.SetRate(t, "RUB", "100", true)
	week(t, b)
	appealed := b.Failed(t, "1300")
	reason := "not paid"
	testenv.Must(b.Payments.AppealWithReceipt(t.Context(), b.AsMerchant(), appealed.ID, 1, &reason))(t)
	b.Tell(t, b.Merchant, 1, "delivered")
	b.Attempt(t, b.Tell(t, b.Merchant, 2, "dead"), 502, 10, "")
	b.Exec(t, "update webhook_event set created_at = created_at - interval '50 days' where status = 'dead'")
	page := p.Page(t, "/merchant")
	queues := page.Find("#waiting ~ ul li")
	want(t, words(queues), queues.Length(), 3)
	for i := range queues.Length() {
		queue := queues.Eq(i)
		want(t, words(queue), len(rows(p.Page(t, queue.Find("a").AttrOr("href", "/none")))), words(queue.Find("b")))
	}
	hooks, anchor, _ := strings.Cut(page.Find("#endpoints ~ ul a").AttrOr("href", ""), "#")
	want(t, "the endpoint's cashbox", p.Page(t, hooks).Find("#"+anchor).Length(), 1)
	want(t, "of 24 hours there is no list", page.Find(".figures dt a").Length(), 0)
	figures := p.Page(t, "/merchant?days=7").Find(".figures dt a")
	var counts []int
	for i := range figures.Length() {
		counts = append(counts, len(rows(p.Page(t, figures.Eq(i).AttrOr("href", "/none")))))
	}
	// Of three, one is completed, one cancelled and one failed.
	want(t, "figures lead to", fmt.Sprint(counts), "[3 1 3]")
}

// week is a merchant's: one payment of 1,000 is paid after 90 seconds and one
// fails, and there is a deposit to be confirmed.
func week(t testing.TB, b *portaltest.Bundle) {
	t.Helper()
	paid, failed := b.Create(t, "1000"), b.Create(t, "500")
	b.Clock.Advance(90 * time.Second)
	testenv.Must(b.Payments.Confirm(t.Context(), b.AsTrader(), paid.ID))(t)
	testenv.Must(b.Payments.Cancel(t.Context(), b.AsTrader(), failed.ID, nil))(t)
	b.Exec(t, `insert into deposit (merchant_id, cashbox_id, amount, network, address, idempotency_key,
		created_at, status_at) values ($1, $2, 5, 'TRC20', 'T', gen_random_uuid(), now(), now())`,
		b.Merchant.ID, b.Merchant.CashboxID)
	testenv.NoError(t, figures.NewHours(b.Pool, prometheus.NewRegistry()).Count(context.Background()))
}

// A merchant begins at its overview, which shows figures, and queues only where
// something waits.
func TestOverviewPage(t *testing.T) {
	b := portaltest.Parallel(t)
	b.User(t, "merchant-owner", caller.MerchantPortal, caller.Owner, b.Merchant.ID)
	p := b.Nobody()
	a := p.Post(t, "/sign-in", "login", "merchant-owner", "password", portaltest.Password)
	want(t, "a merchant's user is led to", a.To(), "/merchant")
	text := p.Get(t, "/merchant").Text()
	wantIn(t, "without payments", text, "No payments in this time")
	wantNot(t, "without payments", text, "Needs attention", "Endpoints that fail")
	week(t, b)
	page := p.Get(t, "/merchant").Page(t)
	wantIn(t, "the page", strings.ReplaceAll(words(page.Find("main")), "\u00a0", " "),
		"Deposits waiting for confirmation : 1", "Payments 2 before: 0", "Paid, % of ended 50 % before: –", "1 min 45 s",
		"Total 9.52 9.52380952 USDT", "Held 0.00 0.00000000 USDT", "By cashbox")
	want(t, "charts", page.Find("svg[role=img]").Length(), 1)
	want(t, "hours in the table beside the chart", page.Find("figure details tbody tr").Length(), 1)
	want(t, "there is inline style", page.Find("[style]").Length(), 0)
	wantIn(t, "how far they came", words(page.Find(".ranks")), "Created 2", "Paid 1", "Cancelled 1")
	for query, paid := range map[string]string{
		"days=7": "1,000 ₽", "days=30&method=sim": "No payments in this time", "days=90&currency=RUB": "1,000 ₽", "days=2": "1,000 ₽",
		"currency=TRY": "No payments in this time",
	} {
		wantIn(t, query, strings.ReplaceAll(words(p.Page(t, "/merchant?"+query).Find("main")), "\u00a0", " "), "24 hours", paid)
	}
	wantIn(t, "in Russian", p.Get(t, "/merchant?lang=ru").Text(), "Время оплаты, медиана")
}

// Support sees how payments go, and no money.
func TestOverviewWithoutMoney(t *testing.T) {
	b := portaltest.Parallel(t)
	week(t, b)
	a := b.As(t, caller.Support).Get(t, "/merchant")
	wantAnswer(t, "the page", a, http.StatusOK, "Paid, %")
	wantNot(t, "money", a.Text(), "Volume", "Balance", "Deposits", "000.00")
}

// The navigation tells how much waits, no more of it than the reader may know
// of, and a page comes without that where it would take too long.
func TestWaitsInNavigation(t *testing.T) {
	b, operator := portaltest.Operator(t, caller.Auditor)
	owner, support, stranger := b.As(t, caller.Owner), b.As(t, caller.Support), b.Stranger(t)
	counts := func(p *portaltest.Person, path string) string {
		var said []string
		p.Page(t, path).Find("#menu a:has(.count)").Each(func(_ int, link *goquery.Selection) {
			said = append(said, words(link))
		})
		return strings.Join(said, ", ")
	}
	tells := func(what string, p *portaltest.Person, path, said string) {
		t.Helper()
		portaltest.WantSoon(t, what, func() string { return counts(p, path) }, said)
	}
	want(t, "nothing waits", counts(operator, "/operator/traders"), "")
	b.Deposited(t, "10", "first")
	b.OpenedAppeal(t, "why")
	tells("for operators", operator, "/operator/traders", "Deposits 1 waiting, Appeals 1 waiting")
	tells("for the merchant", owner, "/merchant/team", "Appeals 1 waiting, Deposits 1 waiting")
	tells("for who knows of no money", support, "/merchant/payments", "Appeals 1 waiting")
	want(t, "for another merchant", counts(stranger, "/merchant/team"), "")
	b.Exec(t, `insert into webhook_endpoint (merchant_id, host, due_at) select $1, host, now() from unnest(array['a.example', 'b.example']) host`,
		b.Merchant.ID)
	b.Exec(t, `insert into webhook_delivery (merchant_id, event_id, host, due_at, attempts, round)
		select $1, gen_random_uuid(), host, now(), tried, 1 from (values ('a.example', 2), ('a.example', 1), ('b.example', 0)) d (host, tried)`,
		b.Merchant.ID)
	tells("an endpoint fails", owner, "/merchant/team", "Appeals 1 waiting, Deposits 1 waiting, Webhooks 1 waiting")
	tells("for who reads no events", support, "/merchant/payments", "Appeals 1 waiting")
	tells("for the operator", operator, "/operator/traders", "Deposits 1 waiting, Appeals 1 waiting, Failing hosts 1 waiting")
	row := operator.Page(t, "/operator/events/failing").Find("tbody tr")
	want(t, "which", line(row.Length(), words(row.Find("td.lead, td.num"))), "1 a.example 2 2")
	b.Exec(t, "delete from webhook_delivery")
	b.Exec(t, `insert into deposit (merchant_id, cashbox_id, amount, network, address, idempotency_key, created_at, status_at)
		select merchant_id, cashbox_id, amount, network, address, gen_random_uuid(), created_at, status_at
		from deposit, generate_series(1, 99)`)
	tells("many", operator, "/operator/traders", "Deposits 99+ waiting, Appeals 1 waiting")
	lock := testenv.Must(b.Pool.Begin(t.Context()))(t)
	defer func() { _ = lock.Rollback(t.Context()) }()
	testenv.Must(lock.Exec(t.Context(), "lock table deposit in access exclusive mode"))(t)
	want(t, "while they cannot be counted", counts(operator, "/operator/traders"), "")
}
