package pay_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/directory"
	"gateway.example/internal/paylink"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

func TestHeaders(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "RUB", "sbp")
	bought := b.create(t, "AZN", "quasi_ecom")
	for path, ancestors := range map[string]string{
		b.path(p): "'none'", "/r/nonsense": "'none'", b.path(bought): "'none'", b.path(bought) + "/code": "'none'", "/pay/nonsense": "'none'",
	} {
		a := b.ask(t, path)
		for name, wanted := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' '" + styleHash(t, a) + "'; " +
				"img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors " + ancestors,
			"X-Frame-Options": "DENY", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
			"X-Robots-Tag": "noindex", "Content-Type": "text/html; charset=utf-8",
		} {
			want(t, path, a.Header.Get(name), wanted)
		}
	}
}

// styleHash is the hash of a page's one inline stylesheet, as its policy has to name it.
func styleHash(t *testing.T, a answer) string {
	t.Helper()
	_, rest, _ := strings.Cut(a.Body, "<style>")
	text, _, found := strings.Cut(rest, "</style>")
	want(t, "a page has one inline stylesheet", line(found, strings.Contains(a.Body, "style=")), "true false")
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// One origin may be allowed to frame a cashbox's pages. Nothing else of the policy changes, nor any other cashbox's.
func TestFrameOrigin(t *testing.T) {
	b := setup(t, false)
	p, other := b.create(t, "RUB", "sbp"), b.create(t, "AZN", "c2c")
	b.change(t, directory.CashboxUpdate{ID: p.CashboxID, FrameOrigin: ptr("https://shop.example"), PageColor: ptr("#FFD400")})
	a := b.ask(t, b.path(p))
	if policy := a.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy,
		"; frame-ancestors https://shop.example") || a.Header.Get("X-Frame-Options") != "" {
		t.Error(policy, a.Header.Get("X-Frame-Options"))
	}
	if policy := b.ask(t,
		b.path(other)).Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "frame-ancestors 'none'") {
		t.Error(policy)
	}
	page := a.Page(t)
	if got, _ := page.Find("meta[name=theme-color]").Attr("content"); got != "#ffd400" {
		t.Errorf("the colour is %q", got)
	}
	wantIn(t, "the stylesheet does not have the colour", page.Find("style").Text(), "{--accent:#ffd400}")
}

// The language is chosen in the link, remembered, or the browser's, in this order.
func TestLanguage(t *testing.T) {
	b := setup(t, false)
	path := b.path(b.create(t, "RUB", "sbp"))
	for _, test := range []struct{ query, cookie, accept, want string }{
		{"", "", "", "en"}, {"", "", "tr-TR,tr;q=0.9", "tr"}, {"", "kk", "tr-TR", "kk"}, {"?lang=mn", "kk", "tr-TR", "mn"},
		{"?lang=xx", "", "ru", "ru"}, {"?lang=https://evil.example", "nonsense", "uz", "uz"},
	} {
		a := b.ask(t, path+test.query, "Cookie", "lang="+test.cookie, "Accept-Language", test.accept)
		page := a.Page(t)
		if got, _ := page.Find("html").Attr("lang"); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
		chosen := test.query == "?lang="+test.want
		if cookie := a.Header.Get("Set-Cookie"); strings.HasPrefix(cookie, "lang="+test.want+"; Path=/;") != chosen ||
			!chosen && cookie != "" {
			t.Errorf("%+v: remembers %q", test, cookie)
		}
		// A choice in the link goes on with every link, for browsers that keep no cookies in frames.
		href, _ := page.Find("a.quiet").Attr("href")
		want(t, line(test, "leads to", href), strings.HasSuffix(href, "?lang="+test.want), chosen)
		wantNot(t, line(test), a.Body, "evil.example")
		page.Find(".languages a").Each(func(_ int, link *goquery.Selection) {
			if href, _ := link.Attr("href"); !strings.HasPrefix(href, path+"?lang=") {
				t.Errorf("a language leads to %s", href)
			}
		})
	}
	want(t, "languages", b.page(t, path).Find(".languages a").Length(), 7)
}

