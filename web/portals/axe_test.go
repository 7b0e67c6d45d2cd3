package portals_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/chromedp/chromedp"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
	"gateway.example/web/portal/say"
)

// group is pages that somebody sees.
type group struct {
	name string
	portaltest.Options
	// sandbox has the pages of a sandbox besides.
	sandbox bool
	who     func(*portaltest.Bundle, testing.TB) *portaltest.Person
	pages   func(testing.TB, *portaltest.Bundle, *portaltest.Person) []string
	// brief tells that the first page stands for all outside the whole
	// check.
	brief bool
}

func only(pages ...string) func(testing.TB, *portaltest.Bundle, *portaltest.Person) []string {
	return func(testing.TB, *portaltest.Bundle, *portaltest.Person) []string { return pages }
}

func owner(b *portaltest.Bundle, t testing.TB) *portaltest.Person { return b.As(t, caller.Owner) }

func operator(b *portaltest.Bundle, t testing.TB) *portaltest.Person {
	return b.Operator(t, caller.Admin)
}

// groups are all pages there are.
var groups = []group{
	{
		name: "traders", Options: portaltest.Options{Passkeys: true}, pages: traderPages, brief: true,
		who: func(b *portaltest.Bundle, t testing.TB) *portaltest.Person { return b.Trader(t, 0) },
	},
	{name: "merchants", who: owner, pages: merchantPages, brief: true},
	{name: "developers", who: owner, pages: developerPages, brief: true},
	{name: "consent", who: (*portaltest.Bundle).AskedMerchant, pages: only("/merchant/consent")},
	{name: "trader's consent", who: (*portaltest.Bundle).AskedTrader, pages: only("/trader/consent")},
	{
		name: "overview", who: owner, brief: true,
		pages: func(t testing.TB, b *portaltest.Bundle, _ *portaltest.Person) []string {
			week(t, b)
			return []string{"/merchant"}
		},
	},
	{name: "viewers", who: (*portaltest.Bundle).Viewer, pages: only("/trader")},
	{name: "account", who: operator, pages: only("/account")},
	{name: "first steps", who: operator, pages: only("/operator")},
	{name: "lists", who: operator, pages: only(operatorPages...), brief: true},
	{name: "cases", who: operator, pages: casePages},
	{
		name: "money", pages: moneyPages, brief: true,
		who: func(b *portaltest.Bundle, t testing.TB) *portaltest.Person {
			watched(b)
			return treasurer(t, b, "one")
		},
	},
	{name: "directory", who: operator, pages: directoryPages, brief: true},
	{
		name: "auditors",
		who:  func(b *portaltest.Bundle, t testing.TB) *portaltest.Person { return b.Operator(t, caller.Auditor) },
		pages: func(_ testing.TB, b *portaltest.Bundle, _ *portaltest.Person) []string {
			return []string{
				fmt.Sprintf("/operator/requisites/%d", b.Traders[0].Requisites[0]),
				fmt.Sprintf("/operator/cashboxes/%d", b.Merchant.CashboxID),
			}
		},
	},
	{
		name: "sandbox", sandbox: true, pages: sandboxPages, brief: true,
		who: func(b *portaltest.Bundle, _ testing.TB) *portaltest.Person { return b.Nobody() },
	},
}

// open makes what the pages show.
func (g group) open(t testing.TB) (*portaltest.Bundle, *portaltest.Person, []string) {
	t.Helper()
	b := portaltest.With(t, g.Options)
	if g.sandbox {
		b.AsSandbox(t)
	}
	p := g.who(b, t)
	return b, p, g.pages(t, b, p)
}

