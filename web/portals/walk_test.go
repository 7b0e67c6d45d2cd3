package portals_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
)

// These walk through a day of each of a merchant's roles in a real browser. What they do is proved of each page as well.

// desktop has a tab shown on a wide screen.
func desktop(tab browsertest.Tab) browsertest.Tab {
	tab.Do(chromedp.EmulateViewport(1280, 800))
	return tab
}

// comes signs somebody in by hand, who then sees a page titled so.
func comes(t *testing.T, b *portaltest.Bundle, tab browsertest.Tab, login, title string) {
	t.Helper()
	tab.Open(b.Server.URL + "/sign-in")
	tab.Write("#login", login)
	tab.Write("#password", portaltest.Password)
	tab.Click("main button[type=submit]")
	tab.Await("h1", title)
}

// employed makes a user of the merchant named after their role.
func employed(t *testing.T, b *portaltest.Bundle, role caller.Role) string {
	t.Helper()
	login := "the-" + string(role)
	b.User(t, login, caller.MerchantPortal, role, b.Merchant.ID)
	return login
}

// listed is how many rows a list has.
func listed(tab browsertest.Tab) int {
	tab.T.Helper()
	return browsertest.Eval[int](tab, `document.querySelectorAll("tr[data-row]").length`)
}

// fetched is a file that a link of the page leads to, as the browser gets it.
func fetched(tab browsertest.Tab, link string) string {
	tab.T.Helper()
	return browsertest.Eval[string](tab, fmt.Sprintf(
		`fetch(document.querySelector(%q).href).then(async r => r.headers.get("content-disposition") + "\n" + await r.text())`,
		link))
}

