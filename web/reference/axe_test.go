package reference_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
)

// Every page can be used by everybody: on a phone and a desktop, in light and dark, with large text, and
// without a request to anybody else. The pages of calls are of one template: the rules look at one of them.
func TestAccessible(t *testing.T) {
	t.Parallel()
	rules := browsertest.Rules(t)
	server := serve(t, http.HandlerFunc(witness))
	brief := []string{"/docs", "/docs/CreatePayment", "/docs/webhooks", "/docs/nothing"}
	all := append(addresses(t, server.URL), "/docs/nothing")
	for width, pages := range map[int64][]string{320: testenv.Pick(t, brief, all), 1280: testenv.Pick(t, nil, brief)} {
		for some := range slices.Chunk(pages, 20) { // a tab has its time, too
			tab := browsertest.New(t)
			tab.Examining(rules)
			tab.Do(chromedp.EmulateViewport(width, 800))
			for _, address := range some {
				where := fmt.Sprintf("%s, %d px", address, width)
				tab.Theme("light")
				tab.Open(server.URL + address)
				if !ofCall.MatchString(address) || slices.Contains(brief, address) {
					tab.Finds(where, browsertest.Examine)
				}
				tab.Finds(where, browsertest.Foreign, beyond)
				if slices.Contains(brief, address) {
					tab.Theme("dark")
					tab.Finds(where+", dark", browsertest.ExamineColors)
				}
			}
		}
	}
	tab := browsertest.New(t)
	tab.Examining(rules)
	tab.Open(server.URL + "/docs/CreatePayment")
	tab.Click("form button")
	tab.Await("#result h2", "The sandbox answered 418")
	tab.Finds("a result", browsertest.Examine)
}

// ofCall are the addresses of calls, which are named like their procedures.
var ofCall = regexp.MustCompile(`^/docs/[A-Z]`)

// beyond lists what runs out of the screen with text of twice the size, and cannot be scrolled.
const beyond = `(() => {
	document.documentElement.style.fontSize = "200%";
	const wide = document.documentElement.scrollWidth <= innerWidth ? [] :
		[...document.querySelectorAll("body *")].filter(e => e.checkVisibility() && !e.closest("pre, table") && e.getBoundingClientRect().right > innerWidth + 1).map(e => "runs out of the screen: " + e.outerHTML.slice(0, 120)).concat("the page runs out of the screen");
	document.documentElement.style.fontSize = "";
	return wide;
})()`
