package portal_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"gateway.example/internal/caller"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal"
)

// pages are those there are, by what they show.
func (b *bundle) pages(t testing.TB, p *person) map[string]string {
	t.Helper()
	open, ended := b.create(t, "1500"), b.create(t, "1600")
	_, err := b.payments.Claim(t.Context(), open.UUID)
	noError(t, err)
	_, err = b.payments.Confirm(t.Context(), b.asTrader(), ended.ID)
	noError(t, err)
	taken := b.payOut(t, 1)[0]
	p.post(t, taken+"/take")
	path := fmt.Sprintf("/trader/payments/%d", open.ID)
	return map[string]string{
		"sign in":         "/sign-in",
		"account":         "/account",
		"password":        "/account/password",
		"factor":          "/second-factor",
		"enrol":           "/second-factor/enrol",
		"app":             "/second-factor/app",
		"passkey":         "/second-factor/passkey",
		"desk":            "/trader",
		"confirm":         path + "/confirm",
		"cancel":          path + "/cancel",
		"payment":         path,
		"ended":           fmt.Sprintf("/trader/payments/%d", ended.ID),
		"payments":        "/trader/payments",
		"filtered":        "/trader/payments?status=completed&q=nothing",
		"wrong filter":    "/trader/payments?from=nonsense",
		"payouts":         "/trader/payouts",
		"requisites":      "/trader/requisites",
		"requisite":       fmt.Sprintf("/trader/requisites/%d", b.traders[0].Requisites[0]),
		"statement":       "/trader/statement",
		"payout":          taken,
		"complete":        taken + "/complete",
		"fail":            taken + "/fail",
		"give back":       taken + "/give-back",
		"invitation":      b.invitation(t),
		"no such page":    "/trader/nothing",
		"no such payment": "/trader/payments/987654",
	}
}

// invitation is the page by which somebody sets their password.
func (b *bundle) invitation(t testing.TB) string {
	t.Helper()
	link, err := b.sessions.InviteMember(t.Context(), b.asMerchant(), "invited", caller.Support)
	noError(t, err)
	_, token, _ := strings.Cut(link, "/invitation/")
	return "/invitation/" + token
}

// unexamined are the addresses at which there is no page of its own: files, parts of pages, and those
// that only lead on.
var unexamined = []string{
	"GET /{$}",
	"GET /trader/desk",
	"GET /trader/live",
	"GET /.well-known/gateway-keys.json",
	"GET /trader/payments.csv",
	"GET /trader/payouts.csv",
	"GET /trader/statement.csv",
	"GET /merchant/payments.csv",
	"GET /merchant/payouts.csv",
	"GET /merchant/statement.csv",
	"GET /trader/payments/{id}/receipts/{n}",
	"GET /merchant/payments/{id}/receipts/{n}",
	"GET /merchant/looks/preview",
	"GET /merchant/looks/code.svg",
	"GET /merchant/payments/{id}/timeline.json",
	"GET /merchant/appeals/{id}/file",
	"GET /merchant/payments/{id}/proof.json",
	"GET /merchant/payouts/{id}/proof.json",
	"GET /merchant/deposits/{id}/proof.json",
	"GET /.well-known/ledger-roots.json",
	"GET /operator/accounts/statement.csv",
	"GET /operator/income.csv",
	"GET /operator/routing/payment",
}

// No page is left out: every address is either examined or said to have none.
func TestEveryPageIsExamined(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	left := http.NewServeMux()
	missing := map[string]bool{}
	for pattern := range portal.Patterns(b.rooms) {
		if strings.HasPrefix(pattern, "GET ") {
			left.HandleFunc(pattern, http.NotFound)
			missing[pattern] = !slices.Contains(unexamined, pattern)
		}
	}
	other := setup(t, options{passkeys: true})
	trader, owner := other.trader(t, 0), b.merchantUser(t, caller.Owner)
	cases := setup(t, options{})
	cases.user(t, "root", caller.Operator, caller.Admin, 0)
	books, directory := setup(t, options{}), setup(t, options{})
	books.watched()
	treasurer, admin := books.treasurer(t, "one"), directory.operator(t, caller.Admin)
	for p, pages := range map[*person][]map[string]string{
		trader:                  {other.pages(t, trader)},
		owner:                   {b.merchantPages(t, owner), b.developerPages(t, owner), {"overview": "/merchant"}},
		cases.signIn(t, "root"): {operatorPages, caseLists, cases.casePages(t)},
		treasurer:               {books.moneyPages(t, treasurer)},
		admin:                   {directory.directoryPages(t, admin)},
	} {
		for name, path := range merged(pages) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL+path, nil)
			noError(t, err)
			_, pattern := left.Handler(r)
			delete(missing, pattern)
			if a := p.get(t, path); a.to() != "" {
				t.Errorf("%s is no page, and leads from %s to %s", name, path, a.to())
			}
		}
	}
	for pattern, page := range missing {
		if page {
			t.Errorf("%s is not examined: put it among the pages, or say that it has none", pattern)
		}
	}
}

