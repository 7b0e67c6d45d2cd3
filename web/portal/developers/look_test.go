package developers_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
)

// lookKept is the look of the first merchant's cashbox as it is kept.
func lookKept(t testing.TB, b *portaltest.Bundle) string {
	t.Helper()
	return b.Text(t, `select concat_ws(' ', coalesce(page_color, '-'), coalesce(frame_origin, '-'), return_hosts, payer_events, deposit_callback_uri)
		from cashbox where id = $1`, b.Merchant.CashboxID)
}

func looksPath(b *portaltest.Bundle) string {
	return fmt.Sprintf("/merchant/looks?cashbox=%d", b.Merchant.CashboxID)
}

// The preview is the payer's page in the colour, shown by the portals' own
// pages alone and without script; what is typed is drawn and not saved; and it
// is said where a colour cannot be read.
func TestLookPreview(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	path := looksPath(b)
	a := p.Get(t, path)
	if policy := a.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "; frame-src 'self'") {
		t.Errorf("the page's policy is %s", policy)
	}
	want(t, "of our own colour", words(a.Page(t).Find("#drawn .note")), "")
	a = p.Post(t, path+"&do=preview", hidden(a.Page(t), "pageColor", "#ffd400", "returnHosts", "typed.example")...)
	page := a.Page(t)
	want(t, "drawn", line(a.Code, words(page.Find("#drawn .note"))), "200 On light pages text in this colour would have a "+
		"contrast of 1.29:1; to be read it needs 4.5:1. It is drawn darker there.")
	want(t, "typed", page.Find("#returnHosts").Text(), "typed.example")
	want(t, "saved", lookKept(t, b), "- - {} f")
	frame := page.Find("#drawn iframe")
	if sandbox, there := frame.Attr("sandbox"); !there || sandbox != "" {
		t.Errorf("the frame may %q", sandbox)
	}
	a = p.Get(t, frame.AttrOr("src", ""))
	page = a.Page(t)
	policy := a.Header.Get("Content-Security-Policy")
	testenv.Check(t, strings.Contains(policy, "frame-ancestors 'self'") &&
		a.Header.Get("X-Frame-Options") == "SAMEORIGIN", "the preview's policy is %s", policy)
	if style := page.Find("style").Text(); !strings.Contains(style, "{--accent:#ffd400}") ||
		page.Find("script").Length() > 0 {
		t.Error("the preview is not in the colour, or has a script")
	}
	want(t, "its shop", words(page.Find(".shop")), "Merchant")
	want(t, "its code", p.Get(t, page.Find(".scan img").AttrOr("src", "")).Header.Get("Content-Type"), "image/svg+xml")
	for _, none := range []string{"red", "#12345", "#123456}", "</style>"} {
		want(t, none, p.Get(t, "/merchant/looks/preview?color="+url.QueryEscape(none)).Code, http.StatusNotFound)
	}
	a = p.Post(t, path+"&do=preview", hidden(p.Page(t, path), "pageColor", "red")...)
	want(t, "no colour", a.At(t, ".wrong"), "422 must be a colour such as #1a6b54")
	text := words(p.Post(t, path+"&do=preview", hidden(p.Page(t, path), "pageColor", "#101010")...).Page(t).Find("#drawn .note"))
	testenv.Check(t, strings.HasPrefix(text, "On dark pages"), "of almost black: %s", text)
}

// Whoever looks as a merchant's user sees the look, and has no way to change
// it.
func TestLookWhileViewing(t *testing.T) {
	b := portaltest.Parallel(t)
	p := b.ViewerOf(t, caller.MerchantPortal, "merchant-1")
	page := p.Page(t, looksPath(b))
	want(t, "to save", page.Find("main form button").Length(), 0)
	want(t, "switched off", page.Find("main fieldset[disabled]").Length(), 1)
	want(t, "saved", line(p.Post(t, looksPath(b), hidden(page, "pageColor", "#111111")...).Code, lookKept(t, b)), "403 - - {} f")
}

