package cases_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/figures"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// What waits for operators leads to where it can be put right: a feed that
// fails, an account that owes.
func TestWorkLeadsOn(t *testing.T) {
	b, root := portaltest.Operator(t, caller.Admin)
	root.Post(t, "/operator/rates/feeds/new", append(hidden(root.Page(t, "/operator/rates/feeds/new")),
		"currency", "RUB", "enabled", "on", "url", "https://rates.example/v1", "pointer", "/rate", "priority", "1",
		"pollSeconds", "60", "timeoutMs", "5000", "bandPercent", "3", "dayBandPercent", "10", "freshSeconds", "300")...)
	account := ledger.Available(ledger.Trader, b.Traders[0].ID).ID()
	for _, step := range []string{
		"update rate_feed set error = 'it answers nothing', failures = 3",
		fmt.Sprintf("update account_balance set overdrawn = true, balance = -1000000 where account_id = %d", account),
	} {
		b.Exec(t, step)
	}
	page := root.Page(t, "/operator")
	for _, href := range []string{
		"/operator/rates/feeds/1", fmt.Sprintf("/operator/accounts/statement?owner=%d", account),
		fmt.Sprintf("/operator/traders/%d", b.Traders[0].ID),
	} {
		want(t, href, page.Find(fmt.Sprintf("#work a[href=%q]", href)).Length(), 1)
		want(t, "the page "+href, root.Get(t, href).Code, http.StatusOK)
	}
}

