package reference_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"

	"gateway.example/web/browsertest"
)

// Every page can be used by everybody: on a phone and a desktop, in light and dark, with large text, and
// without a request to anybody else.
func TestAccessible(t *testing.T) {
	t.Parallel()
	rules := browsertest.Rules(t)
	server := serve(t, http.HandlerFunc(witness))
	tab := browsertest.New(t)
	tab.Examining(rules)
	for _, width := range []int64{320, 1280} {
		tab.Do(chromedp.EmulateViewport(width, 800))
		for _, address := range append(addresses(t, server.URL), "/docs/nothing") {
			examine(t, tab, server.URL, address, width)
		}
	}
	tab.Open(server.URL + "/docs/CreatePayment")
	tab.Click("form button")
	tab.Await("#result h2", "The sandbox answered 418")
	for _, found := range browsertest.Eval[[]string](tab, browsertest.Examine) {
		t.Errorf("a result: %s", found)
	}
}

func examine(t *testing.T, tab browsertest.Tab, url, address string, width int64) {
	t.Helper()
	tab.Theme("light")
	tab.Open(url + address)
	for _, script := range []string{browsertest.Examine, browsertest.Foreign, beyond} {
		for _, found := range browsertest.Eval[[]string](tab, script) {
			t.Errorf("%s, %d px: %s", address, width, found)
		}
	}
	tab.Theme("dark")
	for _, found := range browsertest.Eval[[]string](tab, browsertest.ExamineColors) {
		t.Errorf("%s, %d px, dark: %s", address, width, found)
	}
}

// beyond lists what runs out of the screen with text of twice the size, and cannot be scrolled.
const beyond = `(() => {
	document.documentElement.style.fontSize = "200%";
	const wide = document.documentElement.scrollWidth <= innerWidth ? [] :
		[...document.querySelectorAll("body *")].filter(e => e.checkVisibility() && !e.closest("pre, table") && e.getBoundingClientRect().right > innerWidth + 1).map(e => "runs out of the screen: " + e.outerHTML.slice(0, 120)).concat("the page runs out of the screen");
	document.documentElement.style.fontSize = "";
	return wide;
})()`
