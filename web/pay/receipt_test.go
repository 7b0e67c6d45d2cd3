package pay_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// The beginnings of files, by which their types are known.
const (
	pdf = "%PDF-1.7\n"
	mp4 = "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"
)

// png is cut off before its first pixel: no browser shows what is on it, which
// would move what a test is about to click.
var png = testenv.PNG[:41]

// attach sends the form of a receipt.
func (b *bundle) attach(t testing.TB, p payment.Payment, name, content string) answer {
	t.Helper()
	return b.site.Nobody().Upload(t, b.path(p)+"/receipt", nil, name, content)
}

func wantWrongFile(t *testing.T, b *bundle, p payment.Payment, a answer) {
	t.Helper()
	want(t, "leads to", line(a.Code, a.To()), line(http.StatusSeeOther, b.path(p)+"?wrong=file"))
	page := b.page(t, a.To())
	wantText(t, page, "#file-error", "Choose a PDF, PNG, JPEG or WebP file of at most 10 MB.")
	title := page.Find("title").Text()
	testenv.Check(t, strings.HasPrefix(title, "Error: "), "the title is %q", title)
}

// A payer who has paid sends up to three receipts, from the claim until a day
// after an unpaid end. Those who look for the transfer see them.
func TestReceipts(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "RUB", "sbp")
	want(t, "a receipt is asked for before the payer has paid", b.page(t, b.path(p)).Find(".proof").Length(), 0)
	wantBack(t, b, p, b.attach(t, p, "early.png", png))
	b.post(t, b.path(p)+"/paid")
	want(t, "no receipt can be sent", b.page(t, b.path(p)).Find(".proof form").Length(), 1)
	for name, content := range map[string]string{
		"film": mp4, "text": "I have paid", "nothing": "", "large": png + strings.Repeat("x", 10<<20), "damaged": png[:33],
	} {
		t.Log(name)
		wantWrongFile(t, b, p, b.attach(t, p, name+".png", content))
	}
	wantBack(t, b, p, b.attach(t, p, "чек.png", png))
	wantText(t, b.page(t, b.path(p)), ".received", "1 receipt received.")

	b.clock.Advance(time.Hour)
	testenv.Must(b.payments.Expire(t.Context()))(t)
	for _, name := range []string{"second.pdf", "third.pdf", "fourth.pdf"} {
		wantBack(t, b, p, b.attach(t, p, name, pdf))
	}
	page := b.page(t, b.path(p))
	wantText(t, page, ".received", "3 receipts received.")
	wantText(t, page, ".proof .hint", "No more receipts are needed.")
	want(t, "a fourth receipt can be sent", page.Find(".proof form").Length(), 0)
	trader := traderOf(p)
	list := testenv.Must(b.payments.ListReceipts(t.Context(), trader, p.ID))(t)
	want(t, "kept are", line(len(list), list[0].Name, list[0].Type, list[2].Name), "3 чек.png image/png third.pdf")
	_, content := testenv.Must2(b.payments.ReadReceipt(t.Context(), trader, p.ID, 1))(t)
	want(t, "the file is", string(content), png)

	late := b.create(t, "RUB", "card")
	b.set(t, late, "failed", nil)
	b.clock.Advance(24*time.Hour + time.Millisecond)
	wantBack(t, b, late, b.attach(t, late, "late.png", png))
	page = b.page(t, b.path(late))
	testenv.Check(t, page.Find(".proof").Length() == 0 &&
		strings.Contains(page.Text(), "Receipts can no longer be attached here."), "a receipt is taken after a day")
	if list, err := b.payments.ListReceipts(t.Context(), portaltest.Admin,
		late.ID); err != nil || len(list) != 0 {
		t.Errorf("%d receipts, %v", len(list), err)
	}
}

// In a browser a file that is too large is never sent, and one that was chosen
// stays when the page has news.
func TestReceiptInBrowser(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "sbp")
	page.Timed()
	page.Open(b.server.URL + b.path(p))
	page.Click("form .button")
	page.Await("h1", "Your transfer is on its way")
	page.choose(t, strings.Repeat("x", 10<<20+1))
	page.Click(".proof form > .button")
	page.Await("#file-error", "Choose a PDF, PNG, JPEG or WebP file of at most 10 MB.")
	page.choose(t, png)
	b.clock.Advance(time.Hour)
	page.passes("h1", "We are still looking for your transfer")
	page.Click(".proof form > .button")
	page.Await(".received", "1 receipt received.")
}

// choose picks a file in the form, as the payer would.
func (b tab) choose(t *testing.T, content string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "receipt.png")
	testenv.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	b.Do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{name}))
}
