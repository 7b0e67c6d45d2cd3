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
	"gateway.example/web/portal/portaltest"
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
			"X-Frame-Options": "DENY", "Cache-Control": "no-store", "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
			"X-Robots-Tag": "noindex", "Content-Type": "text/html; charset=utf-8",
		} {
			want(t, path, a.Header.Get(name), wanted)
		}
	}
}

// styleHash is the hash of a page's one inline stylesheet, as its policy has to
// name it.
func styleHash(t *testing.T, a answer) string {
	t.Helper()
	_, rest, _ := strings.Cut(a.Body, "<style>")
	text, _, found := strings.Cut(rest, "</style>")
	want(t, "a page has one inline stylesheet", line(found, strings.Contains(a.Body, "style=")), "true false")
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// One origin may be allowed to frame a cashbox's pages. Nothing else of the
// policy changes, nor any other cashbox's.
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

// The language is chosen in the link, remembered, or the browser's, in this
// order.
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
		// A choice in the link goes on with every link, for browsers
		// that keep no cookies in frames.
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

// page, with its stylesheet, and script fit into the first flight of a
// connection.
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

// setLogo gives a payment's shop a logo, as the merchant does; one without
// content takes it away.
func (b *bundle) setLogo(t *testing.T, p payment.Payment, file []byte) {
	t.Helper()
	testenv.Must(b.settings.UpdateOwnLook(t.Context(), ownerOf(p.MerchantID), directory.LookUpdate{CashboxID: p.CashboxID, Logo: file}))(t)
}

// A shop's logo stands in place of its name, which screen readers hear, on
// pages for transfers and for cards, and comes from an address that may be kept
// for good. Without it the name is back, and the address leads nowhere.
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

// weighPage wants a page with all that it loads, but for pictures of a shop's
// own, to be small.
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

const logo = testenv.PNG

func (b *bundle) setBank(t *testing.T, bank directory.Bank) {
	t.Helper()
	bank.Currency, bank.Source, bank.Enabled = "RUB", "https://bank.example/links", true
	testenv.Must(b.settings.SetBank(t.Context(), portaltest.Admin, bank))(t)
}

// The page leads into the apps of the banks that an operator knows, with what
// has to be entered there, or says what to do in them; the payer's own stands
// first from then on.
func TestBanks(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "sbp")
	want(t, "banks are offered that nobody has set", b.page(t, b.path(p)).Find(".banks").Length(), 0)
	b.setBank(t, directory.Bank{
		Name:    "Alpha",
		Methods: []string{"sbp"},
		Link:    "alpha-app://pay?to={phone}&sum={amount}&name={recipient}",
		Logo:    []byte(logo),
	})
	b.setBank(t, directory.Bank{
		Name:    "Beta",
		Methods: []string{"sbp", "card"},
		Steps:   map[string]string{"en": "Choose Payments, then By phone.", "ru": "Платежи, по номеру."},
	})
	b.setBank(t, directory.Bank{Name: "Other", Methods: []string{"card"}, Link: "https://other.example/{value}"})
	shown := b.page(t, b.path(p)+"?lang=ru")
	wantText(t, shown, ".banks > summary", "Открыть приложение банка")
	wantText(t, shown, ".banks li:nth-child(2) .hint", "Платежи, по номеру.")
	want(t, "banks are offered", shown.Find(".banks li").Length(), 2)
	link, wanted := shown.Find(".banks a").AttrOr("href", ""),
		"alpha-app://pay?to="+(*p.RequisiteValue)[1:]+"&sum=1500.00&name=Ivan%20Petrov"
	want(t, "the link is", link, wanted)
	image := b.ask(t, shown.Find(".banks img").AttrOr("src", ""))
	want(t, "the logo is", line(image.Body, image.Header.Get("Content-Type")), line(logo, "image/png"))
	if a := b.ask(t, "/bank/"+strings.Repeat("0", 64)); a.Code != http.StatusNotFound {
		t.Errorf("a logo that is none: %d", a.Code)
	}

	wantText(t, shown, ".facts .letter[data-letter]", "")
	want(t, "a bank without a logo has its letter", shown.Find(".banks li:nth-child(2) .letter").AttrOr("data-letter", ""), "B")

	page.Open(b.server.URL + b.path(p))
	page.Click(".banks > summary")
	page.Click("[data-bank=Beta] summary")
	page.Await("[data-bank=Beta] .hint", "Choose Payments, then By phone.")
	page.Open(b.server.URL + b.path(b.create(t, "RUB", "sbp")))
	page.Await(".banks[open] li:first-child span:last-child", "Beta")
}

// In a sandbox the page that stands in for a test bank's app shows what the app
// would be opened with; elsewhere there is none, and a link stays as it was
// set.
func TestTestBank(t *testing.T) {
	t.Parallel()
	const link = "https://test-bank.example/?to={value}&sum={amount}&name={recipient}"
	for _, sandbox := range []bool{true, false} {
		b := serve(t, sandbox)
		b.setBank(t, directory.Bank{Name: "Test", Methods: []string{"sbp"}, Link: link})
		p := b.create(t, "RUB", "sbp")
		to := b.page(t, b.path(p)).Find(".banks a").AttrOr("href", "")
		if !sandbox {
			want(t, "the link is as it was set", strings.HasPrefix(to, "https://test-bank.example/?to="), true)
			want(t, "a stand-in is served", b.ask(t, "/test-bank").Code, http.StatusNotFound)
			continue
		}
		wantText(t, b.page(t, to), "h1 + p", "Here the bank’s app would open, the transfer filled in: "+
			*p.RequisiteValue+", 1500.00, Ivan Petrov")
	}
}
