package portal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"gateway.example/internal/caller"
	"gateway.example/web/browsertest"
)

// pages are those there are, by what they show.
func (b *bundle) pages(t testing.TB, p *person) map[string]string {
	t.Helper()
	open, ended := b.create(t, "1500"), b.create(t, "1600")
	_, err := b.payments.Claim(t.Context(), open.UUID)
	noError(t, err)
	_, err = b.payments.Confirm(t.Context(), b.asTrader(), ended.ID)
	noError(t, err)
	_ = p
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
		"no such page":    "/trader/nothing",
		"no such payment": "/trader/payments/987654",
	}
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
