package pay_test

import (
	"testing"
	"time"

	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
	texts "gateway.example/web/words"
)

// told is a walk through the states of a page, whoever or whatever moves it.
type told struct {
	*bundle
	tab
	axe bool
}

// change is what happens, what is said of it, and where the focus is then: an
// element's id, class, or name.
type change struct {
	do    func()
	says  string
	focus string
}

// tell goes from change to change. In the whole check each state is examined,
// too.
func (w told) tell(changes ...change) {
	w.T.Helper()
	for _, c := range changes {
		c.do()
		w.passes("#live", c.says)
		const focused = `(({id, className, localName}) => id || className || localName)(document.activeElement)`
		testenv.Want(w.T, eval[string](w.tab, focused), c.focus, "%q leaves the focus at", c.says)
		if w.axe {
			w.examine(c.says)
		}
	}
}

// examine has axe look at a page whose timers, and with them axe's own, go on
// only when time passes. A message comes without a timer: it lets the page do
// what else it has to do in between.
func (w told) examine(where string) {
	w.T.Helper()
	w.Finds(where, `(async () => {
		let found;
		`+browsertest.Examine+`.then(list => { found = list });
		for (const { port1, port2 } = new MessageChannel(); !found; pass(1)) {
			await new Promise(done => { port1.onmessage = done; port2.postMessage(0); });
		}
		return found;
	})()`)
}

func newTold(t *testing.T) told {
	t.Helper()
	w := told{bundle: setup(t, false), tab: newTab(t), axe: testenv.Whole(t)}
	if w.axe {
		w.Examining(browsertest.Rules(t))
	}
	w.Timed()
	return w
}

// connected has the browser reach nobody, or everybody again.
func (b tab) connected(is bool) {
	b.T.Helper()
	script := `(window.kept = fetch, fetch = () => Promise.reject(new TypeError("offline")), dispatchEvent(new Event("offline")))`
	if is {
		script = `(fetch = window.kept, dispatchEvent(new Event("online")))`
	}
	eval[bool](b, script)
}

// Whoever cannot see the page of a transfer hears of every change, and is led
// to it.
func TestEveryChangeOfATransferIsTold(t *testing.T) {
	w := newTold(t)
	open := func() (end func(status string) func()) {
		p := w.create(t, "RUB", "sbp")
		w.tab.Open(w.server.URL + w.path(p))
		w.Await(".ask .amount", "1,500 ₽")
		return func(status string) func() { return func() { w.set(t, p, status, nil) } }
	}
	const again = "Do not send money to these details any more. To pay, go back to the shop and start a new payment."
	end := open()
	w.tell(
		change{func() { w.connected(false) }, "No connection. Trying again…", "body"},
		change{func() { w.connected(true) }, "The connection is back.", "body"},
		change{func() { w.Click("form .button") }, "Your transfer is on its way. 1,500 ₽. It usually arrives within a few " +
			"minutes. The result will appear here by itself: keep this page open, or come back to it later. " +
			"Please do not send the money again.", "h1"},
		change{func() {
			w.choose(t, png)
			w.Click(".proof form > .button")
		}, "1 receipt received.", "received"},
		change{func() { w.clock.Advance(time.Hour) }, "We are still looking for your transfer. 1,500 ₽. Please do not pay " +
			"again: you said that you have sent the money, and the transfer can still be found. " +
			"The result will appear here.", "h1"},
		change{end("appeal"), "The payment is under review. 1,500 ₽. We are checking whether your transfer has arrived. " +
			"You need not do anything, and please do not pay again. The result will appear here.", "h1"},
		change{end("completed"), "Payment received. 1,500 ₽. Your transfer has arrived. " +
			"You can close this page and return to the shop.", "h1"},
	)
	for status, says := range map[string]string{"failed": "The payment did not go through", "cancelled": "Payment cancelled"} {
		end = open()
		w.tell(change{end(status), says + ". 1,500 ₽. " + again, "h1"})
	}
	open()
	w.tell(change{func() { w.clock.Advance(15 * time.Minute) }, "The time to pay is over. 1,500 ₽. " + again, "h1"})
}

