package portal_test

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
)

// lookKept is the look of the first merchant's cashbox as it is kept.
func (b *bundle) lookKept(t testing.TB) string {
	t.Helper()
	var kept string
	noError(
		t,
		b.Pool.QueryRow(t.Context(), `select concat_ws(' ', coalesce(page_color, '-'), coalesce(frame_origin, '-'),
		return_hosts, payer_events) from cashbox where id = $1`, b.merchant.CashboxID).Scan(&kept),
	)
	return kept
}

func (b *bundle) looksPath() string {
	return fmt.Sprintf("/merchant/looks?cashbox=%d", b.merchant.CashboxID)
}

// A look is saved once, however often its form is sent, and the log says who did it. Empty fields clear
// what was there.
func TestLook(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Developer)
	path := b.looksPath()
	want(t, "before", b.lookKept(t), "- - {} f")
	fields := hidden(p.page(t, path), "pageColor", " #FFD400 ", "returnHosts",
		"Shop.example\r\nwww.shop.example, a.example", "frameOrigin", "https://Shop.example:8443", "payerEvents", "on")
	for range 2 {
		a := p.post(t, path, fields...)
		want(t, "saved", line(a.code, a.to(), p.cookies["flash"]), "303 "+path+" look-saved")
	}
	want(t, "kept", b.lookKept(t), "#ffd400 https://shop.example:8443 {shop.example,www.shop.example,a.example} t")
	var changes int
	var actor string
	noError(t, b.Pool.QueryRow(t.Context(), `select count(*), min(actor) from setting_change
		where subject = 'cashbox' and subject_key = $1`, fmt.Sprint(b.merchant.CashboxID)).Scan(&changes, &actor))
	want(t, "changes", changes, 1)
	if !strings.HasPrefix(actor, "merchant_portal:") {
		t.Errorf("changed by %s", actor)
	}
	log := words(b.as(t, caller.Owner).page(t, "/merchant/log").Find("main"))
	wantIn(t, "the owner's log", log, "Look of cashbox № 1", `page_color: null → "#ffd400"`)
	page := p.page(t, path)
	want(t, "hosts", page.Find("#returnHosts").Text(), "shop.example\nwww.shop.example\na.example")
	want(t, "ticked", page.Find("#payerEvents[checked]").Length(), 1)
	p.post(t, path, hidden(page, "pageColor", "", "returnHosts", "", "frameOrigin", "")...)
	want(t, "cleared", b.lookKept(t), "- - {} f")
}

// What is wrong is said of each field, with what was typed, and nothing is saved: neither of what is
// merely wrong nor of what would break out of where it is written.
func TestWrongLook(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	path := b.looksPath()
	for _, test := range [][2]string{
		{"pageColor", "red"},
		{"pageColor", "#12345"},
		{"pageColor", "#12345g"},
		{"pageColor", "#123456;}body{display:none}"},
		{"pageColor", "</style><script>alert(1)</script>"},
		{"pageColor", "url(https://evil.example)"},
		{"frameOrigin", "http://shop.example"},
		{"frameOrigin", "https://shop.example/path"},
		{"frameOrigin", "https://shop.example; script-src *"},
		{"frameOrigin", "https://shop.example https://evil.example"},
		{"frameOrigin", "*"},
		{"frameOrigin", "https://*.example"},
		{"frameOrigin", "https://user@shop.example"},
		{"returnHosts", "https://shop.example"},
		{"returnHosts", "shop.example/path"},
		{"returnHosts", "shop.example:443"},
		{"returnHosts", "*.example"},
		{"returnHosts", "user@shop.example"},
		{"returnHosts", "localhost"},
		{"returnHosts", "<b>.example"},
		{"returnHosts", strings.Repeat("a.example\n", 51)},
		{"returnHosts", "a\x00b.example"},
	} {
		a := p.post(t, path, hidden(p.page(t, path), test[0], test[1])...)
		page := a.page(t)
		if a.code != http.StatusUnprocessableEntity || page.Find("#"+test[0]+"-wrong").Length() != 1 ||
			page.Find(".wrong").Length() != 1 {
			t.Errorf("%s %q: %d, %s", test[0], test[1], a.code, words(page.Find(".wrong")))
		}
		typed := page.Find("#"+test[0]).AttrOr("value", page.Find("#"+test[0]).Text())
		if test[1] != "a\x00b.example" && strings.TrimSpace(typed) != strings.TrimSpace(test[1]) {
			t.Errorf("%s: %q is typed anew as %q", test[0], test[1], typed)
		}
		want(t, "elements", page.Find("main script, main style, main b").Length(), 0)
	}
	a := p.post(
		t,
		path,
		hidden(p.page(t, path+"&lang=ru"), "pageColor", "x", "frameOrigin", "x", "returnHosts", "x")...)
	want(t, "three at once", line(a.code, a.page(t).Find(".wrong").Length()), "422 3")
	want(t, "in Russian", words(a.page(t).Find("#pageColor-wrong")), "цвет, например #1a6b54")
	want(t, "kept", b.lookKept(t), "- - {} f")
}

