package pay_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gateway.example/internal/directory"
	"gateway.example/internal/paylink"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	texts "gateway.example/web/words"
)

// states are the pages there are, each by its address.
func states(t *testing.T, b *bundle) map[string]string {
	t.Helper()
	b.change(t, directory.CashboxUpdate{ID: b.box(t, "TRY").CashboxID, PageColor: ptr("#ffd400")})
	found := map[string]string{"unknown": "/r/nonsense"}
	// A phone, an account with its name to copy, and a shop's own colour:
	// the other methods look like one of them.
	for name, pool := range map[string][2]string{"waiting": {"RUB", "sbp"}, "iban": {"MNT", "iban"}, "colored": {"TRY", "c2c"}} {
		found[name] = b.path(b.create(t, pool[0], pool[1]))
	}
	lamp, path := b.sell(t, paylink.Draft{Title: "A lamp", Description: "Brass.", Least: "100"})
	found["link"] = path
	testenv.NoError(t, b.payLinks.SetPicture(t.Context(), ownerOf(lamp.MerchantID), lamp.ID, []byte(logo)))
	b.cardStates(t, found)
	b.setBank(t, directory.Bank{
		Name: "Alpha", Methods: []string{"sbp"}, Link: "https://alpha.example/{value}", Logo: []byte(logo),
	})
	b.setBank(t, directory.Bank{
		Name: "Beta", Methods: []string{"sbp"}, Steps: map[string]string{"en": "Choose Payments, then By phone."},
	})
	found["sent"] = b.path(b.create(t, "RUB", "card"))
	b.post(t, found["sent"]+"/paid")
	found["cancel"] = found["waiting"] + "/cancel"
	for _, status := range []string{"completed", "failed", "cancelled", "appeal", "expired"} {
		p := b.create(t, "RUB", "sbp")
		reason := ptr("expired")
		if found[status] = b.path(p); status == "expired" {
			b.set(t, p, "failed", reason)
			continue
		}
		b.set(t, p, status, nil)
	}
	checking := b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, checking, codeCard)
	b.post(t, b.path(checking)+"/cancel")
	found["checking"] = b.path(checking)
	return found
}

// cardStates adds the pages of card payments.
func (b *bundle) cardStates(t *testing.T, found map[string]string) {
	t.Helper()
	found["card"] = b.path(b.create(t, "AZN", "quasi_ecom"))
	found["card cancel"] = found["card"] + "/cancel"
	code := b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, code, codeCard)
	paid, declined, saved := b.createFor(t, "AZN", "quasi_ecom",
		"axe"), b.create(t, "AZN", "quasi_ecom"), b.createFor(t, "AZN", "quasi_ecom", "axe")
	b.payWith(t, paid, approvedCard)
	b.payWith(t, declined, declinedCard)
	b.answers(t)
	found["card paid"], found["card declined"], found["saved card"] = b.path(paid), b.path(declined), b.path(saved)
	found["other card"], found["forget"] = b.path(saved)+"/card", b.path(saved)+"/forget"
	b.lostStates(t, found)
	processing := b.create(t, "TRY", "quasi_ecom")
	b.payWith(t, processing, approvedCard)
	found["processing"], found["early code"] = b.path(processing), b.path(processing)+"/code"
	b.post(t, b.path(code)+"/code", "otp", "111111", "attempt", "0")
	found["code"] = b.path(code)
	off := b.create(t, "RUB", "mtstpay")
	b.line.without.Store(off.TraderID)
	found["cards off"] = b.path(off)
	testenv.Must(b.checkouts.Resend(t.Context(), b.box(t, "AZN").Caller, code.UUID.String()))(t)
}

// lostStates adds the pages on which a card, or a code, is asked for again
// because it did not reach the bank.
func (b *bundle) lostStates(t *testing.T, found map[string]string) {
	t.Helper()
	lost, codeLost := b.create(t, "AZN", "quasi_ecom"), b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, codeLost, codeCard)
	b.answers(t)
	b.line.cut.Store(true)
	b.payWith(t, lost, approvedCard)
	b.post(t, b.path(codeLost)+"/code", "otp", "123456", "attempt", "0")
	b.answers(t)
	b.line.cut.Store(false)
	found["card lost"], found["code lost"] = b.path(lost), b.path(codeLost)
}

// alike are pages laid out as others are: one language is enough for them.
var alike = []string{
	"card cancel", "card paid", "card declined", "checking", "other card", "early code", "processing", "cards off",
	"code lost", "card lost", "failed", "cancelled", "appeal", "colored",
}

// Nobody is shut out: in any state and theme, nor in any language. Words have
// the colours of their place, whatever the language is. And no page asks
// anybody else for anything.
func TestAccessible(t *testing.T) {
	b := setup(t, true)
	axe := browsertest.Rules(t)
	newTab(t) // or skip before anything is made
	pages := states(t, b)
	for _, language := range brief(t, texts.Languages) {
		t.Run(language.Code, func(t *testing.T) {
			t.Parallel()
			page, first := newTab(t), language == texts.Languages[0]
			page.Examining(axe)
			page.Theme("light")
			for state, path := range pages {
				if slices.Contains(alike, state) && (!first || !testenv.Whole(t)) {
					continue
				}
				page.Open(b.server.URL + browsertest.InLanguage(path, language.Code))
				if state == "cards off" {
					page.Type("#pan", approvedCard)
					page.Type("#expiry", "1230")
					page.Type("#cvv", "123")
					page.Keys(kb.Enter)
					page.Await("h1", "Cards are not accepted at the moment")
				}
				page.Finds(state, browsertest.Examine, browsertest.Crowded)
				if first {
					page.Do(chromedp.EmulateViewport(320, 640))
					page.Finds(state+", narrow", browsertest.Crowded, browsertest.Foreign)
					page.Do(chromedp.EmulateViewport(360, 740))
				}
				if first && testenv.Whole(t) {
					page.Theme("dark")
					page.Finds(state+", dark", browsertest.ExamineColors)
					page.Media("forced-colors", "active")
					page.Finds(state+", forced colours", browsertest.Examine)
					page.Theme("light")
				}
				page.opened(state, language.Code)
			}
		})
	}
}

