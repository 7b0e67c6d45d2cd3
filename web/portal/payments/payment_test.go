package payments_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/attest"
	"gateway.example/internal/caller"
	"gateway.example/internal/seal"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// A payment's page says what may be known and done, and what happened, in the
// reader's language. What strangers wrote is text.
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

// A receipt is given as a file of the type found in it, whatever its payer
// calls it.
func TestReceipt(t *testing.T) {
	b, p := portaltest.Trader(t)
	pay := b.Create(t, "1500")
	testenv.Must(b.Payments.Claim(t.Context(), pay.UUID))(t)
	const png = testenv.PNG
	file := io.NewSectionReader(strings.NewReader(png), 0, int64(len(png)))
	testenv.NoError(t, b.Payments.AddReceipt(t.Context(), pay.UUID, `<img src=x>.png`, file))
	page := p.Page(t, "/trader/payments/1")
	want(t, "its name as an element", page.Find("#receipts img").Length(), 0)
	want(t, "in the timeline", words(page.Find(".timeline .receipt span").First()), "The payer sent receipt 1: PNG, 67 B")
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

// The page of a payment tells what the merchant knows of it, what was moved in
// its cashbox and what was sent to its endpoint; what a stranger wrote stays
// text.
func TestMerchantPayment(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	pay := b.Create(t, "1500")
	b.Clock.Advance(2 * time.Minute)
	b.Confirm(t, pay)
	b.Exec(t, `insert into webhook_attempt (merchant_id, event_id, at, duration_ms, status_code, answer)
		select merchant_id, id, created_at, 12, 500, '<script>alert(1)</script>'::bytea from webhook_event`)
	page := p.Page(t, "/merchant/payments/1")
	text := words(page.Find("main"))
	wantIn(t, "the page", text, "Order <b>1", "You get 14.28571428 USDT", "You get 14.28571428",
		"+14.28571428 USDT available", "What is sent", "answered with 500 in 12 ms",
		"<script>alert(1)</script>")
	want(t, "scripts in the page", page.Find("main script").Length(), 0)
	wantNot(t, "support sees what was sent", words(b.As(t, caller.Support).Page(t, "/merchant/payments/1").Find("main")), "What is sent")
	past := p.Page(t, "/merchant/payments/1?at="+b.Clock.Now().Add(-2*time.Minute).UTC().Format("2006-01-02T15:04"))
	want(t, "then", words(past.Find(".headline .badge")), "Pending")
	if text := words(past.Find("main")); strings.Contains(text, "Completed") ||
		!strings.Contains(text, "This is how it stood at") {
		t.Errorf("then: %s", text)
	}
	for _, wrong := range []string{"nonsense", "2001-01-01T10:00"} {
		a := p.Get(t, "/merchant/payments/1?at="+wrong)
		want(t, wrong, line(a.Code, a.Page(t).Find("#at").AttrOr("value", "")), "422 "+wrong)
	}
}

// Operators see the end of a payment's requisite. They read it whole at its own
// page, where that is noted.
func TestRequisitesAreHiddenFromOperators(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	pay := b.Create(t, "1500")
	value := *pay.RequisiteValue
	for _, path := range []string{
		"/operator/payments", "/operator/payments.csv", fmt.Sprintf("/operator/payments/%d", pay.ID),
		fmt.Sprintf("/operator/routing/payments/%d", pay.ID), "/operator/work", "/operator/payments?q=" + value[len(value)-4:],
	} {
		a := p.Get(t, path)
		want(t, path, a.Code, http.StatusOK)
		wantNot(t, path+" shows", a.Body, value)
	}
	facts := p.Page(t, fmt.Sprintf("/operator/payments/%d", pay.ID)).Find("main").Text()
	wantIn(t, "the payment's page has not the end of its requisite", facts, "•••• "+value[len(value)-4:])
}

// A trader completes a payout with a photo of what their bank shows, by either
// of the two fields. They, the merchant and operators see it on the payout's
// page and keep it, and nobody else gets it. Another file is refused beside its
// field, with what was typed.
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
	a = p.Upload(t, path+"/complete", fields, "photo.png", testenv.PNG[:8])
	want(t, "a damaged photo", line(a.Code, words(a.Page(t).Find("#file-wrong"))), "422 is damaged: it cannot be read as a picture")
	const picture = testenv.PNG
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

// A merchant's user takes away what happened to a payment as a file that
// anybody can prove with the keys that are published.
func TestSignedTimeline(t *testing.T) {
	b := portaltest.Parallel(t)
	payment := b.Create(t, "1500")
	p := b.As(t, caller.Support)
	path := fmt.Sprintf("/merchant/payments/%d", payment.ID)
	a := p.Get(t, path+"/timeline.json")
	testenv.Need(t, a.Code == http.StatusOK && strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment"),
		"%d %v", a.Code, a.Header)
	keys := testenv.Must(attest.ParseKeys([]byte(b.Nobody().Get(t, "/.well-known/gateway-keys.json").Body)))(t)
	want(t, "as it was sent", len(attest.Verify([]byte(a.Body), keys)), 0)
	wantIn(t, "the page", a.Body, `"callback_uri":"https://shop.example/hook"`, `"to":"pending"`,
		`"what":"rate_fixed"`, `"amount":"1500"`, payment.UUID.String())
	wantNot(t, "a merchant is told who the trader is", a.Body, "trader_id\":"+fmt.Sprint(b.Traders[0].ID))
	changed := strings.Replace(a.Body, `"amount":"1500"`, `"amount":"1501"`, 1)
	if wrong := attest.Verify([]byte(changed), keys); len(wrong) == 0 {
		t.Error("a changed amount is not found")
	}
	printed := p.Get(t, path+"/print")
	testenv.Check(t, printed.Code == http.StatusOK && strings.Contains(printed.Body, path+"/timeline.json") &&
		strings.Contains(printed.Text(), payment.UUID.String()), "%d: %s", printed.Code, printed.Text())
}

// A merchant's user takes away the proof of what a payment brought, once its
// day is sealed, and whoever has the file can prove it with what is published.
func TestLedgerProof(t *testing.T) {
	b := portaltest.Parallel(t)
	payment := b.Create(t, "1500")
	p := b.As(t, caller.Support)
	page := fmt.Sprintf("/merchant/payments/%d", payment.ID)
	wantAnswer(t, "before anything was moved", p.Get(t, page+"/proof.json"), http.StatusConflict, "nothing to prove")
	if a := p.Get(t, page); strings.Contains(a.Body, "proof.json") {
		t.Error("a pending payment has a link to its proof")
	}
	testenv.Must(b.Payments.Confirm(t.Context(), b.Traders[0].Caller, payment.ID))(t)
	wantAnswer(t, "before the day was sealed", p.Get(t, page+"/proof.json"), http.StatusConflict, "will be sealed on")
	b.Clock.Advance(24 * time.Hour)
	testenv.NoError(t, b.Services.Signer.Note(t.Context(), b.Clock.Now()))
	testenv.NoError(t, seal.NewSealer(b.Pool, b.Clock, b.Services.Signer).Run(t.Context()))
	if a := p.Get(t, page); !strings.Contains(a.Body, page+"/proof.json") {
		t.Error("a completed payment has no link to its proof")
	}
	a := p.Get(t, page+"/proof.json")
	testenv.Need(t, a.Code == http.StatusOK && strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment"),
		"%d %v", a.Code, a.Header)
	proof := testenv.Must(seal.ParseProof([]byte(a.Body)))(t)
	nobody := b.Nobody()
	keys := testenv.Must(attest.ParseKeys([]byte(nobody.Get(t, "/.well-known/gateway-keys.json").Body)))(t)
	published := nobody.Get(t, "/.well-known/ledger-roots.json?month="+proof.Months()[0])
	want(t, "kept by caches", published.Header.Get("Cache-Control"), "public, max-age=300")
	v := proof.Verify(keys, testenv.Must(seal.ParseRoots([]byte(published.Body)))(t).Pages)
	testenv.Check(t, len(v.Wrong) == 0 && len(v.Proven) == 1, "%q", v)
	if a := nobody.Get(t, "/.well-known/ledger-roots.json?month=2026-99"); a.Code != http.StatusNotFound {
		t.Errorf("a month that there is not: %d", a.Code)
	}
}