// Who was slower is told what the look is now, and changes nothing.
func TestStaleLook(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p, other := b.as(t, caller.Owner), b.as(t, caller.Developer)
	path := b.looksPath()
	slow := hidden(p.page(t, path), "pageColor", "#111111")
	other.post(t, path, hidden(other.page(t, path), "pageColor", "#222222")...)
	for range 2 {
		a := p.post(t, path, slow...)
		want(t, "too late", line(a.code, a.to(), p.cookies["flash"]), "303 "+path+" look-changed")
	}
	want(t, "kept", b.lookKept(t), "#222222 - {} f")
	want(t, "shown", p.page(t, path).Find("#pageColor").AttrOr("value", ""), "#222222")
	// An operator's change counts as well.
	slow = hidden(p.page(t, path), "pageColor", "#333333")
	_, err := b.settings.UpdateCashbox(t.Context(), caller.Caller{Kind: caller.Operator, Role: caller.Admin},
		directory.CashboxUpdate{ID: b.merchant.CashboxID, ReturnHosts: &[]string{"new.example"}})
	noError(t, err)
	want(t, "after an operator", line(p.post(t, path, slow...).to(), p.cookies["flash"]), path+" look-changed")
}

// Nobody sees or changes another merchant's look, nor one that their role does not include.
func TestForeignLook(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	stranger, support := b.stranger(t), b.as(t, caller.Support)
	path := b.looksPath()
	own := hidden(stranger.page(t, "/merchant/looks"), "pageColor", "#111111")
	preview := strings.Replace(path, "looks", "looks/preview", 1)
	want(t, "a stranger", line(stranger.get(t, path).code, stranger.post(t, path, own...).code,
		stranger.get(t, preview).code), "404 404 404")
	want(t, "support",
		line(support.get(t, path).code, support.post(t, path, own...).code, support.get(t, preview).code),
		"403 403 403")
	want(t, "kept", b.lookKept(t), "- - {} f")
}

