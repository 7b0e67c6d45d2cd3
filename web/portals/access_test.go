package portals_test

import (
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

// Who may ask for each address: "all" is anybody, "users" everybody who is signed in, "begun" also who
// has still to give a second factor, "desk" the users of a trader, "trader" a trader's owner alone.
// "developers" are the owner and developers of a merchant, whose cashbox {cashbox} is.
// "team" are the owners of merchants.
// "operators" are operators of every role, "cases" those who decide what waits, "treasury" those who move
// USDT and set rates, "admin" those who change who takes part; "viewers" may look as another user,
// "reveals" read whole what others see the end of.
// "staff" are the users of a merchant, "finance" those who see its money, "appeals" those who appeal.
// "own" is only whose it is, and the one that is asked for is nobody's. An address with an id is the first
// trader's and merchant's: others find nothing there.
var access = func() map[string]string {
	all, group := map[string]string{}, ""
	var methods []string
	for line := range strings.Lines(addresses) {
		for i, word := range strings.Fields(line) {
			switch {
			case strings.HasPrefix(word, "/"):
				for _, method := range methods {
					all[method+" "+word] = group
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
	return all
}()

const addresses = `
	all
		GET /{$} /.well-known/gateway-keys.json /.well-known/ledger-roots.json /merchant/looks/code.svg
			/logo/{hash} /app.webmanifest /worker.js /app-192.png /app-512.png /offline
		GET POST /sign-in
		POST /sign-out
	own
		GET /merchant/withdrawals/{id} /trader/withdrawals/{id} /operator/withdrawals/{id} /operator/hand-overs/{id}
		GET POST /merchant/withdrawals/{id}/cancel /trader/withdrawals/{id}/cancel /merchant/withdrawals/addresses/{id}/remove
			/trader/withdrawals/addresses/{id}/remove /operator/withdrawals/{id}/approve /operator/withdrawals/{id}/reject
			/operator/withdrawals/{id}/hash /operator/withdrawals/{id}/complete /operator/withdrawals/{id}/fail
		GET /merchant/payout-files/{id} /merchant/payout-files/{id}/progress /merchant/payout-files/{id}/result.csv
		GET POST /merchant/payout-files/{id}/pay
		GET /merchant/links/{id} /operator/links/{id} /merchant/payer /operator/payer /trader/payments/{id}/receipts/{n} /trader/payouts/{id} /merchant/developers/events/{event}
			/trader/payouts/{id}/file /trader/payouts/{id}/file/shown /merchant/payouts/{id}/file
			/merchant/payouts/{id}/file/shown /operator/payouts/{id}/file /operator/payouts/{id}/file/shown
			/merchant/developers/resend/{replay} /merchant/payouts/{id}/proof.json /merchant/deposits/{id}/proof.json
			/merchant/withdrawals/{id}/proof.json
			/merchant/payments/{id}/receipts/{n} /merchant/payouts/{id} /merchant/appeals/{id}
			/merchant/appeals/{id}/file /merchant/deposits/{id} /merchant/team/{member} /operator/approvals/{id}
			/operator/accounts/statement /operator/accounts/statement.csv /operator/payments/{id}/receipts/{n}
			/operator/payouts/{id} /operator/appeals/{id}/file /operator/appeals/{id}/file/shown
			/operator/events/replays/{replay} /operator/events/replays/{replay}/progress /trader/appeals/{id}
			/merchant/developers/resend/{replay}/progress
			/operator/reconciliation/days/{day} /operator/deposits/{id} /operator/deposits/{id}/claim
			/operator/appeals/{id} /operator/appeals/{id}/claim /operator/payouts/{id}/claim /operator/conflicts/{id}
			/operator/conflicts/{id}/claim /operator/objections/{id} /operator/objections/{id}/claim
		GET POST /operator/links/{id}/picture
		GET POST /merchant/blocks/{id} /operator/blocks/{id} /operator/messages/{id}/keep /trader/messages/{id}/keep /invitation/{token} /trader/payouts/{id}/complete /trader/payouts/{id}/fail
			/trader/payouts/{id}/give-back /trader/messages/{id}/object /merchant/developers/cashboxes/{cashbox}/keys/{key}/limits
			/merchant/developers/cashboxes/{cashbox}/keys/{key}/revoke /merchant/developers/events/{event}/resend
			/merchant/payouts/{id}/cancel /merchant/team/{member}/{step} /operator/rates/feeds/{id}
			/operator/deposits/{id}/confirm /operator/deposits/{id}/reject /operator/appeals/{id}/review
			/operator/appeals/{id}/accept /operator/appeals/{id}/refuse /operator/payouts/{id}/complete
			/operator/payouts/{id}/fail /operator/payouts/{id}/reclaim /operator/payouts/{id}/reverse
			/operator/conflicts/{id}/close /operator/objections/{id}/uphold /operator/objections/{id}/reject
		POST /merchant/deposits/{id}/transaction /merchant/payments/{id}/came /operator/payments/{id}/came /operator/payments/{id}/attach /merchant/links/{id}/close /merchant/links/{id}/picture /account/passkeys/{id}/remove /account/notifications/{id}/remove /account/sessions/{id}/end /trader/payouts/{id}/take /trader/payments/{id}/attach /trader/messages/{id}/confirm /trader/messages/{id}/dismiss
			/trader/appeals/{id}/messages /operator/appeals/{id}/messages
			/trader/messages/phones/{id}/revoke /trader/requisites/{id}/messages/resume /views /columns
			/views/{id}/remove /merchant/developers/cashboxes/{cashbox}/test /merchant/developers/resend/{replay}/stop
			/merchant/team/{member}/role /merchant/consent/{user}/{answer} /trader/consent/{user}/{answer}
			/operator/approvals/{id}/approve /operator/approvals/{id}/refuse /operator/events/replays/{replay}/stop
			/operator/deposits/{id}/take /operator/deposits/{id}/release /operator/appeals/{id}/take
			/operator/appeals/{id}/release /operator/payouts/{id}/take /operator/payouts/{id}/release
			/operator/conflicts/{id}/take /operator/conflicts/{id}/release /operator/transfers/{id}/assign
			/operator/objections/{id}/take /operator/objections/{id}/release
	begun
		GET /second-factor/enrol
		GET POST /second-factor /second-factor/app /second-factor/passkey
	users
		GET /account
		GET POST /account/password /account/notifications
		POST /account/preferences /account/app/remove /account/recovery-codes /account/sessions/end
			/account/notifications/telegram /account/notifications/mail /account/notifications/mail/confirm
			/account/notifications/push /account/notifications/try
			/operator/view-as/end
	desk
		GET /trader /trader/search /trader/desk /trader/live /trader/payments /trader/payments/{id} /trader/payouts
			/trader/requisites /trader/requisites/{id} /trader/messages /trader/appeals /trader/arrivals
		GET POST /trader/arrivals/new /trader/payments/{id}/confirm /trader/payments/{id}/cancel
		POST /trader/break /trader/payments/{id}/code /trader/payments/{id}/resend
			/trader/payments/{id}/no-code
	trader
		GET /trader/withdrawals /trader/withdrawals/new /trader/withdrawals/addresses/new
		GET POST /trader/withdrawals/addresses
		POST /trader/withdrawals
		GET /trader/consent /trader/payments.csv /trader/payouts.csv /trader/earnings /trader/statement /trader/statement.csv
		GET POST /trader/requisites/new /trader/requisites/{id}/statement /trader/messages/phones/new /trader/requisites/{id}/messages
		POST /trader/requisites /trader/requisites/{id} /trader/requisites/{id}/switch
	developers
		GET /merchant/developers/keys /merchant/developers/webhooks /merchant/developers/cashboxes/{cashbox}/test
			/merchant/developers/events /merchant/developers/resend/confirm /merchant/developers/requests
			/merchant/looks/preview
		GET POST /merchant/developers/cashboxes/{cashbox}/keys/new /merchant/developers/cashboxes/{cashbox}/secret
			/merchant/developers/resend /merchant/developers/doctor /merchant/looks
		POST /merchant/looks/logo
	staff
		GET /merchant /merchant/payments/{id}/timeline.json /merchant/payments/{id}/print
			/merchant/payments/{id}/proof.json /merchant/payments /merchant/payments/{id} /merchant/payouts
			/merchant/appeals /merchant/blocks /merchant/links
			/merchant/search
	finance
		GET /merchant/payments.csv /merchant/payouts.csv /merchant/deposits/new /merchant/balance /merchant/statement
			/merchant/statement.csv /merchant/links/new /merchant/payout-files/new /merchant/payout-files/template.csv
		GET POST /merchant/payout-files /merchant/deposits /merchant/withdrawals /merchant/withdrawals/addresses
		GET /merchant/withdrawals/new /merchant/withdrawals/addresses/new
		POST /merchant/links
	appeals
		GET /merchant/payments/{id}/came
		GET POST /merchant/payments/{id}/appeal
	team
		GET /merchant/consent /merchant/team /merchant/log
		GET POST /merchant/team/invite /merchant/blocks/new
	operators
		GET /operator /operator/simulator /operator/merchants /operator/merchants/{id} /operator/cashboxes
			/operator/cashboxes/{id} /operator/cashboxes/{id}/methods/{method}
			/operator/cashboxes/{id}/payouts/{method} /operator/traders /operator/traders/{id}
			/operator/traders/{id}/payouts/{currency}/{method} /operator/traders/{id}/processor /operator/requisites
			/operator/requisites/{id} /operator/users /operator/users/{id} /operator/limits
			/operator/limits/{currency} /operator/banks /operator/banks/{currency} /operator/rates /operator/routing
			/operator/routing/payment /operator/routing/payments/{id} /operator/routing/traders/{id} /operator/approvals /operator/accounts
			/operator/income /operator/income.csv /operator/work /operator/payments /operator/payments.csv
			/operator/payments/{id} /operator/payments/{id}/claim /operator/payouts /operator/payouts.csv /operator/deposits /operator/appeals /operator/links
			/operator/overdue /operator/cases /operator/conflicts /operator/objections /operator/transfers /operator/events/dead /operator/events/failing /operator/audit /operator/audit.csv
			/operator/reconciliation /operator/reconciliation/audits /operator/alarms /operator/manual /operator/manual/{page} /operator/names/{kind}
			/operator/blocks /operator/search /operator/patterns /operator/receiving /operator/receiving/{network}
			/operator/withdrawals /operator/hand-overs /operator/withdrawal-terms /operator/withdrawal-terms/{network}
		GET POST /operator/requisites/{id}/statement
	admin
		GET POST /operator/merchants/new /operator/cashboxes/new /operator/traders/new
			/operator/traders/{id}/processor/remove /operator/requisites/new /operator/users/new
			/operator/users/{id}/{step} /operator/merchants/{id}/switch /operator/traders/{id}/switch
			/operator/cashboxes/{id}/switch /operator/requisites/{id}/switch /operator/cashboxes/{id}/logo
		POST /operator/simulator /operator/simulator/stop /operator/merchants/{id} /operator/cashboxes/{id}
			/operator/cashboxes/{id}/methods/{method} /operator/cashboxes/{id}/payouts/{method} /operator/traders/{id}
			/operator/traders/{id}/payouts/{currency}/{method} /operator/traders/{id}/processor
			/operator/requisites/{id} /operator/users/{id} /operator/limits/{currency} /operator/banks/{currency}
	reveals
		GET POST /operator/messages
		POST /operator/requisites/{id}/value
	viewers
		POST /operator/view-as
	treasury
		GET /operator/rates/set/confirm /operator/money /operator/money/fund/confirm /operator/money/withdraw/confirm
			/operator/money/insurance/confirm /operator/money/correct/confirm
		GET POST /operator/rates/set /operator/rates/feeds/new /operator/money/fund /operator/money/withdraw
			/operator/money/insurance /operator/money/correct
		POST /operator/receiving/{network} /operator/withdrawal-terms/{network} /operator/hand-overs
	cases
		GET /operator/events/dead/confirm /operator/payments/{id}/came
		GET POST /operator/blocks/new
		POST /operator/events/dead /operator/payments/{id}/take /operator/payments/{id}/release
`

// visitor is somebody, with the groups of addresses that let them in.
type visitor struct {
	name    string
	kind    caller.Kind
	role    caller.Role
	allowed string
}

// visitors are everybody there is; "foreign" owners are of the second trader and of another merchant.
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

// Every address lets in whom it should, and nobody else. One that is not in the table fails.
func TestAccess(t *testing.T) {
	testenv.OneByOne(t)
	b := portaltest.Parallel(t)
	patterns := patterns(t, b.Rooms)
	for pattern := range access {
		if _, there := patterns[pattern]; !there {
			t.Errorf("%s is in the table and no route", pattern)
		}
	}
	giveLogo(t, b)
	p := b.Create(t, "1500")
	browsers := map[string]*portaltest.Person{}
	for _, visitor := range visitors {
		browsers[visitor.name] = b.Nobody()
		if visitor.kind != "" {
			browsers[visitor.name] = visits(t, b, visitor.name, visitor.kind, visitor.role)
		}
	}
	t.Run("visitors", func(t *testing.T) {
		for _, visitor := range visitors {
			t.Run(visitor.name, func(t *testing.T) {
				t.Parallel()
				triesAll(t, b, visitor, browsers[visitor.name], slices.Sorted(maps.Keys(patterns)), fmt.Sprint(p.ID))
			})
		}
	})
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

// try asks for an address, with a form that is not filled in where it is posted to: who is let in
// changes nothing by it.
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

// verdict tells whether an answer lets somebody in: what leads to a sign-in or second factor does
// not, but from there, nor does what says that it is not allowed or that there is nothing.
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
func patterns(t testing.TB, rooms portals.Rooms) map[string]bool {
	t.Helper()
	features := testenv.Must(portals.Routes(rooms))(t)
	found := map[string]bool{}
	for _, route := range append(portal.CoreRoutes(), features...) {
		found[route.Pattern] = route.Open
	}
	return found
}
