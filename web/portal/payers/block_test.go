package payers_test

import (
	"fmt"
	"net/http"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// paid makes a payment of a payer.
func paid(t *testing.T, b *portaltest.Bundle, order, user string) payment.Payment {
	t.Helper()
	method := "sbp"
	created, err := b.Payments.Create(t.Context(), b.Merchant.Caller, payment.Request{
		OrderID: order, Amount: "1500", Currency: "RUB", Method: &method, CallbackURI: "https://shop.example/hook",
		Payer: &payment.Payer{UserID: &user, UserIP: new("192.0.2.1")},
	})
	testenv.NoError(t, err)
	return created.Payment
}

// A payer has a page, to which a payment and the list lead, and from which they are blocked; another merchant finds nobody.
func TestPayerPage(t *testing.T) {
	b, operator := portaltest.Operator(t, caller.Auditor)
	owner := b.As(t, caller.Owner)
	p := paid(t, b, "A-1", "<b>u 1")
	b.Exec(t, "update payment set status = 'failed', status_reason = 'card_declined'")
	b.Exec(t, `insert into payment_card (merchant_id, payment_id, cashbox_id, brand, last4, created_at)
		select merchant_id, id, cashbox_id, 'visa', '4242', created_at from payment`)
	for who, portal := range map[*portaltest.Person]string{operator: "/operator", owner: "/merchant"} {
		to := who.Page(t, fmt.Sprintf("%s/payments/%d", portal, p.ID)).Find("main a[href*='/payer?']").AttrOr("href", "")
		want(t, portal+": the list leads there", who.Page(t, portal+"/payments").Find("tr a[href='"+to+"']").Length(), 1)
		page := who.Page(t, to)
		wantIn(t, to, words(page.Find("main")), "Payer <b>u 1", "0 of 1 (0%)", "visa •••• 4242", "A-1")
		want(t, portal+": may block", page.Find("main a[href*='/blocks/new']").Length(), map[string]int{"/merchant": 1}[portal])
	}
	to := owner.Page(t, "/merchant/payer?user=%3Cb%3Eu+1").Find("main a[href*='/blocks/new']").AttrOr("href", "")
	owner.Made(t, to, "reason", "chargebacks")
	wantIn(t, "once blocked", words(owner.Page(t, "/merchant/payer?user=%3Cb%3Eu+1").Find(".note.bad")), "Blocked since", "chargebacks")
	want(t, "another merchant", b.Stranger(t).Get(t, "/merchant/payer?user=%3Cb%3Eu+1").Code, http.StatusNotFound)
}

// A payer is blocked from the page of a payment, and the block lifted again, each with a reason; an operator may do so at all
// merchants, and a merchant's owner sees their own blocks alone.
func TestBlockPages(t *testing.T) {
	b, operator := portaltest.Operator(t, caller.Support)
	owner := b.As(t, caller.Owner)
	p := paid(t, b, "A-1", "<b>u-1")
	for who, portal := range map[*portaltest.Person]string{operator: "/operator", owner: "/merchant"} {
		ask, found := who.Page(t, fmt.Sprintf("%s/payments/%d", portal, p.ID)).Find("main a[href*='/blocks/new']").Attr("href")
		want(t, portal+": a button", found, true)
		wantIn(t, ask, words(who.Page(t, ask).Find("main")), "User id: <b>u-1", "IP address: 192.0.2.1", "stays open")
		want(t, portal+": without a reason", who.Fill(t, ask, "kind", "user", "reason", " ").Code, http.StatusUnprocessableEntity)
		made := who.Made(t, ask, "kind", "user", "reason", "a stolen card", "until", "2030-01-01")
		wantIn(t, made, words(who.Page(t, made).Find("main")), "<b>u-1", "Blocked", "a stolen card", "2 Jan 2030")
		want(t, portal+": in force", who.Page(t, portal+"/blocks").Find("tr[data-row]:contains('a stolen card')").Length(), 1)
		want(t, portal+": lifted", who.Fill(t, made, "reason", "it was not them").Led(), "303 "+made+" unblocked")
		want(t, portal+": in force after that", who.Page(t, portal+"/blocks").Find("tr[data-row]:contains('a stolen card')").Length(), 0)
		wantIn(t, portal+": all", words(who.Page(t, portal+"/blocks?all=yes").Find("main")), "Lifted")
	}
	made := operator.Made(t, "/operator/blocks/new", "kind", "address", "value", "192.0.2.9", "reason", "attack")
	wantIn(t, made, words(operator.Page(t, made).Find("main")), "At all merchants", "192.0.2.9")
	want(t, "the owner sees it", owner.Get(t, "/merchant/blocks/"+portaltest.Last(made)).Code, http.StatusNotFound)
	a := operator.Fill(t, "/operator/blocks/new", "kind", "address", "value", "x", "merchantId", "77x", "reason", "r", "until", "no")
	wantIn(t, "what is wrong", a.Text(), "must be an IP address", "is not a merchant", "must be a date")
	support := b.As(t, caller.Support)
	want(t, "support's button", support.Page(t, fmt.Sprintf("/merchant/payments/%d", p.ID)).Find("a[href*='/blocks/new']").Length(), 0)
	wantNot(t, "support's list", words(support.Page(t, "/merchant/blocks").Find("main")), "Block a payer")
}

func TestMain(m *testing.M) { portaltest.Main(m) }

// What tests say often is short.
var (
	want, wantIn, wantNot = portaltest.Want, portaltest.WantIn, portaltest.WantNot
	words                 = portaltest.Words
)
