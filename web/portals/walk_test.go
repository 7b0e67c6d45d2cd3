package portals_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gateway.example/internal/caller"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
)

// listed is how many rows a list has.
func listed(tab browsertest.Tab) int {
	tab.T.Helper()
	return browsertest.Eval[int](tab, `document.querySelectorAll("tr[data-row]").length`)
}

// Support on a phone finds a payment by its order, by the last four digits and the day, sees what
// happened to it and how it stood, and appeals it with a file, in a real browser. What they do is
// proved of each page as well, and so is what the other roles do.
func TestSupportWalks(t *testing.T) {
	b := portaltest.Parallel(t)
	b.Create(t, "1400") // on the same requisite, the day before
	b.Clock.Advance(26 * time.Hour)
	b.SetRate(t, "RUB", "100", true)
	pay := b.Failed(t, "1500")
	b.User(t, "the-support", caller.MerchantPortal, caller.Support, b.Merchant.ID)
	tab := browsertest.New(t)
	tab.Open(b.Server.URL + "/sign-in")
	tab.Write("#login", "the-support")
	tab.Write("#password", portaltest.Password)
	tab.Click("main button[type=submit]")
	tab.Await("h1", "Overview")
	tab.Open(b.Server.URL + "/merchant/payments")
	tab.Write("#q", pay.OrderID)
	tab.Click("form[role=search] > button")
	tab.Visible(".chips a")
	want(t, "found by order", listed(tab), 1)
	digits := *pay.RequisiteValue
	tab.Open(b.Server.URL + "/merchant/payments")
	tab.Write("#q", digits[len(digits)-4:])
	tab.Click("details.filtering summary")
	tab.Set("#from", b.Clock.Now().UTC().Format(time.DateOnly))
	tab.Click("form[role=search] > button")
	tab.Visible(".chips a")
	want(t, "found by digits", listed(tab), 1)
	tab.Click("tr[data-row] a")
	tab.Await("h1", fmt.Sprintf("Payment № %d", pay.ID))
	tab.Holds(".timeline", "Status: Pending → Failed")
	tab.Set("#at", pay.CreatedAt.UTC().Format("2006-01-02T15:04"))
	tab.Click(fmt.Sprintf("form[action='/merchant/payments/%d'] button", pay.ID))
	tab.Visible(".note.late")
	want(t, "then", tab.Text(".headline .badge"), "Pending")
	tab.Click(".note.late a")
	tab.Await(".headline .badge", "Failed")
	tab.Click("a[href$='/appeal']")
	name := filepath.Join(t.TempDir(), "bank statement.pdf")
	noError(t, os.WriteFile(name, []byte(portaltest.PDF), 0o600))
	tab.Do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{name}))
	tab.Write("#reason", "The payer's bank says it is paid")
	tab.Click("main button.primary")
	tab.Await("h1", "Appeal № 1")
	tab.Holds("main", "bank statement.pdf")
	tab.Holds("main", "The payer's bank says it is paid")
}