// The same of a payment by card.
func TestEveryChangeOfACardIsTold(t *testing.T) {
	w := newTold(t)
	w.tab.Open(w.server.URL + w.path(w.create(t, "AZN", "quasi_ecom")))
	pay := func(card string) func() {
		return func() {
			w.fill(card)
			w.Click("form .button")
		}
	}
	answers, enter := func() { w.answers(t) }, func(code string) func() {
		return func() {
			w.Type("#otp", code)
			w.Click("form .button")
		}
	}
	resend := func() { eval[bool](w.tab, `(document.querySelector("form[action*='/resend']").requestSubmit(), true)`) }
	const note, checking = "note", "Your bank is checking the card. 1,500 ₼. This usually takes less than a minute. Keep " +
		"this page open: the result will appear here by itself. Please do not pay again."
	w.tell(
		change{pay(declinedCard), checking, "h1"},
		change{answers, "Your bank declined this card, and nothing was charged. Try another card, or ask the bank for the " +
			"reason. You can try 2 more times.", note},
		change{pay(poorCard), checking, "h1"},
		change{answers, "There is not enough money on this card, and nothing was charged. Top it up or try another card. " +
			"You can try 1 more time.", note},
		change{pay(codeCard), checking, "h1"},
		change{answers, "Enter the code from your bank. The bank has sent it to your phone. " +
			"It confirms the payment of 1,500 ₼.", "otp"},
		change{resend, "A new code has been requested. Enter the one from the latest message.", "note good"},
		change{resend, "It is too early for a new code.", note},
		change{enter("111111"), "The code is not right. Enter the one from the latest message. " +
			"You can enter a code 2 more times.", "otp"},
		change{enter("123456"), "Payment received. 1,500 ₼. Your card payment went through. " +
			"You can close this page and return to the shop.", "h1"},
	)
}

// fill types a card, as a payer does who has everything at hand.
func (b tab) fill(card string) {
	b.T.Helper()
	b.Type("#pan", card)
	b.Type("#expiry", "1230")
	b.Type("#cvv", "123")
}

// A card that was typed is not lost with the connection: the button says that
// it waits, and it is charged once when the connection is back, also where it
// had arrived and only the answer was lost. Whoever changes it sends it
// themselves.
func TestCardWithoutConnection(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	page.Timed()
	for _, arrived := range []bool{false, true} {
		p := b.create(t, "AZN", "quasi_ecom")
		page.Open(b.server.URL + b.path(p))
		page.fill(approvedCard)
		page.connected(false)
		page.Click("form .button")
		page.Await("form .button", "Sent when the connection is back")
		page.Await("#live", "No connection. Nothing you typed is lost: it is sent as soon as the connection is back.")
		want(t, "what was typed is lost", line(page.value("#pan"), page.value("#cvv")), "4242 4242 4242 4242 123")
		if arrived {
			b.payWith(t, p, declinedCard)
			b.answers(t)
		}
		page.connected(true)
		if arrived {
			page.passes(".card > .note", "Your bank declined this card, and nothing was charged. Try another card, "+
				"or ask the bank for the reason. You can try 2 more times.")
		} else {
			page.Await("h1", "Your bank is checking the card")
		}
		b.answers(t)
		want(t, line("arrived", arrived, "charged"), b.attempts(t, p), 1)
	}
	page.fill(approvedCard)
	page.connected(false)
	page.Click("form .button")
	page.Await("form .button", "Sent when the connection is back")
	page.Type("#cvv", "4")
	page.Await("form .button", "Pay 1,500 ₼")
}

