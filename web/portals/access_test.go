package portals_test

import (
	_ "embed"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal"
	"gateway.example/web/portal/portaltest"
	"gateway.example/web/portals"
)

//go:embed testdata/access.txt
var addresses string

// access is who may ask for each address, and unexamined are those at which
// there is no page of its own.
var access, unexamined = func() (groups map[string]string, without []string) {
	groups, group := map[string]string{}, ""
	var methods []string
	for line := range strings.Lines(addresses) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for i, word := range strings.Fields(line) {
			path, marked := strings.CutSuffix(word, "*")
			switch {
			case strings.HasPrefix(path, "/"):
				for _, method := range methods {
					groups[method+" "+path] = group
				}
				if marked {
					without = append(without, "GET "+path)
				}
			case word != http.MethodGet && word != http.MethodPost:
				group = word
			case i == 0:
				methods = []string{word}
			default:
				methods = append(methods, word)
			}
		}
	}
	return groups, without
}()

// visitor is somebody, with the groups of addresses that let them in.
type visitor struct {
	name    string
	kind    caller.Kind
	role    caller.Role
	allowed string
}

// visitors are everybody there is; "foreign" owners are of the second trader
// and of another merchant.
var visitors = []visitor{
	{"nobody", "", "", "all"},
	{"begun", caller.Trader, caller.Owner, "all begun"},
	{"owner", caller.Trader, caller.Owner, "all begun users desk trader"},
	{"desk", caller.Trader, caller.Desk, "all begun users desk"},
	{"foreign owner", caller.Trader, caller.Owner, "all begun users desk trader"},
	{"merchant", caller.MerchantPortal, caller.Owner, "all begun users staff finance appeals developers team"},
	{"finance", caller.MerchantPortal, caller.Finance, "all begun users staff finance appeals"},
	{"developer", caller.MerchantPortal, caller.Developer, "all begun users staff developers"},
	{"support", caller.MerchantPortal, caller.Support, "all begun users staff appeals"},
	{"foreign merchant", caller.MerchantPortal, caller.Owner, "all begun users staff finance appeals developers team"},
	{"operator", caller.Operator, caller.Admin, "all begun users operators reveals viewers cases treasury admin"},
	{"treasury", caller.Operator, caller.Treasury, "all begun users operators reveals treasury"},
	{"operators' support", caller.Operator, caller.Support, "all begun users operators reveals viewers cases"},
	{"auditor", caller.Operator, caller.Auditor, "all begun users operators"},
	{"payer", caller.Cabinet, "", "all begun users"},
}

// Every address lets in whom it should, and nobody else. One that is not in the
// table fails.
func TestAccess(t *testing.T) {
	testenv.OneByOne(t)
	b := portaltest.Parallel(t)
	patterns := patterns(t, b.Services)
	for pattern := range access {
		if _, there := patterns[pattern]; !there {
			t.Errorf("%s is in the table and no route", pattern)
		}
	}
	giveLogo(t, b)
	p := b.Create(t, "1500")
	for _, visitor := range visitors {
		t.Run(visitor.name, func(t *testing.T) { // one by one: who signed in long before the turn came would have to do it again
			browser := b.Nobody()
			if visitor.kind != "" {
				browser = visits(t, b, visitor.name, visitor.kind, visitor.role)
			}
			triesAll(t, b, visitor, browser, slices.Sorted(maps.Keys(patterns)), fmt.Sprint(p.ID))
		})
	}
	want(t, "after all that the payment is", b.Status(t, p), "pending")
}

// triesAll has a visitor ask for every address, and wants what the table says.
func triesAll(t *testing.T, b *portaltest.Bundle, v visitor, browser *portaltest.Person, patterns []string, id string) {
	t.Helper()
	for _, pattern := range patterns {
		group, listed := access[pattern]
		testenv.Need(t, listed, "%s is not in the table: say who may ask for it", pattern)
		if strings.HasSuffix(pattern, "/trader/live") || strings.HasPrefix(pattern, "POST /sign-") || pattern == "GET /{$}" {
			continue // the first goes on for ever, the next end what is tried here, the last only leads on
		}
		wanted := "refused"
		if slices.Contains(strings.Fields(v.allowed), group) && (!strings.HasPrefix(v.name, "foreign") || !owned.MatchString(pattern)) {
			wanted = "let in"
		}
		want(t, pattern, verdict(pattern, try(t, b, browser, pattern, id)), wanted)
	}
}

// logoOfX is the hash by which a logo is asked for that is the letter x.
const logoOfX = "2d711642b726b04401627ca9fbac32f5"

func giveLogo(t *testing.T, b *portaltest.Bundle) {
	t.Helper()
	b.Exec(t, "update cashbox set page_logo = 'x', page_logo_hash = $1", logoOfX)
}

// owned are the addresses that name what is the first trader's or merchant's.
var owned = regexp.MustCompile(`/(trader|merchant)/.*\{(id|cashbox)\}`)

// visits makes a user and signs them in.
func visits(t *testing.T, b *portaltest.Bundle, name string, kind caller.Kind, role caller.Role) *portaltest.Person {
	t.Helper()
	of := map[caller.Kind]int64{
		caller.Trader: b.Traders[0].ID, caller.MerchantPortal: b.Merchant.ID, caller.Cabinet: b.Merchant.ID,
	}[kind]
	switch name {
	case "foreign owner":
		of = b.Traders[1].ID
	case "foreign merchant":
		of = b.NewMerchant(t, dbtest.MerchantOpts{Methods: []string{"sbp"}}).ID
	}
	browser := b.Joins(t, name, kind, role, of)
	if name == "begun" {
		b.Exec(t, "update session set state = 'awaits_enrolment' where user_id = (select id from app_user where login = $1)", name)
	}
	return browser
}