// Of two operators who confirm one deposit at once, one does.
func TestConfirmDepositOnce(t *testing.T) {
	b := portaltest.Parallel(t)
	ann, bob := b.Two(t)
	d := b.Deposited(t, "250.5", "first")
	path := fmt.Sprintf("/operator/deposits/%d", d.ID)
	question := ann.Page(t, path+"/confirm")
	wantIn(t, "the question", question.Find("main form").Text(), "250.50\u00a0USDT", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")
	forms := map[*portaltest.Person][]string{ann: hidden(question), bob: hidden(bob.Page(t, path+"/confirm"))}
	var all sync.WaitGroup
	var lock sync.Mutex
	said := map[string]int{}
	for p, form := range forms {
		for range 2 { // and each clicks twice
			all.Go(func() {
				a := p.Post(t, path+"/confirm", form...)
				lock.Lock()
				defer lock.Unlock()
				said[fmt.Sprint(a.Code, " ", a.To())]++
			})
		}
	}
	all.Wait()
	want(t, "answers", fmt.Sprint(said), fmt.Sprint(map[string]int{"303 " + path: 4}))
	want(t, "credited", b.Count(t, "select count(*) from transfer where subject = 'deposit' and subject_id = $1", d.ID), 1)
	b.Audit(t)
	wantIn(t, "after that", ann.Page(t, path).Find("main").Text(), "Confirmed")
	want(t, "the question now", ann.Get(t, path+"/confirm").To(), path)
}

// An appeal is decided on its own page, beside what shows how it is: with one
// press, whether or not its review has begun. A refusal takes a reason, chosen
// or typed. Who has not proved lately that it is them does that first, and what
// another operator has taken is not decided here.
func TestAppealDesk(t *testing.T) {
	b := portaltest.Parallel(t)
	ann, bob := b.Two(t)
	p, id := b.OpenedAppeal(t, "it was paid")
	path := fmt.Sprintf("/operator/appeals/%d", id)
	form := func(step string, fields ...string) []string {
		t.Helper()
		form := ann.Page(t, path).Find(fmt.Sprintf("form[action=%q]", path+"/"+step))
		for _, name := range []string{"token", "status"} {
			fields = append(fields, name, form.Find("[name="+name+"]").AttrOr("value", ""))
		}
		return fields
	}
	picture := ann.Get(t, ann.Page(t, path).Find(".proof img").AttrOr("src", ""))
	want(t, "the picture", line(picture.Code, picture.Body, picture.Header.Get("Content-Type"),
		picture.Header.Get("X-Content-Type-Options"), picture.Header.Get("Content-Security-Policy"), picture.Header.Get("Cache-Control")),
		"200 "+string(testenv.PNG)+" image/png nosniff default-src 'none'; sandbox no-store")
	bob.Post(t, path+"/take")
	want(t, "while bob has it", ann.Page(t, path).Find("#decide").Length(), 0)
	bob.Post(t, path+"/release")
	a := ann.Post(t, path+"/refuse", form("refuse")...)
	want(t, "without a reason", line(a.Code, words(a.Page(t).Find("#reason-wrong")), a.Page(t).Find("[name=prepared]").Length()),
		"422 is required 4")
	b.Exec(t, "update session set factor_at = now() - interval '1 hour'")
	want(t, "unproved", ann.Page(t, path).Find("#decide ~ p a").AttrOr("href", ""), "/second-factor?next="+url.QueryEscape(path))
	b.Exec(t, "update session set factor_at = now()")
	chosen := ann.Page(t, path).Find("[name=prepared]").First().AttrOr("value", "")
	a = ann.Post(t, path+"/refuse", form("refuse", "prepared", chosen)...)
	want(t, "without a line of the statement", a.At(t, "#statement-wrong"), "422 is required")
	refusal := form("refuse", "prepared", chosen, "statement", "20.11: nothing of 1,500")
	for range 2 {
		want(t, "refused", ann.Post(t, path+"/refuse", refusal...).Led(), "303 "+path+" appeal-refused")
	}
	found := testenv.Must(b.Payments.GetAppeal(t.Context(), portaltest.Admin, id))(t)
	want(t, "as chosen", line(found.Status, *found.Payment.StatusReason, b.Status(t, p)), "failed "+chosen+" failed")
	wantIn(t, "what it rests on", ann.Get(t, path).Text(), "20.11: nothing of 1,500")

	p, id = b.OpenedAppeal(t, "so was this")
	path = fmt.Sprintf("/operator/appeals/%d", id)
	want(t, "accepted", ann.Post(t, path+"/accept", form("accept")...).To(), path)
	want(t, "completed", b.Status(t, p), "completed")
	b.Audit(t)

	p, id = b.OpenedAppeal(t, "not this")
	path = fmt.Sprintf("/operator/appeals/%d", id)
	tab := ann.Tab(t, b.Server.URL)
	tab.Open(b.Server.URL + path)
	tab.Keys("a")
	portaltest.AwaitScript(t, tab, "document.activeElement.textContent.slice(0, 6)", "Accept")
	tab.Keys("r")
	portaltest.AwaitScript(t, tab, "document.activeElement.name", "prepared")
	tab.Click("#prepared-1")
	portaltest.AwaitScript(t, tab, "document.querySelector('#reason').value", "The proof is of another payment.")
	tab.Type("#reason", "Of yesterday.")
	portaltest.AwaitScript(t, tab, "String(document.querySelector('[name=prepared]:checked'))", "null")
	tab.Type("#statement", "20.11: nothing of 1,500")
	tab.Click("button.danger")
	tab.Gone("#decide")
	wantIn(t, "as typed", *testenv.Must(b.Payments.GetAppeal(t.Context(), portaltest.Admin, id))(t).Payment.StatusReason, "Of yesterday.")
	want(t, "left", b.Status(t, p), "failed")
}

// Once there are payments, the first page begins with how the platform stands.
func TestHome(t *testing.T) {
	b := portaltest.Parallel(t)
	want(t, "before the first payment", b.Operator(t, caller.Admin).Page(t, "/operator").Find(".headlines").Length(), 0)
	testenv.Must(b.Payments.Confirm(t.Context(), b.AsTrader(), b.Create(t, "1000").ID))(t)
	b.Create(t, "500")
	b.Exec(t, `insert into deposit (merchant_id, cashbox_id, amount, network, address, idempotency_key, created_at, status_at)
		values ($1, $2, 5, 'TRC20', 'T', gen_random_uuid(), $3, $3)`, b.Merchant.ID, b.Merchant.CashboxID, b.Clock.Now().Add(-2*time.Hour))
	testenv.NoError(t, figures.NewHours(b.Pool, prometheus.NewRegistry()).Count(t.Context()))
	b.Clock.Advance(12 * time.Hour) // the day is over
	p := b.Operator(t, caller.Support)
	page := p.Page(t, "/operator")
	wantIn(t, "figures", strings.ReplaceAll(portaltest.Words(page.Find(".headlines")), "\u00a0", " "), "Paid, 24 hours 100 % 1 of 2 payments",
		"Volume, 24 hours 1,000 ₽", "Income yesterday, UTC 0.47 0.47619048 USDT the day before: 0.00", "Alarms 0 none fires")
	want(t, "charts", page.Find(".plot svg[role=img]").Length(), 2)
	wantIn(t, "how old", portaltest.Words(page.Find("#work")), "Deposits to confirm 1 oldest: 14 h 0 min")
	wantIn(t, "the day's income", portaltest.Words(page.Find(".plot").Last()), "20 Nov SBP transfer, RUB 0.47619048 USDT")
	want(t, "what changes has no charts", p.Page(t, "/operator/work").Find(".plot").Length(), 0)
	// What waits is shown while the figures cannot be had.
	tx := testenv.Must(b.Pool.Begin(t.Context()))(t)
	defer func() { testenv.NoError(t, tx.Rollback(t.Context())) }()
	testenv.Must(tx.Exec(t.Context(), "lock income_day"))(t)
	page = p.Page(t, "/operator")
	want(t, "figures", page.Find(".headlines").Length(), 0)
	wantIn(t, "what waits", portaltest.Words(page.Find("#work")), "Deposits to confirm 1")
}

// A payment of which another amount came is work of operators until somebody
// decides, and keeps others away while one has it.
func TestOtherAmounts(t *testing.T) {
	b := portaltest.Parallel(t)
	ann, bob := b.Two(t)
	want(t, "the menu before", ann.Page(t, "/operator").Find(`nav a[href="/operator/cases"]`).Length(), 0)
	p := b.Create(t, "1500")
	testenv.Must(b.Payments.ConfirmCame(t.Context(), b.AsTrader(), p.ID, payment.Came{Amount: new("1250.5")}))(t)
	b.Clock.Advance(90 * time.Minute)
	path := fmt.Sprintf("/operator/payments/%d", p.ID)
	page := ann.Page(t, "/operator")
	wantIn(t, "the queue", words(page.Find("#work section")), "Other amounts to decide 1 oldest: 1 h 30 min", "1,250.50", "1 h 30 min")
	want(t, "its address", page.Find("#work li a").AttrOr("href", ""), path)
	portaltest.WantSoon(t, "the menu", func() string {
		return words(ann.Page(t, "/operator").Find(`nav a[href="/operator/cases"]`))
	}, "Other amounts 1 waiting")
	list := ann.Page(t, page.Find("#work .headline a").AttrOr("href", ""))
	wantIn(t, "the list", words(list.Find("tbody tr")), "1,250.50", "asked for 1,500", p.OrderID)
	want(t, "to it", list.Find("tbody a").AttrOr("href", ""), path)

	form := hidden(ann.Page(t, path+"/came"))
	want(t, "bob takes it", bob.Post(t, path+"/take").To(), path)
	wantIn(t, "who has it", words(ann.Page(t, "/operator").Find("#work .badge")), "bob, ")
	wantIn(t, "its page", words(ann.Page(t, path).Find("#claim")), "bob took this", "Take it over")
	for _, a := range []portaltest.Answer{ann.Post(t, path+"/came", form...), ann.Get(t, path+"/came")} {
		want(t, "ann decides it all the same", a.Led(), "303 "+path+" work-others")
	}
	want(t, "not decided", b.Status(t, p), "appeal")
	want(t, "she takes it over", ann.Post(t, path+"/take", "over", "yes").To(), path)
	want(t, "decided", line(ann.Post(t, path+"/came", hidden(ann.Page(t, path+"/came"))...).To(), b.Status(t, p)), path+" completed")
	want(t, "what waits then", ann.Page(t, "/operator").Find("#work li").Length(), 0)
	want(t, "nobody's", ann.Page(t, path).Find("#claim").Length(), 0)
	want(t, "too late", bob.Post(t, path+"/take").To(), path)
	b.Audit(t)
}

// Money of no payment that fits an appeal is offered on its page, and counts
// towards its payment by one press of who may decide it.
func TestAttachToAppeal(t *testing.T) {
	b := portaltest.Parallel(t)
	ann, bob := b.Two(t)
	p, id := b.OpenedAppeal(t, "it was paid")
	path := fmt.Sprintf("/operator/appeals/%d", id)
	want(t, "nothing fits", ann.Page(t, path).Find("#fitting").Length(), 0)
	less := p.Amount.Sub(decimal.NewFromInt(10))
	for _, amount := range []string{less.String(), p.Amount.String(), "7"} {
		testenv.Must(b.Payments.KeepMoney(t.Context(), b.AsTrader(), *p.RequisiteID, payment.Came{Amount: &amount, Payer: new("<b>Ivan")}))(t)
	}
	page := ann.Page(t, path)
	want(t, "what fits, the nearest first", words(page.Find("#fitting .badge")), "belongs to no payment another amount")
	want(t, "the first thing to do", words(page.Find("main button.primary")), "Attach to this payment "+words(page.Find("#fitting strong").First()))
	first := page.Find("#fitting form").First()
	action := first.AttrOr("action", "")
	form := []string{"token", first.Find("[name=token]").AttrOr("value", ""), "arrival", first.Find("[name=arrival]").AttrOr("value", "")}
	bob.Post(t, path+"/take")
	want(t, "while bob has it", ann.Page(t, path).Find("#fitting button").Length(), 0)
	want(t, "ann attaches it all the same", line(ann.Post(t, action, form...).To(), ann.Cookies["flash"], b.Status(t, p)),
		fmt.Sprintf("/operator/payments/%d work-others failed", p.ID))
	bob.Post(t, path+"/release")
	form[1] = ann.Page(t, path).Find("#fitting [name=token]").AttrOr("value", "")
	for range 2 {
		want(t, "attached", line(ann.Post(t, action, form...).To(), ann.Cookies["flash"], b.Status(t, p)),
			fmt.Sprintf("/operator/payments/%d attached completed", p.ID))
	}
	wantIn(t, "the appeal", words(ann.Page(t, path).Find(".headline")), "Accepted")
	want(t, "what is offered then", ann.Page(t, path).Find("#fitting").Length(), 0)
	b.Audit(t)
}

// A trader's objection to what a message confirmed is work of operators, who
// take it and decide it with a reason, once.
func TestObjections(t *testing.T) {
	b := portaltest.Parallel(t)
	ann, bob := b.Two(t)
	want(t, "the menu before", ann.Page(t, "/operator").Find(`nav a[href="/operator/objections"]`).Length(), 0)
	p, id := b.Objected(t, "1500", "Nothing <b>came")
	path := fmt.Sprintf("/operator/objections/%d", id)
	b.Clock.Advance(90 * time.Minute)
	page := ann.Page(t, "/operator")
	wantIn(t, "the queue", words(page.Find("#work section")), "objections to decide 1 oldest: 1 h 30 min", "1,500", fmt.Sprintf("Payment № %d", p.ID))
	want(t, "its address", page.Find("#work li a").AttrOr("href", ""), path)
	list := ann.Page(t, page.Find("#work .headline a").AttrOr("href", ""))
	wantIn(t, "the list", words(list.Find("tbody tr")), "1,500", "Nothing <b>came", "Open")
	wantIn(t, "its page", words(ann.Page(t, path).Find("main")), "Nothing <b>came", "Sberbank", "The money never came", "The money came")

	form := hidden(ann.Page(t, path+"/uphold"), "reason", "The statement has none")
	want(t, "bob takes it", bob.Post(t, path+"/take").To(), path)
	wantIn(t, "who has it", words(ann.Page(t, path).Find("#claim")), "bob took this", "Take it over")
	want(t, "ann decides it all the same", ann.Post(t, path+"/uphold", form...).Led(), "303 "+path+" work-others")
	want(t, "she takes it over", ann.Post(t, path+"/take", "over", "yes", "next", "uphold").To(), path+"/uphold")
	want(t, "without a reason", ann.Post(t, path+"/uphold", hidden(ann.Page(t, path+"/uphold"))...).Code, http.StatusUnprocessableEntity)
	form = hidden(ann.Page(t, path+"/uphold"), "reason", "The statement has none")
	for range 2 {
		want(t, "decided", ann.Post(t, path+"/uphold", form...).Led(), "303 "+path+" objection-decided")
	}
	want(t, "what waits then", ann.Page(t, "/operator").Find("#work li").Length(), 0)
	wantIn(t, "its page then", words(ann.Page(t, path).Find("main")), "Upheld", "The statement has none", "Correct the books")
	want(t, "nothing to decide", ann.Page(t, path).Find(".actions a").Length(), 0)
	want(t, "too late", bob.Post(t, path+"/take").To(), path)
	want(t, "the payment", b.Status(t, p), "completed")
	want(t, "another's", ann.Get(t, "/operator/objections/987654").Code, http.StatusNotFound)
	b.Audit(t)
}

func TestMain(m *testing.M) { portaltest.Main(m) }

// What people do at these pages, as walks.txt says.
func TestWalks(t *testing.T) { portaltest.Walks(t, "walks.txt") }

// What tests say often is short.
var (
	want, wantIn = portaltest.Want, portaltest.WantIn
	hidden       = portaltest.Hidden
	line, words  = portaltest.Line, portaltest.Words
)
