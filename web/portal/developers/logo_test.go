package developers_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/portaltest"
)

// A merchant uploads a logo, which the preview of the payer's page shows, from an address that needs no session; a file
// that is none is refused beside its field, in the reader's language; and the logo can be removed.
func TestLogo(t *testing.T) {
	b, p := portaltest.Member(t, caller.Developer)
	path := looksPath(b)
	action := strings.Replace(path, "?", "/logo?", 1)
	form := func() *goquery.Selection { return p.Page(t, path).Find("form[enctype]") }
	send := func(file, content string, more ...string) portaltest.Answer {
		t.Helper()
		f := form()
		want(t, "sent to", f.AttrOr("action", ""), action)
		return p.Upload(t, action, append(more, "token", f.Find("[name=token]").AttrOr("value", "")), file, content)
	}
	for lang, said := range map[string]string{"en": "must be a PNG or JPEG picture", "ru": "картинка PNG или JPEG"} {
		p.Page(t, path+"&lang="+lang)
		a := send("logo.png", "<svg onload=alert(1)>")
		want(t, lang, line(a.Code, words(a.Page(t).Find("#file-wrong"))), "422 "+said)
	}
	p.Page(t, path+"&lang=en")
	a := send("", "")
	want(t, "without a file", line(a.Code, words(a.Page(t).Find("#file-wrong"))), "422 is required")
	want(t, "to remove", form().Find("[name=remove]").Length(), 0)
	var drawn bytes.Buffer
	noError(t, png.Encode(&drawn, image.NewRGBA(image.Rect(0, 0, 480, 96))))
	a = send("logo.png", drawn.String())
	want(t, "sent", line(a.Code, a.To(), p.Cookies["flash"]), "303 "+path+" look-saved")
	preview := p.Page(t, p.Page(t, path).Find("#drawn iframe").AttrOr("src", ""))
	logo := preview.Find("header img")
	want(t, "in place of", line(logo.AttrOr("alt", ""), preview.Find("header .shop").Length()), "Merchant 0")
	a = b.Nobody().Get(t, logo.AttrOr("src", ""))
	shown, err := png.Decode(strings.NewReader(a.Body))
	noError(t, err)
	want(t, "shown", line(a.Header.Get("Content-Type"), a.Header.Get("Cache-Control"), a.Header.Get("X-Content-Type-Options"),
		shown.Bounds().Size()), "image/png public, max-age=31536000, immutable nosniff (240,48)")
	log := words(b.As(t, caller.Owner).Page(t, "/merchant/log").Find("main"))
	wantIn(t, "the owner's log", log, "page_logo_hash: null → ")
	support := b.As(t, caller.Support).Upload(t, action, []string{"remove", "1"}, "", "")
	want(t, "support", support.Code, http.StatusForbidden)
	want(t, "to remove", form().Find("[name=remove]").Length(), 1)
	a = send("", "", "remove", "1")
	want(t, "removed", line(a.Code, p.Page(t, p.Page(t, path).Find("#drawn iframe").AttrOr("src", "")).Find("header img").Length()), "303 0")
}