// No page is left out: every address is either examined or said to have none.
// And every page is light, with the script and the stylesheet that it loads, in
// Russian, which takes more bytes than English.
func TestEveryPageIsExamined(t *testing.T) {
	testenv.OneByOne(t)
	all := portaltest.Parallel(t)
	left := http.NewServeMux()
	missing, files := map[string]bool{}, map[string]int{}
	for pattern := range patterns(t, all.Services) {
		if strings.HasPrefix(pattern, "GET ") {
			left.HandleFunc(pattern, http.NotFound)
			missing[pattern] = !slices.Contains(unexamined, pattern)
		}
	}
	for _, group := range groups {
		b, p, pages := group.open(t)
		for i := range 30 { // so that the desk is full
			if group.name == "traders" {
				b.Create(t, fmt.Sprint(2000+i))
			}
		}
		for _, path := range pages {
			_, pattern := left.Handler(testenv.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, b.Server.URL+path, nil))(t))
			delete(missing, pattern)
			want(t, path+" is no page, and leads from", wantLight(t, p, browsertest.InLanguage(path, say.Russian), files).To(), "")
		}
	}
	for pattern, page := range missing {
		testenv.Check(t, !page, "%s is not examined: put it among the pages, or say that it has none", pattern)
	}
}

// Nobody is shut out: every page, on a phone in light and at a desk in dark,
// with text of twice the size, in Russian, whose words are long. And no page
// asks a stranger for anything. The elements of both are the same.
func TestAccessible(t *testing.T) {
	t.Parallel()
	rules := browsertest.Rules(t)
	for _, group := range groups {
		if !group.brief && !testenv.Whole(t) {
			continue
		}
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			b, p, pages := group.open(t)
			for some := range slices.Chunk(testenv.Pick(t, pages[:1], pages), 20) { // a tab has its time, too
				tab := p.Tab(t, b.Server.URL)
				tab.Examining(rules)
				for _, path := range some {
					tab.Do(chromedp.EmulateViewport(320, 800))
					tab.Theme("light")
					tab.Open(browsertest.InLanguage(b.Server.URL+path, "ru"))
					tab.Finds(path+" on a phone", browsertest.Examine, fmt.Sprintf(beyond, "100%"), fmt.Sprintf(beyond, "200%"),
						browsertest.Foreign)
					if testenv.Whole(t) {
						tab.Do(chromedp.EmulateViewport(1280, 800))
						tab.Theme("dark")
						tab.Finds(path+" at a desk", fmt.Sprintf(beyond, "100%"), browsertest.ExamineColors, fmt.Sprintf(beyond, "200%"))
					}
				}
			}
		})
	}
}

// beyond lists what runs out of the screen with text of some size, and is not
// in something that can be scrolled.
const beyond = `(() => {
	document.documentElement.style.fontSize = %q;
	if (document.documentElement.scrollWidth <= innerWidth) return [];
	const all = [...document.querySelectorAll("body *")].filter(e => e.checkVisibility() && !e.closest(".nav") && e.getBoundingClientRect().right > innerWidth + 1);
	return all.filter(e => !all.some(other => other !== e && e.contains(other))).map(e => e.outerHTML.slice(0, 120)).concat("the page");
})()`

// Pictures of every page of the portals, to look at.
func TestGallery(t *testing.T) {
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) {
			dir := browsertest.Gallery(t, group.name)
			b, p, pages := group.open(t)
			for _, page := range pages {
				p.Tab(t, b.Server.URL).Pictures(dir, page, b.Server.URL+page, "en", "ru")
			}
		})
	}
}

// heaviest is how many bytes a page may have over the wire, with everything
// that it loads.
const heaviest = 60 << 10

// wantLight gets a page that must be light, with the script and the stylesheet
// that it loads. What files weigh is kept by their addresses, which change with
// their content.
func wantLight(t testing.TB, p *portaltest.Person, path string, files map[string]int) portaltest.Answer {
	t.Helper()
	page, bytes := p.Weighed(t, path)
	page.Page(t).Find("link[rel=stylesheet], link[rel=icon], script[src]").Each(func(_ int, s *goquery.Selection) {
		address := s.AttrOr("href", s.AttrOr("src", ""))
		if files[address] == 0 {
			file, weight := p.Weighed(t, address)
			want(t, path+" loads what is not there", file.Code, http.StatusOK)
			files[address] = weight
		}
		bytes += files[address]
	})
	if bytes > heaviest || page.Header.Get("Content-Encoding") != "gzip" && page.To() == "" {
		t.Errorf("%s weighs %d bytes, packed as %q", path, bytes, page.Header.Get("Content-Encoding"))
	}
	return page
}
