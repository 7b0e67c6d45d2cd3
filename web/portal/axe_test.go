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
	"gateway.example/internal/testenv"
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
	"GET /{$}", "GET /trader/desk", "GET /trader/live", "GET /.well-known/gateway-keys.json",
	"GET /trader/payments.csv", "GET /trader/payouts.csv", "GET /trader/statement.csv", "GET /merchant/payments.csv",
	"GET /merchant/payouts.csv", "GET /merchant/statement.csv", "GET /trader/payments/{id}/receipts/{n}",
	"GET /merchant/payments/{id}/receipts/{n}", "GET /merchant/looks/preview", "GET /merchant/looks/code.svg",
	"GET /merchant/payments/{id}/timeline.json", "GET /merchant/appeals/{id}/file",
	"GET /merchant/payments/{id}/proof.json", "GET /merchant/payouts/{id}/proof.json",
	"GET /merchant/deposits/{id}/proof.json", "GET /.well-known/ledger-roots.json",
	"GET /operator/accounts/statement.csv", "GET /operator/income.csv", "GET /operator/routing/payment",
	"GET /operator/audit.csv", "GET /operator/reconciliation/days/{day}",
}

// operatorPages are the operators' pages that need no subject.
var operatorPages = map[string]string{
	"work":                "/operator",
	"simulator":           "/operator/simulator",
	"operators' payments": "/operator/payments",
	"operators' payouts":  "/operator/payouts",
	"operators' deposits": "/operator/deposits",
	"operators' appeals":  "/operator/appeals",
	"overdue payouts":     "/operator/overdue",
	"conflicts":           "/operator/conflicts",
	"dead events":         "/operator/events/dead",
	"audit":               "/operator/audit",
	"audit filtered":      "/operator/audit?status=sign_in&q=root",
	"audit wrong":         "/operator/audit?from=nonsense",
	"reconciliation":      "/operator/reconciliation",
	"alarms":              "/operator/alarms",
	"manual":              "/operator/manual",
}

// group is pages that somebody sees.
type group struct {
	name string
	options
	// sandbox has the pages of a sandbox besides.
	sandbox bool
	who     func(b *bundle, t testing.TB) *person
	pages   func(b *bundle, t testing.TB, p *person) map[string]string
	// brief are those that stand for all outside the whole check.
	brief []string
}

func only(pages map[string]string) func(*bundle, testing.TB, *person) map[string]string {
	return func(*bundle, testing.TB, *person) map[string]string { return pages }
}

func as(role caller.Role) func(*bundle, testing.TB) *person {
	return func(b *bundle, t testing.TB) *person { return b.as(t, role) }
}

func operator(role caller.Role) func(*bundle, testing.TB) *person {
	return func(b *bundle, t testing.TB) *person { return b.operator(t, role) }
}

// groups are all pages there are.
var groups = []group{
	{
		name: "traders", options: options{passkeys: true},
		who:   func(b *bundle, t testing.TB) *person { return b.trader(t, 0) },
		pages: (*bundle).pages, brief: []string{"desk"},
	},
	{
		name:  "merchants",
		who:   as(caller.Owner),
		pages: (*bundle).merchantPages,
		brief: []string{"payments"},
	},
	{name: "developers", who: as(caller.Owner), pages: (*bundle).developerPages, brief: []string{"webhooks"}},
	{
		name: "consent", who: (*bundle).askedMerchant, pages: only(map[string]string{"consent": "/merchant/consent"}),
	},
	{
		name:  "trader's consent",
		who:   (*bundle).askedTrader,
		pages: only(map[string]string{"consent": "/trader/consent"}),
	},
	{
		name: "overview", who: as(caller.Owner),
		pages: func(b *bundle, t testing.TB, _ *person) map[string]string {
			b.week(t)
			return map[string]string{"overview": "/merchant"}
		},
		brief: []string{"overview"},
	},
	{
		name: "viewers", who: (*bundle).viewer, pages: only(map[string]string{"viewed desk": "/trader"}),
	},
	{name: "account", who: operator(caller.Admin), pages: only(map[string]string{"operator's account": "/account"})},
	{name: "first steps", who: operator(caller.Admin), pages: only(map[string]string{"first steps": "/operator"})},
	{name: "lists", who: operator(caller.Admin), pages: only(operatorPages), brief: []string{"manual"}},
	{name: "cases", who: operator(caller.Admin), pages: (*bundle).casePages},
	{
		name: "money",
		who: func(b *bundle, t testing.TB) *person {
			b.watched()
			return b.treasurer(t, "one")
		},
		pages: (*bundle).moneyPages, brief: []string{"rates"},
	},
	{name: "directory", who: operator(caller.Admin), pages: (*bundle).directoryPages, brief: []string{"user"}},
	{
		name: "auditors", who: operator(caller.Auditor),
		pages: func(b *bundle, _ testing.TB, _ *person) map[string]string {
			return map[string]string{
				"read requisite": fmt.Sprintf("/operator/requisites/%d", b.traders[0].Requisites[0]),
				"read cashbox":   fmt.Sprintf("/operator/cashboxes/%d", b.merchant.CashboxID),
			}
		},
	},
	{
		name: "sandbox", sandbox: true, who: func(b *bundle, _ testing.TB) *person { return b.nobody() },
		pages: (*bundle).sandboxPages, brief: []string{"start"},
	},
}