// try asks for an address, with a form that is not filled in where it is posted
// to: who is let in changes nothing by it.
func try(t *testing.T, b *portaltest.Bundle, browser *portaltest.Person, pattern, id string) portaltest.Answer {
	t.Helper()
	method, path, _ := strings.Cut(pattern, " ")
	path = strings.NewReplacer("{$}", "", "{id}", id, "{n}", "1", "{token}", "unknown", "{cashbox}", fmt.Sprint(b.Merchant.CashboxID),
		"{key}", "987654", "{event}", "unknown", "{replay}", "987654", "{member}", "987654", "{step}", "off",
		"{method}", "sbp", "{currency}", "RUB", "{network}", "TRC20", "{kind}", "trader", "{page}", "work", "{hash}", logoOfX).
		Replace(path)
	if method == http.MethodGet {
		return browser.Get(t, path)
	}
	return browser.Post(t, path)
}

// verdict tells whether an answer lets somebody in: what leads to a sign-in or
// second factor does not, but from there, nor does what says that it is not
// allowed or that there is nothing.
func verdict(pattern string, a portaltest.Answer) string {
	to, refused := a.To(), a.Code == http.StatusForbidden
	notFound := a.Code == http.StatusNotFound && strings.Contains(a.Body, "not for your account")
	if refused || notFound || strings.HasPrefix(to, "/sign-in") ||
		strings.HasPrefix(to, "/second-factor") && !strings.Contains(pattern, " /second-factor") {
		return "refused"
	}
	return "let in"
}

// patterns are those of all routes, and whether they are open to everybody.
func patterns(t testing.TB, services portals.Services) map[string]bool {
	t.Helper()
	features := testenv.Must(portals.Routes(services))(t)
	found := map[string]bool{}
	for _, route := range append(portal.CoreRoutes(), features...) {
		found[route.Pattern] = route.Open
	}
	return found
}

// Whoever looks as another user opens every page that they open, each says so,
// and everything that is posted is refused by a page that says so.
func TestViewAsEverywhere(t *testing.T) {
	t.Parallel()
	t.Run("trader", func(t *testing.T) { viewEverywhere(t, caller.Trader, "/merchant", 40) })
	t.Run("merchant", func(t *testing.T) { viewEverywhere(t, caller.MerchantPortal, "/trader", 20) })
}

// viewEverywhere looks as an owner, who has nothing at the addresses beyond,
// and wants at least so many pages to be there.
func viewEverywhere(t *testing.T, kind caller.Kind, beyond string, pages int) {
	t.Helper()
	const login = "looked-at"
	b := portaltest.Parallel(t)
	giveLogo(t, b)
	payment := b.Create(t, "1500")
	p := b.ViewerOf(t, kind, login)
	before, banded := kept(t, b), 0
	for _, pattern := range slices.Sorted(maps.Keys(patterns(t, b.Services))) {
		if strings.HasSuffix(pattern, "/trader/live") || slices.Contains(mayBePosted, pattern) ||
			strings.Contains(pattern, " "+beyond) || strings.HasPrefix(pattern, "GET /operator") ||
			pattern == "GET /merchant/payments/{id}/appeal" {
			continue // the first goes on for ever, the last has nothing to ask of an open payment
		}
		a := try(t, b, p, pattern, fmt.Sprint(payment.ID))
		if strings.HasPrefix(pattern, "POST ") || slices.Contains(begins, pattern) {
			wantAnswer(t, pattern, a, http.StatusForbidden, "Nothing was done: you look as "+login+" (owner)")
		} else if group := access[pattern]; group != "own" && group != "merchants" && verdict(pattern, a) != "let in" {
			t.Errorf("%s: %d %s", pattern, a.Code, a.Text())
		}
		if !strings.HasPrefix(a.Body, "<!doctype") || pattern == "GET /merchant/looks/preview" {
			continue // the preview is the payer's page
		}
		banded++
		testenv.Check(t, strings.HasPrefix(portaltest.Band(t, a), "You look as "+login+" (owner) until "),
			"%s says %q of who looks", pattern, portaltest.Band(t, a))
	}
	testenv.Check(t, banded >= pages, "only %d pages were looked at", banded)
	want(t, "there was", line(kept(t, b), b.Status(t, payment)), line(before, "pending"))
}

// begins are pages that begin to change something by being opened.
var begins = []string{"GET /second-factor/app", "GET /second-factor/passkey"}

// mayBePosted are what a session that looks may post: what ends it, and begins
// another.
var mayBePosted = []string{"POST /sign-in", "POST /sign-out", "POST /operator/view-as/end"}

// kept is what users and traders could have changed.
func kept(t *testing.T, b *portaltest.Bundle) string {
	t.Helper()
	kept := b.Text(t, `select jsonb_build_array(
		(select jsonb_agg(u order by u.id) from app_user u), (select jsonb_agg(r order by r.id) from requisite r),
		(select jsonb_agg(d order by d.id) from trader d), (select count(*) from saved_view),
		(select jsonb_agg(s.id order by s.id) from session s), (select count(*) from submission))::text`)
	return kept
}