// In a browser the preview follows what is typed and what is picked, in the
// frame that its policy lets in; without script a button draws it.
func TestPreviewFollows(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	tab := p.Tab(t, b.Server.URL)
	tab.Theme("light")
	tab.Do(chromedp.EmulateViewport(1280, 1400))
	tab.Open(b.Server.URL + looksPath(b))
	const drawn = `new URLSearchParams(document.querySelector("#drawn iframe").src.split("?")[1]).get("color")`
	portaltest.AwaitScript(t, tab, drawn, "")
	tab.Type("#pageColor", "#ffd400")
	portaltest.AwaitScript(t, tab, drawn, "#ffd400")
	portaltest.AwaitScript(t, tab, `document.querySelector("#drawn .note").textContent.slice(0, 14)`, "On light pages")
	portaltest.AwaitScript(t, tab, `document.querySelector(".picker").value`, "#ffd400")
	want(t, "still typed", browsertest.Eval[string](tab, `document.querySelector("#pageColor").value`), "#ffd400")
	browsertest.Eval[bool](tab, `(() => { const picker = document.querySelector(".picker");
		picker.value = "#7b2ff7"; return picker.dispatchEvent(new Event("input", {bubbles: true})); })()`)
	portaltest.AwaitScript(t, tab, drawn, "#7b2ff7")
	want(t, "picked", browsertest.Eval[string](tab, `document.querySelector("#pageColor").value`), "#7b2ff7")
	want(t, "saved", lookKept(t, b), "- - {} f")
	awaitPixel(t, tab, color.RGBA{R: 0x7b, G: 0x2f, B: 0xf7, A: 0xff})
	plain := p.Tab(t, b.Server.URL)
	plain.WithoutScript()
	plain.Open(b.Server.URL + looksPath(b))
	plain.Type("#pageColor", "#ffd400")
	plain.Click("button[formaction]")
	plain.Visible("#drawn .note")
}

// awaitPixel waits until the frame of the preview shows a colour.
func awaitPixel(t testing.TB, tab browsertest.Tab, wanted color.RGBA) {
	t.Helper()
	const corners = `(() => { const r = document.querySelector("#drawn iframe").getBoundingClientRect();
		return [r.left, r.top, r.right, r.bottom].map(Math.round); })()`
	testenv.Until(t, fmt.Sprintf("the frame shows %v", wanted), func() bool {
		frame := browsertest.Eval[[]int](tab, corners)
		shot := testenv.Must(png.Decode(
			bytes.NewReader(browsertest.Call(tab, page.CaptureScreenshot, page.CaptureScreenshotParams{}).Data)))(t)
		for x := frame[0]; x < frame[2]; x += 4 {
			for y := frame[1]; y < frame[3]; y += 4 {
				if color.RGBAModel.Convert(shot.At(x, y)) == wanted {
					return true
				}
			}
		}
		return false
	})
}

// A merchant uploads a logo, which the preview of the payer's page shows, from
// an address that needs no session; a file that is none is refused beside its
// field, in the reader's language; and the logo can be removed.
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
		want(t, lang, send("logo.png", "<svg onload=alert(1)>").At(t, "#file-wrong"), "422 "+said)
	}
	p.Page(t, path+"&lang=en")
	want(t, "without a file", send("", "").At(t, "#file-wrong"), "422 is required")
	want(t, "to remove", form().Find("[name=remove]").Length(), 0)
	var drawn bytes.Buffer
	testenv.NoError(t, png.Encode(&drawn, image.NewRGBA(image.Rect(0, 0, 480, 96))))
	want(t, "sent", send("logo.png", drawn.String()).Led(), "303 "+path+" look-saved")
	preview := p.Page(t, p.Page(t, path).Find("#drawn iframe").AttrOr("src", ""))
	logo := preview.Find("header img")
	want(t, "in place of", line(logo.AttrOr("alt", ""), preview.Find("header .shop").Length()), "Merchant 0")
	a := b.Nobody().Get(t, logo.AttrOr("src", ""))
	shown, err := png.Decode(strings.NewReader(a.Body))
	testenv.NoError(t, err)
	want(t, "shown", line(a.Header.Get("Content-Type"), a.Header.Get("Cache-Control"), a.Header.Get("X-Content-Type-Options"),
		shown.Bounds().Size()), "image/png public, max-age=31536000, immutable nosniff (240,48)")
	wantIn(t, "the owner's log", words(b.As(t, caller.Owner).Page(t, "/merchant/log").Find("main")), "page_logo_hash: null → ")
	want(t, "support", b.As(t, caller.Support).Upload(t, action, []string{"remove", "1"}, "", "").Code, http.StatusForbidden)
	want(t, "to remove", form().Find("[name=remove]").Length(), 1)
	a = send("", "", "remove", "1")
	want(t, "removed", line(a.Code, p.Page(t, p.Page(t, path).Find("#drawn iframe").AttrOr("src", "")).Find("header img").Length()), "303 0")
}