// The preview is the payer's page in the colour, shown by the portals' own pages alone and without
// script; what is typed is drawn and not saved; and it is said where a colour cannot be read.
func TestLookPreview(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	path := b.looksPath()
	a := p.get(t, path)
	if policy := a.header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "; frame-src 'self'") {
		t.Errorf("the page's policy is %s", policy)
	}
	want(t, "of our own colour", words(a.page(t).Find("#drawn .note")), "")
	a = p.post(t, path+"&do=preview", hidden(a.page(t), "pageColor", "#ffd400", "returnHosts", "typed.example")...)
	page := a.page(t)
	want(
		t,
		"drawn",
		line(a.code, words(page.Find("#drawn .note"))),
		"200 On light pages text in this colour would have a "+
			"contrast of 1.29:1; to be read it needs 4.5:1. It is drawn darker there.",
	)
	want(t, "typed", page.Find("#returnHosts").Text(), "typed.example")
	want(t, "saved", b.lookKept(t), "- - {} f")
	frame := page.Find("#drawn iframe")
	if sandbox, there := frame.Attr("sandbox"); !there || sandbox != "" {
		t.Errorf("the frame may %q", sandbox)
	}
	a = p.get(t, frame.AttrOr("src", ""))
	page = a.page(t)
	policy := a.header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "frame-ancestors 'self'") || a.header.Get("X-Frame-Options") != "SAMEORIGIN" {
		t.Errorf("the preview's policy is %s", policy)
	}
	if style := page.Find("style").Text(); !strings.Contains(style, "{--accent:#ffd400}") ||
		page.Find("script").Length() > 0 {
		t.Error("the preview is not in the colour, or has a script")
	}
	want(t, "its shop", words(page.Find(".shop")), "Merchant")
	want(t, "its code", p.get(t, page.Find(".scan img").AttrOr("src", "")).header.Get("Content-Type"), "image/svg+xml")
	for _, none := range []string{"red", "#12345", "#123456}", "</style>"} {
		a := p.get(t, "/merchant/looks/preview?color="+url.QueryEscape(none))
		want(t, none, a.code, http.StatusNotFound)
	}
	a = p.post(t, path+"&do=preview", hidden(p.page(t, path), "pageColor", "red")...)
	want(t, "no colour", line(a.code, words(a.page(t).Find(".wrong"))), "422 must be a colour such as #1a6b54")
	a = p.post(t, path+"&do=preview", hidden(p.page(t, path), "pageColor", "#101010")...)
	if text := words(a.page(t).Find("#drawn .note")); !strings.HasPrefix(text, "On dark pages") {
		t.Errorf("of almost black: %s", text)
	}
}

// Whoever looks as a merchant's user sees the look, and has no way to change it.
func TestLookWhileViewing(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.viewerOf(t, looked{login: "merchant-1", home: "/merchant", kind: caller.MerchantPortal})
	page := p.page(t, b.looksPath())
	want(t, "to save", page.Find("main form button").Length(), 0)
	want(t, "switched off", page.Find("main fieldset[disabled]").Length(), 1)
	a := p.post(t, b.looksPath(), hidden(page, "pageColor", "#111111")...)
	want(t, "saved", line(a.code, b.lookKept(t)), "403 - - {} f")
}

// In a browser the preview follows what is typed and what is picked, in the frame that its policy lets
// in; without script a button draws it.
func TestPreviewFollows(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	tab := p.tab(t, b.server.URL)
	tab.Theme("light")
	tab.Do(chromedp.EmulateViewport(1280, 1400))
	tab.Open(b.server.URL + b.looksPath())
	const drawn = `new URLSearchParams(document.querySelector("#drawn iframe").src.split("?")[1]).get("color")`
	awaitScript(t, tab, drawn, "")
	tab.Type("#pageColor", "#ffd400")
	awaitScript(t, tab, drawn, "#ffd400")
	awaitScript(t, tab, `document.querySelector("#drawn .note").textContent.slice(0, 14)`, "On light pages")
	awaitScript(t, tab, `document.querySelector(".picker").value`, "#ffd400")
	want(t, "still typed", browsertest.Eval[string](tab, `document.querySelector("#pageColor").value`), "#ffd400")
	browsertest.Eval[bool](tab, `(() => { const picker = document.querySelector(".picker");
		picker.value = "#7b2ff7"; return picker.dispatchEvent(new Event("input", {bubbles: true})); })()`)
	awaitScript(t, tab, drawn, "#7b2ff7")
	want(t, "picked", browsertest.Eval[string](tab, `document.querySelector("#pageColor").value`), "#7b2ff7")
	want(t, "saved", b.lookKept(t), "- - {} f")
	awaitPixel(t, tab, color.RGBA{R: 0x7b, G: 0x2f, B: 0xf7, A: 0xff})
	plain := p.tab(t, b.server.URL)
	plain.WithoutScript()
	plain.Open(b.server.URL + b.looksPath())
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
		shot, err := png.Decode(
			bytes.NewReader(browsertest.Call(tab, page.CaptureScreenshot, page.CaptureScreenshotParams{}).Data),
		)
		noError(t, err)
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