// page, with its stylesheet, and script fit into the first flight of a connection.
const flight = 14 << 10

func TestWeight(t *testing.T) {
	b := setup(t, true)
	for _, pool := range [][2]string{{"MNT", "iban"}, {"AZN", "quasi_ecom"}} {
		p := b.create(t, pool[0], pool[1])
		b.weigh(t, p)
		b.setLogo(t, p, []byte(logo))
		b.weigh(t, p)
	}
	b.pool(t, "RUB", "sbp")
	_, path := b.sell(t, paylink.Draft{Title: strings.Repeat("Ж", 100), Description: strings.Repeat("Ю ", 250), Least: "100", Most: "5000"})
	b.weighPage(t, path+"?lang=mn")
}

// setLogo gives a payment's shop a logo, as the merchant does; one without content takes it away.
func (b *bundle) setLogo(t *testing.T, p payment.Payment, file []byte) {
	t.Helper()
	testenv.Must(b.settings.UpdateOwnLook(t.Context(), ownerOf(p.MerchantID), directory.LookUpdate{CashboxID: p.CashboxID, Logo: file}))(t)
}

// A shop's logo stands in place of its name, which screen readers hear, on pages for transfers and for cards, and
// comes from an address that may be kept for good. Without it the name is back, and the address leads nowhere.
func TestPageLogo(t *testing.T) {
	b := setup(t, false)
	for _, pool := range [][2]string{{"RUB", "sbp"}, {"AZN", "quasi_ecom"}} {
		p := b.create(t, pool[0], pool[1])
		b.setLogo(t, p, []byte(logo))
		shown := b.page(t, b.path(p))
		image := shown.Find("header img")
		want(t, p.Method, line(image.AttrOr("alt", ""), shown.Find("header .mark, header .shop").Length()), "Merchant 0")
		a := b.ask(t, image.AttrOr("src", ""))
		want(t, "the logo is", line(a.Code, a.Header.Get("Content-Type"), a.Header.Get("Cache-Control"),
			a.Header.Get("X-Content-Type-Options")), "200 image/png public, max-age=31536000, immutable nosniff")
		b.setLogo(t, p, []byte{})
		wantText(t, b.page(t, b.path(p)), "header .shop", "Merchant")
		want(t, "what is no hash is", b.ask(t, "/logo/%00").Code, http.StatusNotFound)
		want(t, "what is gone is", b.ask(t, image.AttrOr("src", "")).Code, http.StatusNotFound)
	}
}

func (b *bundle) weigh(t *testing.T, p payment.Payment) {
	t.Helper()
	b.change(t, directory.CashboxUpdate{ID: p.CashboxID, PageColor: ptr("#123456")})
	b.weighPage(t, b.path(p)+"?lang=mn")
}

// weighPage wants a page with all that it loads, but for pictures of a shop's own, to be small.
func (b *bundle) weighPage(t *testing.T, path string) {
	t.Helper()
	a, weight := b.site.Nobody().Weighed(t, path)
	files := 0
	want(t, "the page is not compressed", a.Header.Get("Content-Encoding"), "gzip")
	a.Page(t).Find("link[href], script[src]").Each(func(_ int, s *goquery.Selection) {
		address := s.AttrOr("href", s.AttrOr("src", ""))
		file, packed := b.site.Nobody().Weighed(t, address)
		want(t, address, line(file.Code, strings.HasPrefix(address, "/static/")), line(http.StatusOK, true))
		keep := file.Header.Get("Cache-Control")
		testenv.Check(t, strings.HasPrefix(keep, "public, max-age="), "%s: %s", address, keep)
		weight += packed
		files++
	})
	testenv.Check(t, files == 2 && weight <= flight, "%d files and the page are %d bytes", files, weight)
	t.Logf("%s: %d bytes", path, weight)
	plain := b.ask(t, path, "Accept-Encoding", "br, gzip;q=0")
	testenv.Check(t, plain.Header.Get("Content-Encoding") == "" && strings.HasPrefix(plain.Body, "<!doctype html>"),
		"to who takes no gzip: %.20q", plain.Body)
}
