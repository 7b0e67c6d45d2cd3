package pay_test

import (
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/directory"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// logo is a PNG as small as they come.
const logo = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89" +
	"\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"

func (b *bundle) setBank(t *testing.T, bank directory.Bank) {
	t.Helper()
	bank.Currency, bank.Source, bank.Enabled = "RUB", "https://bank.example/links", true
	testenv.Must(b.settings.SetBank(t.Context(), portaltest.Admin, bank))(t)
}

// The page leads into the apps of the banks that an operator knows, with what has to be entered
// there, or says what to do in them; the payer's own stands first from then on.
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
		"alpha-app://pay?to="+(*p.RequisiteValue)[1:]+"&sum=1500.00&name=Ivan+Petrov"
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

// In a sandbox the page that stands in for a test bank's app shows what the app would be opened with; elsewhere there is
// none, and a link stays as it was set.
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
