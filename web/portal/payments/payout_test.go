package payments_test

import (
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/portaltest"
)

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