// open makes what the pages show, and gives them by name.
func (g group) open(t testing.TB) (*bundle, *person, map[string]string) {
	t.Helper()
	b := setup(t, g.options)
	if g.sandbox {
		b.asSandbox(t)
	}
	p := g.who(b, t)
	return b, p, g.pages(b, t, p)
}

// No page is left out: every address is either examined or said to have none. And every page is light, with the script
// and the stylesheet that it loads.
func TestEveryPageIsExamined(t *testing.T) {
	t.Parallel()
	all := setup(t, options{})
	left := http.NewServeMux()
	missing, files := map[string]bool{}, map[string]int{}
	for pattern := range portal.Patterns(all.rooms) {
		if strings.HasPrefix(pattern, "GET ") {
			left.HandleFunc(pattern, http.NotFound)
			missing[pattern] = !slices.Contains(unexamined, pattern)
		}
	}
	for _, group := range groups {
		b, p, pages := group.open(t)
		for i := range 30 { // so that the desk is full
			if group.name == "traders" {
				b.create(t, fmt.Sprint(2000+i))
			}
		}
		for name, path := range pages {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL+path, nil)
			noError(t, err)
			_, pattern := left.Handler(r)
			delete(missing, pattern)
			want(t, name+" is no page, and leads from", p.wantLight(t, path, files).to(), "")
		}
	}
	for pattern, page := range missing {
		if page {
			t.Errorf("%s is not examined: put it among the pages, or say that it has none", pattern)
		}
	}
}

// Nobody is shut out: every page, in light and dark, on a phone and at a desk, with text of twice the size, in both
// languages. And no page asks a stranger for anything.
func TestAccessible(t *testing.T) {
	t.Parallel()
	rules := browsertest.Rules(t)
	for _, group := range groups {
		if len(group.brief) == 0 && !testenv.Whole() {
			continue
		}
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			b, p, pages := group.open(t)
			if !testenv.Whole() {
				maps.DeleteFunc(pages, func(name, _ string) bool { return !slices.Contains(group.brief, name) })
			}
			tab := p.tab(t, b.server.URL)
			tab.Examining(rules)
			tab.Theme("light")
			for _, width := range testenv.Pick([]int64{320}, []int64{320, 1280}) {
				tab.Do(chromedp.EmulateViewport(width, 800))
				for name, path := range pages {
					b.examine(tab, fmt.Sprintf("%s, %d px", name, width), path)
				}
			}
		})
	}
}

// examine looks at a page in Russian, whose words are long, and in the whole check also in English.
func (b *bundle) examine(tab browsertest.Tab, name, path string) {
	tab.T.Helper()
	joint := "?"
	if strings.Contains(path, "?") {
		joint = "&"
	}
	for i, language := range testenv.Pick([]string{"ru"}, []string{"en", "ru"}) {
		where := name + ", " + language
		tab.Open(b.server.URL + path + joint + "lang=" + language)
		if i == 0 {
			tab.Finds(where, browsertest.Examine)
		}
		if i == 0 && testenv.Whole() {
			tab.Theme("dark")
			tab.Finds(where+", dark", browsertest.ExamineColors)
			tab.Theme("light")
		}
		tab.Finds(where, fmt.Sprintf(beyond, "100%"), fmt.Sprintf(beyond, "200%"), browsertest.Foreign)
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