func merged(all []map[string]string) map[string]string {
	one := map[string]string{}
	for _, pages := range all {
		maps.Copy(one, pages)
	}
	return one
}

// Nobody is shut out: every page, in light and dark, on a phone and at a desk, with text of twice the
// size, in both languages.
func TestAccessible(t *testing.T) {
	t.Parallel()
	rules := browsertest.Rules(t)
	b := setup(t, options{passkeys: true})
	p := b.trader(t, 0)
	pages := b.pages(t, p)
	tab := p.tab(t, b.server.URL)
	tab.Examining(rules)
	b.examine(t, tab, pages)
}

// So are the merchant's pages.
func TestMerchantAccessible(t *testing.T) {
	t.Parallel()
	rules := browsertest.Rules(t)
	b := setup(t, options{})
	p := b.merchantUser(t, caller.Owner)
	pages := b.merchantPages(t, p)
	tab := p.tab(t, b.server.URL)
	tab.Examining(rules)
	b.examine(t, tab, pages)
}

// So it is while an operator looks as a trader, and where they begin to.
func TestAccessibleWhileViewing(t *testing.T) {
	t.Parallel()
	rules := browsertest.Rules(t)
	b := setup(t, options{})
	viewer := b.viewer(t)
	b.user(t, "root", caller.Operator, caller.Admin, 0)
	for p, pages := range map[*person]map[string]string{
		viewer: {"viewed desk": "/trader"}, b.signIn(t, "root"): {"operator's account": "/account"},
	} {
		tab := p.tab(t, b.server.URL)
		tab.Examining(rules)
		b.examine(t, tab, pages)
	}
}

// So it is for merchants.
func TestAccessibleToMerchants(t *testing.T) {
	t.Parallel()
	rules := browsertest.Rules(t)
	b := setup(t, options{})
	b.week(t)
	tab := b.merchantUser(t, caller.Owner).tab(t, b.server.URL)
	tab.Examining(rules)
	b.examine(t, tab, map[string]string{"overview": "/merchant"})
}

func (b *bundle) examine(t *testing.T, tab browsertest.Tab, pages map[string]string) {
	t.Helper()
	for _, width := range []int64{320, 1280} {
		tab.Do(chromedp.EmulateViewport(width, 800))
		for name, path := range pages {
			for _, theme := range []string{"light", "dark"} {
				tab.Theme(theme)
				script := browsertest.ExamineColors
				if theme == "light" {
					tab.Open(b.server.URL + path)
					script = browsertest.Examine
				}
				for _, found := range browsertest.Eval[[]string](tab, script) {
					t.Errorf("%s, %d px, %s: %s", name, width, theme, found)
				}
			}
			for _, language := range []string{"en", "ru"} {
				b.wide(t, tab, fmt.Sprintf("%s, %d px, %s", name, width, language), path, language)
			}
		}
	}
}

// wide looks for what runs out of the screen, and for what is asked of strangers.
func (b *bundle) wide(t *testing.T, tab browsertest.Tab, name, path, language string) {
	t.Helper()
	if strings.Contains(path, "?") {
		path += "&lang=" + language
	} else {
		path += "?lang=" + language
	}
	tab.Open(b.server.URL + path)
	for _, size := range []string{"100%", "200%"} {
		for _, beyond := range browsertest.Eval[[]string](tab, fmt.Sprintf(beyond, size)) {
			t.Errorf("%s, text at %s: runs out of the screen: %s", name, size, beyond)
		}
	}
	for _, found := range browsertest.Eval[[]string](tab, browsertest.Foreign) {
		t.Errorf("%s: %s", name, found)
	}
}

// beyond lists what runs out of the screen with text of some size, and is not in something that can be
// scrolled.
const beyond = `(() => {
	document.documentElement.style.fontSize = %q;
	if (document.documentElement.scrollWidth <= innerWidth) return [];
	const all = [...document.querySelectorAll("body *")].filter(e => e.checkVisibility() && !e.closest(".nav") && e.getBoundingClientRect().right > innerWidth + 1);
	return all.filter(e => !all.some(other => other !== e && e.contains(other))).map(e => e.outerHTML.slice(0, 120)).concat("the page");
})()`
