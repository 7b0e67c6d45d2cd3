package pay_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gateway.example/internal/testenv"
)

func (b tab) value(selector string) string {
	b.T.Helper()
	return eval[string](b, `document.querySelector("`+selector+`").value`)
}

// Each card as a payer types it: grouped and named while they do, and the
// result comes by itself.
func TestBuy(t *testing.T) {
	b, page := setup(t, true), newTab(t)
	page.Timed()
	const paid, again = "Payment received", "Amount to pay 1,500 ₼"
	all := []struct{ currency, method, card, grouped, brand, title, status string }{
		{"TRY", "quasi_ecom", mastercardCard, "5555 5555 5555 4444", "Mastercard", paid, "completed"},
		{"AZN", "quasi_ecom", declinedCard, "4000 0000 0000 0002", "Visa", again, "pending"},
		{"RUB", "mtstpay", approvedCard, "4242 4242 4242 4242", "Visa", paid, "completed"},
		{"AZN", "quasi_ecom", approvedCard, "4242 4242 4242 4242", "Visa", paid, "completed"},
		{"AZN", "quasi_ecom", poorCard, "4000 0000 0000 9995", "Visa", again, "pending"},
	}
	for _, test := range testenv.Pick(t, all[:3], all) {
		p := b.create(t, test.currency, test.method)
		page.Open(b.server.URL + b.path(p))
		page.Focus("#pan")
		page.Keys(test.card)
		page.Focus("#expiry")
		page.Keys("1230")
		page.Type("#cvv", "123")
		want(t, test.card+" is typed as", line(page.value("#pan"), page.value("#expiry"), page.Text(".brand")),
			line(test.grouped, "12/30", test.brand))
		page.Click("form .button")
		page.Await("h1", "Your bank is checking the card")
		b.answers(t)
		page.passes("h1", test.title)
		got := page.Text(".order > :last-child")
		testenv.Check(t, test.title != paid || got == test.brand+" •••• "+test.card[12:], "paid with %q", got)
		want(t, test.card+": the payment is", b.status(t, p), test.status)
	}
}

// While a form is being sent, only its answer shows something new: news that
// came before it would keep the code that was sent in the field, and the answer
// would take away what is typed after it.
func TestAnswerComesFirst(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, p, codeCard)
	b.answers(t)
	page.Timed()
	page.Before(`{
		const fetched = fetch;
		asked = 0;
		fetch = async (address, how) => {
			const answer = await fetched(address, how);
			if (how.method === "post") await new Promise(free => { answers = free });
			else asked++;
			return answer;
		};
	}`)
	page.Open(b.server.URL + b.path(p) + "/code")
	page.Type("#otp", "111111")
	page.Keys(kb.Enter)
	testenv.Until(t, "the code is refused", func() bool { return eval[bool](page, "!!window.answers") })
	asked := eval[int](page, "asked")
	testenv.Until(t, "the page has asked three times more", func() bool {
		page.Pass(asksEvery)
		return eval[int](page, "asked") > asked+2
	})
	want(t, "while it is sent", line(page.value("#otp"), page.Text("#otp-error")), line("111111", "(none)"))
	eval[bool](page, "(answers(), true)")
	page.Await("#otp-error", "The code is not right. Enter the one from the latest message. You can enter a code 2 more times.")
	want(t, "afterwards", page.value("#otp"), "")
}

// What a payer types stays when the page shows something new.
func TestTypingIsKept(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, p, codeCard)
	page.Timed()
	page.Open(b.server.URL + b.path(p) + "/code")
	page.Type("#otp", "1234")
	b.answers(t)
	testenv.Must(b.checkouts.Resend(t.Context(), b.box(t, "AZN").Caller, p.UUID.String()))(t)
	page.passes(".card > .hint", "No code? It can be sent 2 more times.")
	if got, at := page.value("#otp"), eval[string](page, "document.activeElement.id"); got != "1234" || at != "otp" {
		t.Errorf("%q is left, at %q", got, at)
	}
}

// A saved card is paid with by three taps at most, of which the page itself
// keeps count: one on the field of the code, though it has the keyboard
// already, and one on the button.
func TestBuyWithSavedCard(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	page.Timed()
	first := b.createFor(t, "AZN", "quasi_ecom", "eva")
	b.payWith(t, first, approvedCard)
	b.answers(t)
	page.Open(b.server.URL + b.path(b.createFor(t, "AZN", "quasi_ecom", "eva")))
	page.Await("[data-saved-card] strong", "Visa •••• 4242")
	eval[bool](
		page,
		`(addEventListener("click", event => { if (event.isTrusted) sessionStorage.taps = Number(sessionStorage.taps || 0) + 1 }, true), true)`,
	)
	testenv.Until(t, "the page begins at the code", func() bool { // the browser goes there when it first draws it
		return eval[string](page, "document.activeElement.id") == "cvv"
	})
	page.Click("#cvv")
	page.Keys("123")
	page.Click("form .button")
	page.Await("h1", "Your bank is checking the card")
	b.answers(t)
	page.passes("h1", "Payment received")
	taps := eval[int](page, "Number(sessionStorage.taps)")
	testenv.Check(t, taps >= 1 && taps <= 3, "paid in %d taps", taps)
}

// refreshed loads the page again, as it does by itself every ten seconds
// without script: in the whole check it does.
func (b tab) refreshed() {
	b.T.Helper()
	if !testenv.Whole(b.T) {
		b.Do(chromedp.Reload())
	}
}

func TestBuyWithoutScript(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	page.WithoutScript()
	page.Open(b.server.URL + b.path(b.create(t, "AZN", "quasi_ecom")))
	page.Click("form .button")
	page.Await("#pan-error", "Enter the number of your card.")
	want(t, "the page begins at", eval[string](page, `document.querySelector("[autofocus]").id`), "pan")
	page.Type("#pan", "4000 0025 0000 3155")
	page.Type("#expiry", "12/30")
	page.Type("#cvv", "123")
	page.Click("form .button")
	page.Await("h1", "Your bank is checking the card")
	b.answers(t)
	page.refreshed()
	page.Await("h1", "Enter the code from your bank")
	page.Type("#otp", "123456")
	page.Click("form .button")
	page.Await("h1", "Payment received")
}

// The page sees the deadline come, and the payer's cancel.
func TestBuyTooLate(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	page.Timed()
	page.Open(b.server.URL + b.path(b.create(t, "AZN", "quasi_ecom")))
	b.clock.Advance(15 * time.Minute)
	page.passes("h1", "The time to pay is over")
	page.Open(b.server.URL + b.path(b.create(t, "AZN", "quasi_ecom")))
	page.Click(".card > a.quiet:last-child")
	page.Click("form .button")
	page.Await("h1", "Payment cancelled")
}
