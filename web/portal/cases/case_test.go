package cases_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// A payment of which another amount came is work of operators until somebody decides, and keeps others away while one has it.
func TestOtherAmounts(t *testing.T) {
	b := portaltest.Parallel(t)
	ann, bob := b.Two(t)
	want(t, "the menu before", ann.Page(t, "/operator").Find(`nav a[href="/operator/cases"]`).Length(), 0)
	p := b.Create(t, "1500")
	_, err := b.Payments.ConfirmCame(t.Context(), b.AsTrader(), p.ID, payment.Came{Amount: new("1250.5")})
	noError(t, err)
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

// Money of no payment that fits an appeal is offered on its page, and counts towards its payment by one press of who may decide it.
func TestAttachToAppeal(t *testing.T) {
	b := portaltest.Parallel(t)
	ann, bob := b.Two(t)
	p, id := b.OpenedAppeal(t, "it was paid")
	path := fmt.Sprintf("/operator/appeals/%d", id)
	want(t, "nothing fits", ann.Page(t, path).Find("#fitting").Length(), 0)
	less := p.Amount.Sub(decimal.NewFromInt(10))
	for _, amount := range []string{less.String(), p.Amount.String(), "7"} {
		_, err := b.Payments.KeepMoney(t.Context(), b.AsTrader(), *p.RequisiteID, payment.Came{Amount: &amount, Payer: new("<b>Ivan")})
		noError(t, err)
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

// A trader's objection to what a message confirmed is work of operators, who take it and decide it with a reason, once.
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
	noError      = testenv.NoError
	line, words  = portaltest.Line, portaltest.Words
)
