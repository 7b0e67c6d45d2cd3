package payments_test

import (
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// A payout of 10.2 USDT that waits is cancelled once, and what was frozen is back; one that was taken is left alone.
func TestMerchantPayouts(t *testing.T) {
	b, p := portaltest.Member(t, caller.Finance)
	var paths []string
	for _, path := range b.PayOut(t, 2) {
		paths = append(paths, strings.Replace(path, "trader", "merchant", 1))
	}
	want(t, "listed", portaltest.List(t, p, "/merchant/payouts", 0, 2, 4, 5, 6), []string{
		"2 | 1,000 ₽ | •••• 4567 Ivan <i>Petrov</i> payout-1 | Waiting | 10.20000000",
		"1 | 1,000 ₽ | •••• 4567 Ivan <i>Petrov</i> payout-0 | Waiting | 10.20000000",
	})
	fields := hidden(p.Page(t, paths[0]+"/cancel"))
	want(t, "by support", b.As(t, caller.Support).Post(t, paths[0]+"/cancel", fields...).Code, http.StatusForbidden)
	want(t, "frozen", b.Balance(t, ledger.Reserved(ledger.Cashbox, b.Merchant.CashboxID)), "20.4")
	for range 2 {
		want(t, "cancelled", p.Post(t, paths[0]+"/cancel", fields...).Led(), "303 "+paths[0]+" payout-cancelled")
	}
	want(t, "frozen still", b.Balance(t, ledger.Reserved(ledger.Cashbox, b.Merchant.CashboxID)), "10.2")
	page := p.Page(t, paths[0])
	want(t, "its status", words(page.Find(".headline .badge")), "Cancelled")
	want(t, "its timeline", strings.Contains(words(page.Find(".timeline")), "Status: Waiting → Cancelled · you"), true)
	late := hidden(p.Page(t, paths[1]+"/cancel"))
	b.Trader(t, 0).Post(t, strings.Replace(paths[1], "merchant", "trader", 1)+"/take")
	want(t, "taken meanwhile", p.Post(t, paths[1]+"/cancel", late...).Led(), "303 "+paths[1]+" changed")
	want(t, "to be cancelled", p.Page(t, paths[1]).Find("a[href$='/cancel']").Length(), 0)
	b.Audit(t)
}

// end sends the form of a step.
func end(t *testing.T, p *portaltest.Person, path, step, field, typed string) portaltest.Answer {
	t.Helper()
	return p.Post(t, path+"/"+step, hidden(p.Page(t, path+"/"+step), field, typed)...)
}

// The whole recipient is seen by the trader who took the payout, and by nobody before.
func TestPayout(t *testing.T) {
	b, p := portaltest.Trader(t)
	other := b.Trader(t, 1)
	path := b.PayOut(t, 1)[0]
	text := words(p.Page(t, path).Find("main"))
	for _, whole := range []string{"+79001234567", "Petrov"} {
		testenv.Check(t, !strings.Contains(text, whole) && strings.Contains(text, "4567"), "before it is taken: %s", text)
	}
	want(t, "taken", p.Post(t, path+"/take").Led(), "303 "+path+" taken")
	want(t, "taken twice", p.Post(t, path+"/take").Led(), "303 "+path+" taken")
	page := p.Page(t, path)
	text = words(page.Find("main"))
	wantIn(t, "taken", text, "+79001234567", "Ivan <i>Petrov</i>", "10.00 USDT", "1,000 ₽", "Status: Waiting → In work · you")
	want(t, "a stranger's elements", page.Find("main i").Length(), 0)
	want(t, "another takes it", other.Post(t, path+"/take").Led(), "303 /trader gone")
	want(t, "the list", rows(p.Page(t, "/trader/payouts?status=processing"))[0][:4], "1 | ")
	want(t, "another's list", len(rows(other.Page(t, "/trader/payouts"))), 0)
}

// A payout is completed once, and only with what proves it.
func TestCompletePayout(t *testing.T) {
	b, p := portaltest.Trader(t)
	path := b.PayOut(t, 1)[0]
	p.Post(t, path+"/take")
	question := p.Page(t, path+"/complete")
	wantIn(t, "the page", words(question.Find("main")), "1,000 ₽", "+79001234567", "Ivan <i>Petrov</i>", "Yes, 1,000 ₽ are paid")
	want(t, "without proof", end(t, p, path, "complete", "proofReference", "  ").At(t, ".wrong"), "422 is required")
	want(t, "what is no text", end(t, p, path, "complete", "proofReference", "a\x00b").At(t, ".wrong"), `422 must not contain \u0000`)
	long := strings.Repeat("x", 256)
	want(t, "what was typed", end(t, p, path, "complete", "proofReference", long).Page(t).Find("#proofReference").AttrOr("value", ""), long)
	fields := hidden(question, "proofReference", "T-17")
	for range 2 {
		want(t, "completed", p.Post(t, path+"/complete", fields...).Led(), "303 /trader completed")
	}
	wantIn(t, "completed", words(p.Page(t, path).Find("main")), "Proof T-17", "+10.00 USDT available Payout completed")
	want(t, "too late to fail", p.Get(t, path+"/fail").Led(), "303 "+path+" changed")
	b.Audit(t)
}

// A trader completes a payout with a photo of what their bank shows, by either of the two fields. They, the merchant and operators
// see it on the payout's page and keep it, and nobody else gets it. Another file is refused beside its field, with what was typed.
func TestPayoutProof(t *testing.T) {
	b, p := portaltest.Trader(t)
	path := b.PayOut(t, 1)[0]
	p.Post(t, path+"/take")
	question := p.Page(t, path+"/complete")
	want(t, "the form", line(question.Find("form[enctype='multipart/form-data'] input[type=file][name=file]").Length(),
		question.Find("input[capture=environment]").Length()), "2 1")
	fields := hidden(question, "proofReference", "T-17")
	a := p.Upload(t, path+"/complete", fields, "photo.jpg", "<html>")
	want(t, "no photo", line(a.Code, words(a.Page(t).Find("#file-wrong")), a.Page(t).Find("#proofReference").AttrOr("value", "")),
		"422 must be a PDF, PNG, JPEG or WebP file T-17")
	const picture = "\x89PNG\r\n\x1a\n"
	for range 2 {
		want(t, "completed", p.Upload(t, path+"/complete", fields, "photo <b>.png", picture).Led(), "303 /trader completed")
	}
	id := path[strings.LastIndex(path, "/"):]
	for where, who := range map[string]*portaltest.Person{
		"/trader": p, "/merchant": b.As(t, caller.Support), "/operator": b.Operator(t, caller.Auditor),
	} {
		page := who.Page(t, where+"/payouts"+id)
		want(t, where+" shows", words(page.Find(".files strong")), "photo _b_.png")
		shown := who.Get(t, page.Find(".proof img").AttrOr("src", ""))
		want(t, where+" sees", line(shown.Body, shown.Header.Get("Content-Type"), shown.Header.Get("Content-Security-Policy")),
			picture+" image/png default-src 'none'; sandbox")
		kept := who.Get(t, page.Find(".files a").AttrOr("href", ""))
		want(t, where+" keeps", line(kept.Body, strings.HasPrefix(kept.Header.Get("Content-Disposition"), "attachment")), picture+" true")
	}
	for where, who := range map[string]*portaltest.Person{"/trader": b.Trader(t, 1), "/merchant": b.Stranger(t)} {
		want(t, "a stranger at "+where, who.Get(t, where+"/payouts"+id+"/file").Code, http.StatusNotFound)
	}
	want(t, "noted", b.Count(t, "select count(*) from sensitive_read where subject = 'payin' and what = 'file'"), 2)
	b.Audit(t)
}

// A payout that cannot be paid fails; one that another may pay waits again; a form that was shown before does nothing any more.
func TestFailAndGiveBack(t *testing.T) {
	b, p := portaltest.Trader(t)
	paths := b.PayOut(t, 2)
	for _, path := range paths {
		p.Post(t, path+"/take")
	}
	stale := hidden(p.Page(t, paths[0]+"/complete"), "proofReference", "T-1")
	a := end(t, p, paths[0], "fail", "reason", strings.Repeat("y", 256))
	want(t, "too long", line(a.Code, a.Page(t).Find("textarea").Text()), "422 "+strings.Repeat("y", 256))
	want(t, "failed", end(t, p, paths[0], "fail", "reason", "no such account").Led(), "303 /trader failed")
	want(t, "a stale form", p.Post(t, paths[0]+"/complete", stale...).Led(), "303 "+paths[0]+" changed")
	want(t, "given back", end(t, p, paths[1], "give-back", "reason", "").Led(), "303 /trader given-back")
	want(t, "it waits", words(p.Page(t, paths[1]).Find(".headline .badge")), "Waiting")
	b.Audit(t)
}

// A trader may have so many payouts open and no more.
func TestTakeLimit(t *testing.T) {
	b, p := portaltest.Trader(t)
	paths := b.PayOut(t, 2)
	b.Exec(t, "update trader set max_open_payins = 1")
	p.Post(t, paths[0]+"/take")
	want(t, "one too many", p.Post(t, paths[1]+"/take").Led(), "303 /trader take-limit")
	want(t, "the first again", p.Post(t, paths[0]+"/take").Led(), "303 "+paths[0]+" taken")
}

func TestPayoutsFile(t *testing.T) {
	b, p := portaltest.Trader(t)
	p.Post(t, b.PayOut(t, 2)[0]+"/take")
	a := p.Get(t, "/trader/payouts.csv")
	lines := strings.Split(strings.TrimSpace(a.Body), "\n")
	testenv.Check(t, len(lines) == 3 && strings.Contains(lines[1], ",sbp,RUB,1000.00,processing,") &&
		lines[2] == "rows,1", "the file:\n%s", a.Body)
	want(t, "a status that no payout of a trader has", p.Get(t, "/trader/payouts?status=waiting").Code, 422)
}