// That a code has come is asked quietly, after a while, and the page it leads
// to claims nothing.
func TestCodeThatNobodyAskedFor(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	page.Timed()
	p := b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, p, codeCard)
	page.Open(b.server.URL + b.path(p))
	page.Await("h1", "Your bank is checking the card")
	shown := `document.querySelector("[data-after]").checkVisibility()`
	page.Pass(9 * time.Second)
	want(t, "after nine seconds a code is asked for", eval[bool](page, shown), false)
	page.Pass(2 * time.Second)
	page.Click("a.quiet[data-after]")
	page.Await("h1 + p", "If your bank has sent you a code, enter it here. It confirms the payment of 1,500 ₼.")
}

// A page's address can be kept: the device shares it, or it is copied.
func TestShare(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "sbp")
	page.Open(b.server.URL + b.path(p))
	shares := `(navigator.share = async what => { window.kept = "shared " + what.url },
		navigator.clipboard.writeText = async text => { window.kept = "copied " + text }, true)`
	eval[bool](page, shares)
	page.Click("[data-share]")
	want(t, "the device has", eval[string](page, "window.kept"), "shared "+b.server.URL+b.path(p))
	eval[bool](page, `(navigator.share = undefined, true)`)
	page.Click("[data-share]")
	page.Await("[data-share]", "Copied")
	want(t, "the clipboard has", eval[string](page, "window.kept"), "copied "+b.server.URL+b.path(p))
}

// came has another amount come for a payment, and an operator decide what
// becomes of it.
func (b *bundle) came(t *testing.T, p payment.Payment, decision string) {
	t.Helper()
	testenv.Must(b.payments.ConfirmCame(t.Context(), traderOf(p), p.ID, payment.Came{Amount: ptr("700.50")}))(t)
	testenv.Must(b.payments.DecideCase(t.Context(), portaltest.Admin, payment.CaseDecision{PaymentID: p.ID, Decision: decision}))(t)
}

// Where another amount came and was taken, the page and the receipt say what
// came, and what was asked for, in every language.
func TestAnotherAmountTaken(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "RUB", "sbp")
	b.came(t, p, payment.TakeWhatCame)
	for _, language := range texts.Languages {
		spoken := texts.For(language.Code)
		for _, path := range []string{"", "/receipt"} {
			page := b.page(t, b.path(p)+path+"?lang="+language.Code)
			wantIn(t, language.Code+" came"+path, words(page.Find("main .card").First().Find(".amount")), "700")
			want(t, language.Code+" asked"+path, words(page.Find("#label-asked")), spoken.Say(texts.AskedFor))
			want(t, language.Code+" how much"+path, page.Find("#label-asked + dd").Text(), spoken.Amount(p.Amount, "RUB"))
			want(t, "empty lists", page.Find("main ol:empty").Length(), 0)
		}
	}
	paid := b.create(t, "RUB", "sbp")
	testenv.NoError(t, b.confirm(t.Context(), paid))
	want(t, "as asked", b.page(t, b.path(paid)).Find("#label-asked").Length(), 0)
}

// While somebody decides about another amount, the page says what came and was
// asked for, and until when that is decided, but not where an appeal waits.
func TestAnotherAmountWaits(t *testing.T) {
	b := setup(t, false)
	p, appealed := b.create(t, "RUB", "sbp"), b.create(t, "RUB", "sbp")
	b.set(t, appealed, "failed", ptr("expired"))
	b.appeal(t, appealed)
	for _, test := range []struct {
		payment payment.Payment
		facts   string
	}{
		{p, "Amount asked for 1,500 ₽Decision by 21.11.2026 15:00 (UTC+3)"},
		{appealed, "Amount asked for 1,500 ₽"},
	} {
		testenv.Must(b.payments.ConfirmCame(t.Context(), traderOf(p), test.payment.ID, payment.Came{Amount: ptr("700.50")}))(t)
		page := b.page(t, b.path(test.payment))
		wantText(t, page, "h1", "Another amount has arrived")
		wantText(t, page, ".amount", "700.50 ₽")
		want(t, "facts", words(page.Find(".facts")), test.facts)
	}
}

