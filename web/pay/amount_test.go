package pay_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	texts "gateway.example/web/words"
)

// brokenAmounts lists the amounts on a page that are not on one line, or that reach out of the screen, by widths of the
// screen and sizes of letters.
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

// An amount is one number: in any language, however long, and however large the letters are on
// however narrow a phone, it stays on one line.
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