// opened examines what a page shows besides once somebody has acted on it.
func (b tab) opened(state, language string) {
	b.T.Helper()
	open := func(selector string) {
		eval[bool](b, `(document.querySelectorAll("`+selector+`").forEach(d => d.open = true), true)`)
	}
	switch state {
	case "card":
		open("details.tests")
		b.Finds(state+", tests", browsertest.Examine)
		b.Click("form .button")
		w, _ := texts.In(language)
		b.Await(".error", w.Say(texts.MissingNumber))
		b.Finds(state+", wrong", browsertest.Examine)
	case "waiting":
		open(".banks, .banks details")
		b.Finds(state+", banks", browsertest.Examine, browsertest.Crowded)
		open("details.languages")
		b.Finds(state+", languages", browsertest.Examine)
	}
}

// Pictures of every state of the payers' pages, to look at.
func TestGallery(t *testing.T) {
	dir := browsertest.Gallery(t, "payers")
	b := setup(t, true)
	for state, path := range states(t, b) {
		newTab(t).Pictures(dir, state, b.server.URL+path, "en", "ru")
	}
}

// brokenAmounts lists the amounts on a page that are not on one line, or that
// reach out of the screen, by widths of the screen and sizes of letters.
const brokenAmounts = `(() => {
	const found = [];
	for (const size of ["100%", "125%", "200%"]) {
		document.documentElement.style.fontSize = size;
		for (const amount of document.querySelectorAll(".amount, .sum")) {
			if (!amount.checkVisibility()) continue;
			const range = document.createRange();
			range.selectNodeContents(amount);
			const drawn = amount.querySelector("svg"); // what is written beside it is for readers of the text alone
			if (drawn) range.setEndBefore(drawn);
			const lines = new Set([...range.getClientRects()].map(r => Math.round(r.top))).size, box = (drawn || range).getBoundingClientRect();
			if (drawn && box.top > range.getBoundingClientRect().bottom) found.push(size + ": its sign is on another line: " + amount.textContent);
			if (lines > 1) found.push(size + ": " + lines + " lines: " + amount.textContent);
			if (box.right > document.documentElement.clientWidth || box.left < 0) found.push(size + ": out of the screen: " + amount.textContent);
			const room = amount.closest(".card, .button, li") || document.body;
			if (box.right > room.getBoundingClientRect().right) found.push(size + ": out of its place: " + amount.textContent);
			if (parseFloat(getComputedStyle(amount).fontSize) < 10) found.push(size + ": too small: " + amount.textContent);
		}
		if (document.documentElement.scrollWidth > innerWidth) found.push(size + ": the page is wider than the screen");
	}
	document.documentElement.style.fontSize = "";
	return found;
})()`

// tornCopies lists the buttons whose word is on more than one line.
const tornCopies = `[...document.querySelectorAll(".copy span")].filter(word => {
	const range = document.createRange();
	range.selectNodeContents(word);
	return getComputedStyle(word).position !== "absolute" && range.getClientRects().length > 1;
}).map(word => "torn: " + word.textContent + " beside " + word.closest("div").textContent.trim())`

// What copies a number stands beside it on a phone in one piece, also in
// Russian, whose word for it is the longest.
func TestCopyIsNotTorn(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	for _, pool := range [][2]string{{"RUB", "sbp"}, {"TRY", "c2c"}, {"MNT", "iban"}} {
		page.Open(b.server.URL + b.path(b.create(t, pool[0], pool[1])) + "?lang=ru")
		page.Visible("#copy-value")
		for _, width := range []int64{360, 390} {
			page.Do(chromedp.EmulateViewport(width, 740))
			page.Finds(fmt.Sprintf("%s at %d px", pool[1], width), tornCopies)
		}
	}
}

// An amount is one number: in any language, however long, and however large the
// letters are on however narrow a phone, it stays on one line.
func TestAmountsNeverBreak(t *testing.T) {
	b := setup(t, false)
	newTab(t) // or skip before anything is made
	var paths []string
	for _, pool := range [][2]string{{"UZS", "c2c"}, {"AZN", "quasi_ecom"}} {
		for _, amount := range []string{"7", "1500", "12345.60", "1234567.89", "123456789012.34"} {
			paths = append(paths, b.path(b.create(t, pool[0], pool[1], func(r *payment.Request) { r.Amount = amount })))
		}
	}
	for _, language := range brief(t, texts.Languages) {
		t.Run(language.Code, func(t *testing.T) {
			t.Parallel()
			page := newTab(t)
			for _, path := range paths {
				page.Open(b.server.URL + browsertest.InLanguage(path, language.Code))
				for _, width := range testenv.Pick(t, []int64{320}, []int64{320, 360, 390}) {
					page.Do(chromedp.EmulateViewport(width, 740))
					page.Finds(fmt.Sprintf("%d px", width), brokenAmounts)
				}
			}
		})
	}
}

// brief are all languages in the whole check, and else one.
func brief(t *testing.T, languages []texts.Language) []texts.Language {
	return testenv.Pick(t, languages[:1], languages)
}
