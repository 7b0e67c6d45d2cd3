package portals_test

import (
	"fmt"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// A payment is appealed once, with a file or a receipt of the payer's; a double
// click leads to the same appeal.
func TestMerchantAppeals(t *testing.T) {
	b, p := portaltest.Member(t, caller.Support)
	first, second, open := b.Failed(t, "1500"), b.Failed(t, "1600"), b.Create(t, "1700")
	path := func(of payment.Payment) string { return fmt.Sprintf("/merchant/payments/%d", of.ID) }
	page := p.Page(t, path(first)+"/appeal")
	want(t, "receipts", page.Find("input[name=receipt]").Length(), 1)
	fields := hidden(page, "reason", "Paid <i>twice</i>", "receipt", "1")
	a := p.Upload(t, path(first)+"/appeal", hidden(page, "reason", " ", "receipt", "1"), "", "")
	want(t, "without a reason", a.At(t, "#reason-wrong"), "422 is required")
	a = p.Upload(t, path(first)+"/appeal", fields, "page.html", "<html></html>")
	want(t, "another type", line(a.Code, a.Page(t).Find("#reason").Text()), "422 Paid <i>twice</i>")
	want(t, "is said", strings.HasPrefix(a.Page(t).Find("#file-wrong").Text(), "must be a PDF"), true)
	a = p.Upload(t, path(first)+"/appeal", fields, "big.pdf", portaltest.PDF+strings.Repeat("x", 10<<20))
	want(t, "too large", a.At(t, "#file-wrong"), "422 is larger than 10 MB")
	for range 2 {
		want(t, "appealed", p.Upload(t, path(first)+"/appeal", fields, "", "").Led(), "303 /merchant/appeals/1 appealed")
	}
	a = p.Upload(t, path(first)+"/appeal", hidden(p.Page(t, path(second)+"/appeal"), "reason", "again", "receipt", "1"), "", "")
	want(t, "a second appeal", a.Led(), "303 "+path(first)+" no-appeal")
	a = p.Upload(t, path(second)+"/appeal", hidden(p.Page(t, path(second)+"/appeal"), "reason", "see"), "own.pdf", portaltest.PDF)
	want(t, "with a file", a.To(), "/merchant/appeals/2")
	want(t, "of an open payment", p.Get(t, path(open)+"/appeal").To(), path(open))
	want(t, "listed", portaltest.List(t, p, "/merchant/appeals", 0, 2, 3, 4, 5), []string{
		fmt.Sprintf("2 | 1,600 ₽ | Payment № %d <b>2 | see | Open", second.ID),
		fmt.Sprintf("1 | 1,500 ₽ | Payment № %d <b>1 | Paid <i>twice</i> | Open", first.ID),
	})
	want(t, "decided", len(rows(p.Page(t, "/merchant/appeals?status=completed"))), 0)
	file := p.Get(t, "/merchant/appeals/2/file")
	want(t, "its file",
		line(file.Body == portaltest.PDF, file.Header.Get("Content-Disposition"), file.Header.Get("X-Content-Type-Options")),
		"true attachment; filename=own.pdf nosniff")
	want(t, "the payment leads there", p.Page(t, path(first)).Find("a[href='/merchant/appeals/1']").Length(), 1)
	testenv.Must(b.Payments.ReviewAppeal(t.Context(), portaltest.Admin, 1))(t)
	reason := "No such transfer"
	testenv.Must(b.Payments.ResolveAppeal(t.Context(), portaltest.Admin, 1, payment.Resolution{
		Outcome: "failed", Reason: &reason, Statement: new("no such line"),
	}))(t)
	wantIn(t, "the decision", p.Get(t, "/merchant/appeals/1").Text(), "stays failed", reason)
}

// An operator and the trader write to each other on an appeal's page.
// Navigation and work count what one has not read, and a card number is neither
// taken nor shown again.
func TestAppealThread(t *testing.T) {
	b, admin := portaltest.Operator(t, caller.Support)
	trader := b.Trader(t, 0)
	p, id := b.OpenedAppeal(t, "It was paid.")
	theirs, ours := fmt.Sprintf("/trader/appeals/%d", id), fmt.Sprintf("/operator/appeals/%d", id)
	counted := func() string { return words(trader.Page(t, "/trader").Find("#menu a[href='/trader/appeals']")) }
	want(t, "nothing is written", counted(), "")
	want(t, "the payment leads there", trader.Page(t, fmt.Sprintf("/trader/payments/%d", p.ID)).Find("a[href='"+theirs+"']").Length(), 1)

	token := admin.Page(t, ours).Find("form[action='"+ours+"/messages'] input[name=token]").AttrOr("value", "")
	ask := []string{"token", token, "text", "Did <b>1,500</b> come?\nLook, please."}
	for range 2 {
		want(t, "sent", admin.Post(t, ours+"/messages", ask...).Led(), "303 "+ours+" message-sent")
	}
	portaltest.WantSoon(t, "counted", counted, "Appeals 1 waiting")
	want(t, "listed", portaltest.List(t, trader, "/trader/appeals", 0, 1, 2, 3, 5), []string{
		fmt.Sprintf("%d | 1,500 ₽ | Payment № %d | Open | new: 1", id, p.ID),
	})
	page := trader.Page(t, theirs)
	want(t, "read", page.Find(".thread li:not(.own) .lines").Text(), "Did <b>1,500</b> come?\nLook, please.")
	want(t, "who asked", strings.Contains(page.Find(".thread").Text(), "support"), false)
	want(t, "counted no more", counted(), "")

	a := trader.Post(t, theirs+"/messages", hidden(page, "text", "Only to 4111 1111 1111 1111")...)
	want(t, "a card number", line(a.Code, a.Page(t).Find("#text-wrong").Text(), a.Page(t).Find("#text").Text()),
		"422 must not contain a card number")
	want(t, "answered", trader.Post(t, theirs+"/messages", hidden(a.Page(t), "text", "No, it did not.")...).To(), theirs)
	wantIn(t, "work", admin.Get(t, "/operator").Text(), "Traders' answers to read", fmt.Sprintf("Appeal № %d, new: 1", id))
	wantIn(t, "the answer", words(admin.Page(t, ours).Find(".thread li:not(.own)")), "No, it did not.")
	wantNot(t, "work", admin.Get(t, "/operator").Text(), "Traders' answers to read")
	b.Exec(t, "update appeal set status = 'closed'")
	want(t, "over", trader.Post(t, theirs+"/messages", hidden(page, "text", "once more", "token", "another")...).To(), theirs)
	wantIn(t, "over", trader.Get(t, theirs).Text(), "nothing more can be written")
}