// Support on a phone finds a payment by its order, by the last four digits and the day, sees what
// happened to it and how it stood, and appeals it with a file.
func TestSupportWalks(t *testing.T) {
	b := portaltest.Parallel(t)
	b.Create(t, "1400") // on the same requisite, the day before
	b.Clock.Advance(26 * time.Hour)
	b.SetRate(t, "RUB", "100", true)
	pay := b.Failed(t, "1500")
	tab := browsertest.New(t)
	comes(t, b, tab, employed(t, b, caller.Support), "Overview")
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

// Finance, in Russian, reads a day of the statement and takes it away as a file, asks for a deposit and
// cancels a payout.
func TestFinanceWalks(t *testing.T) {
	testenv.Long(t, "support walks for all")
	b := portaltest.Parallel(t)
	b.Confirm(t, b.Create(t, "1500"))
	b.PayOut(t, 1)
	tab := desktop(browsertest.New(t))
	tab.Open(b.Server.URL + "/sign-in?lang=ru")
	comes(t, b, tab, employed(t, b, caller.Finance), "Обзор")
	tab.Click(".nav a[href='/merchant/statement']")
	tab.Await("h1", "Выписка")
	tab.Visible("#from")
	today := b.Clock.Now().UTC()
	tab.Set("#from", today.Format(time.DateOnly))
	tab.Set("#to", today.Format(time.DateOnly))
	tab.Click("form[role=search] button")
	tab.Holds("main", "Убрать фильтр: По")
	tab.Holds("tbody", "Платёж № 1")
	rows := listed(tab)
	file := fetched(tab, ".head a[href*='.csv']")
	if rows == 0 || !strings.HasPrefix(file, "attachment") ||
		!strings.HasSuffix(strings.TrimSpace(file), fmt.Sprint("rows,", rows)) {
		t.Errorf("%d rows on the page, the file: %s", rows, file)
	}
	tab.Holds("main", "+14,28571428")
	tab.Set("#from", today.AddDate(0, 0, -2).Format(time.DateOnly))
	tab.Set("#to", today.AddDate(0, 0, -1).Format(time.DateOnly))
	tab.Click("form[role=search] button")
	tab.Gone("tr[data-row]")
	tab.Click(".nav a[href='/merchant/deposits']")
	tab.Await("h1", "Пополнения")
	tab.Click(".head .primary")
	tab.Write("#amount", "25,5")
	tab.Set("#network", "TRC20")
	tab.Write("#address", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")
	tab.Click("main form button.primary")
	tab.Await("h1", "Пополнение № 1")
	tab.Holds("main .sum", "25,50 USDT")
	tab.Click(".nav a[href='/merchant/payouts']")
	tab.Click("tr[data-row] a")
	tab.Click("a[href$='/cancel']")
	tab.Click("main form button.danger")
	tab.Visible(".flash")
	want(t, "cancelled", tab.Text(".headline .badge"), "Отменена")
	b.Audit(t)
}

// A developer makes a key whose secret is seen once, revokes it, changes the webhook secret, sends
// events again by a filter, and asks what is wrong with a signature.
func TestDeveloperWalks(t *testing.T) {
	testenv.Long(t, "support walks for all")
	b := portaltest.Parallel(t)
	b.Tell(t, b.Merchant, 1, "dead")
	b.Tell(t, b.Merchant, 2, "dead")
	tab := desktop(browsertest.New(t))
	comes(t, b, tab, employed(t, b, caller.Developer), "Overview")
	tab.Click(".nav a[href='/merchant/developers/keys']")
	tab.Click(".head .primary")
	tab.Write("#name", "staging")
	tab.Click("#scope-payouts")
	tab.Click("main form button.primary")
	tab.Visible("#secret")
	secret := tab.Text("#secret")
	tab.Click(".actions a.primary")
	tab.Await("h1", "API keys")
	if page := browsertest.Eval[string](tab, "document.documentElement.outerHTML"); len(secret) != 46 ||
		strings.Contains(page, secret) || !strings.Contains(page, "staging") {
		t.Errorf("after the secret %q was seen", secret)
	}
	revoke := `[...document.querySelectorAll("tr")].find(e => e.textContent.includes("staging")).querySelector("a.danger").href`
	tab.Open(browsertest.Eval[string](tab, revoke))
	tab.Click("main form button.danger")
	tab.Visible(".flash")
	tab.Holds("tbody", "Revoked")
	tab.Click(".nav a[href='/merchant/developers/webhooks']")
	tab.Click("a[href$='/secret']")
	tab.Click("main form button[type=submit]")
	tab.Visible("#secret")
	tab.Holds("#secret", "whsec_")
	developerResends(t, b, tab)
	tab.Click(".nav a[href='/merchant/developers/doctor']")
	tab.Write("#headers", "X-Merchant-Key-Id: "+b.Merchant.KeyID+"\nSignature: "+strings.Repeat("ab", 20))
	tab.Write("#secret", b.Merchant.Secret)
	tab.Write("#body", "{}")
	tab.Click("main form button.primary")
	tab.Visible(".note")
	tab.Holds(".note", "SHA-1")
}

func developerResends(t *testing.T, b *portaltest.Bundle, tab browsertest.Tab) {
	t.Helper()
	tab.Click(".nav a[href='/merchant']")
	tab.Click("#waiting ~ ul a")
	tab.Await("h1", "Events")
	tab.Visible("tr[data-row]:nth-child(2)")
	want(t, "what the overview counts", listed(tab), 2)
	tab.Click(".head a[href='/merchant/developers/resend']")
	tab.Visible("form[action='/merchant/developers/resend'] #from")
	tab.Set("#from", b.Clock.Now().UTC().Format(time.DateOnly))
	tab.Click("main form button")
	tab.Click("tr[data-row] a.button")
	tab.Click("main form button.primary")
	tab.Visible(".flash")
	tab.Holds("main", "Queued so far2")
	tab.Await(".headline .badge", "Done")
}

// An owner invites a colleague by a link, who signs in with what it gave them. Switched off, the
// colleague is out at the next click.
func TestOwnerWalks(t *testing.T) {
	testenv.Long(t, "support walks for all")
	b := portaltest.Parallel(t)
	tab, theirs := desktop(browsertest.New(t)), browsertest.New(t)
	comes(t, b, tab, employed(t, b, caller.Owner), "Overview")
	tab.Click(".nav a[href='/merchant/team']")
	tab.Click(".head .primary")
	tab.Write("#login", "colleague")
	tab.Set("#role", "finance")
	tab.Click("main form button.primary")
	tab.Visible("#secret")
	theirs.Open(tab.Text("#secret"))
	theirs.Write("#password", portaltest.Password)
	theirs.Write("#again", portaltest.Password)
	theirs.Click("main form button.primary")
	theirs.Await("h1", "Overview")
	theirs.Click(`form[action="/sign-out"] button`)
	theirs.Await("h1", "Sign in")
	comes(t, b, theirs, "colleague", "Overview")
	want(t, "a finance user's pages", browsertest.Eval[bool](theirs,
		`!!document.querySelector(".nav a[href='/merchant/deposits']") && !document.querySelector(".nav a[href='/merchant/team']")`), true)
	tab.Open(b.Server.URL + "/merchant/team")
	tab.Open(browsertest.Eval[string](tab,
		`[...document.querySelectorAll("td a")].find(e => e.textContent === "colleague").href`))
	tab.Click("a[href$='/off']")
	tab.Click("main form button.danger")
	tab.Visible(".flash")
	theirs.Open(b.Server.URL + "/merchant/balance")
	theirs.Await("h1", "Sign in")
	comes(t, b, theirs, "colleague", "Sign in")
	theirs.Visible("[role=alert]")
}