// A payment of which a part has come says so, asks for the rest with the day
// until when, and does not offer to be cancelled.
func TestPartIsNotCancelled(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "RUB", "sbp")
	cancel := `a[href$="/cancel"]`
	want(t, "offered before", b.page(t, b.path(p)).Find(cancel).Length(), 1)
	b.came(t, p, payment.WaitForRest)
	page := b.page(t, b.path(p))
	want(t, "offered", page.Find(cancel).Length(), 0)
	wantText(t, page, ".card > .note", "700.50 ₽ of 1,500 ₽ has arrived. Please send the rest.")
	wantText(t, page, ".deadline", "Pay before 21.11.2026 15:00 (UTC+3)")
	for _, a := range []answer{b.ask(t, b.path(p)+"/cancel"), b.post(t, b.path(p)+"/cancel")} {
		wantBack(t, b, p, a)
	}
	testenv.Must(b.payments.Claim(t.Context(), p.UUID))(t)
	want(t, "offered once it is said", b.page(t, b.path(p)).Find(cancel).Length(), 0)
}

// Whoever has said that they paid, and sent a part, is asked for the rest: what
// they said was about the part. It is kept once, so they are not asked again.
func TestRestIsAskedOfWhoHasPaid(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "RUB", "sbp")
	wantBack(t, b, p, b.post(t, b.path(p)+"/paid"))
	wantText(t, b.page(t, b.path(p)), "h1", "Your transfer is on its way")
	b.clock.Advance(time.Minute)
	b.came(t, p, payment.WaitForRest)
	page := b.page(t, b.path(p))
	wantText(t, page, ".card > .note", "700.50 ₽ of 1,500 ₽ has arrived. Please send the rest.")
	wantText(t, page, ".amount", "799.50 ₽")
	wantNot(t, "the page", page.Text(), "do not send the money again", "I have paid")

	later := b.create(t, "RUB", "sbp")
	b.came(t, later, payment.WaitForRest)
	b.clock.Advance(time.Minute)
	wantBack(t, b, later, b.post(t, b.path(later)+"/paid"))
	wantText(t, b.page(t, b.path(later)), "h1", "Your transfer is on its way")
}

// The script names the day of a deadline that is far away, as the page without
// it does.
func TestFarDeadline(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "sbp")
	b.came(t, p, payment.WaitForRest)
	page.Timed()
	page.Open(b.server.URL + b.path(p))
	page.Await("time", eval[string](page, `(() => {
		const at = new Date(Date.now() + 864e5), two = part => String(part).padStart(2, "0");
		return "Pay before " + [two(at.getDate()), two(at.getMonth() + 1), at.getFullYear()].join(".") + " " +
			two(at.getHours()) + ":" + two(at.getMinutes()) + " (UTC)" })()`))
}

// A paid payment has a receipt to print, with the time of the payer's own
// clock; any other leads to its page.
func TestPrintedReceipt(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	transfer, bought := b.create(t, "RUB", "sbp"), b.create(t, "AZN", "quasi_ecom")
	wantBack(t, b, transfer, b.ask(t, b.path(transfer)+"/receipt"))
	testenv.NoError(t, b.confirm(t.Context(), transfer))
	b.payWith(t, bought, approvedCard)
	b.answers(t)
	shown := b.page(t, b.path(bought)+"/receipt")
	wantIn(t, "the receipt", words(shown.Find(".facts")), "Paid with Visa •••• 4242", bought.UUID.String())
	wantText(t, shown, ".facts time", "20.11.2026 16:00 (UTC+4)")
	page.Open(b.server.URL + b.path(transfer))
	page.Click("a.quiet")
	page.Await("h1", "Receipt")
	page.Await(".facts time", "20.11.2026 12:00 (UTC)")
	eval[bool](page, `(window.print = () => { window.kept = "printed" }, true)`)
	page.Click("[data-print]")
	want(t, "the button has", eval[string](page, "window.kept"), "printed")
	page.Click("a.quiet")
	page.Await("h1", "Payment received")
}
