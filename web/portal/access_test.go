package portal_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/web/portal"
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
	for _, line := range strings.Split(strings.TrimSpace(addresses), "\n") {
		if !strings.Contains(line, "/") {
			group = strings.TrimSpace(line)
			continue
		}
		words := strings.Fields(line)
		for _, method := range words[:len(words)-1] {
			all[method+" "+words[len(words)-1]] = group
		}
	}
	return all
}()

const addresses = `
	all
		GET      /{$}
		GET POST /sign-in
		POST     /sign-out
		GET      /.well-known/gateway-keys.json
		GET      /.well-known/ledger-roots.json
		GET      /merchant/looks/code.svg
	own
		GET POST /invitation/{token}
		POST     /account/passkeys/{id}/remove
		POST     /account/sessions/{id}/end
		GET      /trader/payments/{id}/receipts/{n}
		GET      /trader/payouts/{id}
		POST     /trader/payouts/{id}/take
		GET POST /trader/payouts/{id}/complete
		GET POST /trader/payouts/{id}/fail
		GET POST /trader/payouts/{id}/give-back
		POST     /views
		POST     /views/{id}/remove
		GET POST /merchant/developers/cashboxes/{cashbox}/keys/{key}/limits
		GET POST /merchant/developers/cashboxes/{cashbox}/keys/{key}/revoke
		POST     /merchant/developers/cashboxes/{cashbox}/test
		GET      /merchant/developers/events/{event}
		GET POST /merchant/developers/events/{event}/resend
		GET      /merchant/developers/resend/{replay}
		POST     /merchant/developers/resend/{replay}/stop
		GET      /merchant/payouts/{id}/proof.json
		GET      /merchant/deposits/{id}/proof.json
		GET      /merchant/payments/{id}/receipts/{n}
		GET      /merchant/payouts/{id}
		GET POST /merchant/payouts/{id}/cancel
		GET      /merchant/appeals/{id}
		GET      /merchant/appeals/{id}/file
		GET      /merchant/deposits/{id}
		GET      /merchant/team/{member}
		POST     /merchant/team/{member}/role
		POST     /merchant/consent/{user}/{answer}
		POST     /trader/consent/{user}/{answer}
		GET POST /merchant/team/{member}/{step}
		GET POST /operator/rates/feeds/{id}
		GET      /operator/approvals/{id}
		POST     /operator/approvals/{id}/approve
		POST     /operator/approvals/{id}/refuse
		GET      /operator/accounts/statement
		GET      /operator/accounts/statement.csv
		GET      /operator/payments/{id}/receipts/{n}
		GET      /operator/payouts/{id}
		GET      /operator/appeals/{id}/file
		GET      /operator/events/replays/{replay}
		POST     /operator/events/replays/{replay}/stop
		GET      /operator/reconciliation/days/{day}
		GET      /operator/deposits/{id}
		GET      /operator/deposits/{id}/claim
		POST     /operator/deposits/{id}/take
		POST     /operator/deposits/{id}/release
		GET POST /operator/deposits/{id}/confirm
		GET POST /operator/deposits/{id}/reject
		GET      /operator/appeals/{id}
		GET      /operator/appeals/{id}/claim
		POST     /operator/appeals/{id}/take
		POST     /operator/appeals/{id}/release
		GET POST /operator/appeals/{id}/review
		GET POST /operator/appeals/{id}/accept
		GET POST /operator/appeals/{id}/refuse
		GET      /operator/payouts/{id}/claim
		POST     /operator/payouts/{id}/take
		POST     /operator/payouts/{id}/release
		GET POST /operator/payouts/{id}/complete
		GET POST /operator/payouts/{id}/fail
		GET POST /operator/payouts/{id}/reclaim
		GET POST /operator/payouts/{id}/reverse
		GET      /operator/conflicts/{id}
		GET      /operator/conflicts/{id}/claim
		POST     /operator/conflicts/{id}/take
		POST     /operator/conflicts/{id}/release
		GET POST /operator/conflicts/{id}/close
	begun
		GET POST /second-factor
		GET      /second-factor/enrol
		GET POST /second-factor/app
		GET POST /second-factor/passkey
	users
		GET      /account
		POST     /account/preferences
		GET POST /account/password
		POST     /account/app/remove
		POST     /account/recovery-codes
		POST     /account/sessions/end
		POST     /operator/view-as/end
	desk
		GET      /trader
		GET      /trader/desk
		GET      /trader/live
		POST     /trader/shift
		POST     /trader/break
		GET POST /trader/payments/{id}/confirm
		GET POST /trader/payments/{id}/cancel
		POST     /trader/payments/{id}/code
		POST     /trader/payments/{id}/resend
		POST     /trader/payments/{id}/no-code
		GET      /trader/payments
		GET      /trader/payments/{id}
		GET      /trader/payouts
		GET      /trader/requisites
		POST     /trader/requisites/end-break
		GET      /trader/requisites/{id}
	trader
		GET      /trader/consent
		GET      /trader/payments.csv
		GET      /trader/payouts.csv
		POST     /trader/requisites/{id}
		POST     /trader/requisites/{id}/switch
		GET      /trader/statement
		GET      /trader/statement.csv
	developers
		GET      /merchant/developers/keys
		GET POST /merchant/developers/cashboxes/{cashbox}/keys/new
		GET      /merchant/developers/webhooks
		GET POST /merchant/developers/cashboxes/{cashbox}/secret
		GET      /merchant/developers/cashboxes/{cashbox}/test
		GET      /merchant/developers/events
		GET POST /merchant/developers/resend
		GET      /merchant/developers/resend/confirm
		GET POST /merchant/developers/doctor
		GET      /merchant/developers/requests
		GET POST /merchant/looks
		GET      /merchant/looks/preview
	staff
		GET      /merchant
		GET      /merchant/payments/{id}/timeline.json
		GET      /merchant/payments/{id}/print
		GET      /merchant/payments/{id}/proof.json
		GET      /merchant/payments
		GET      /merchant/payments/{id}
		GET      /merchant/payouts
		GET      /merchant/appeals
	finance
		GET      /merchant/payments.csv
		GET      /merchant/payouts.csv
		GET POST /merchant/deposits
		GET      /merchant/deposits/new
		GET      /merchant/balance
		GET      /merchant/statement
		GET      /merchant/statement.csv
	appeals
		GET POST /merchant/payments/{id}/appeal
	team
		GET      /merchant/consent
		GET      /merchant/team
		GET POST /merchant/team/invite
		GET      /merchant/log
	operators
		GET      /operator
		GET      /operator/simulator
		GET      /operator/merchants
		GET      /operator/merchants/{id}
		GET      /operator/cashboxes
		GET      /operator/cashboxes/{id}
		GET      /operator/cashboxes/{id}/methods/{method}
		GET      /operator/cashboxes/{id}/payouts/{method}
		GET      /operator/traders
		GET      /operator/traders/{id}
		GET      /operator/traders/{id}/payouts/{currency}/{method}
		GET      /operator/traders/{id}/processor
		GET      /operator/requisites
		GET      /operator/requisites/{id}
		GET      /operator/users
		GET      /operator/users/{id}
		GET      /operator/limits
		GET      /operator/limits/{currency}
		GET      /operator/banks
		GET      /operator/banks/{currency}
		GET      /operator/rates
		GET      /operator/routing
		GET      /operator/routing/payment
		GET      /operator/routing/payments/{id}
		GET      /operator/approvals
		GET      /operator/accounts
		GET      /operator/income
		GET      /operator/income.csv
		GET      /operator/work
		GET      /operator/payments
		GET      /operator/payments.csv
		GET      /operator/payments/{id}
		GET      /operator/payouts
		GET      /operator/payouts.csv
		GET      /operator/deposits
		GET      /operator/appeals
		GET      /operator/overdue
		GET      /operator/conflicts
		GET      /operator/events/dead
		GET      /operator/audit
		GET      /operator/audit.csv
		GET      /operator/reconciliation
		GET      /operator/alarms
		GET      /operator/manual
	admin
		POST     /operator/simulator
		POST     /operator/simulator/stop
		GET POST /operator/merchants/new
		POST     /operator/merchants/{id}
		GET POST /operator/cashboxes/new
		POST     /operator/cashboxes/{id}
		POST     /operator/cashboxes/{id}/methods/{method}
		POST     /operator/cashboxes/{id}/payouts/{method}
		GET POST /operator/traders/new
		POST     /operator/traders/{id}
		POST     /operator/traders/{id}/payouts/{currency}/{method}
		POST     /operator/traders/{id}/processor
		GET POST /operator/traders/{id}/processor/remove
		GET POST /operator/requisites/new
		POST     /operator/requisites/{id}
		GET POST /operator/users/new
		POST     /operator/users/{id}
		GET POST /operator/users/{id}/{step}
		POST     /operator/limits/{currency}
		POST     /operator/banks/{currency}
	reveals
		POST     /operator/requisites/{id}/value
	viewers
		POST     /operator/view-as
	treasury
		GET POST /operator/rates/set
		GET      /operator/rates/set/confirm
		GET POST /operator/rates/feeds/new
		GET      /operator/money
		GET POST /operator/money/fund
		GET      /operator/money/fund/confirm
		GET POST /operator/money/withdraw
		GET      /operator/money/withdraw/confirm
		GET POST /operator/money/insurance
		GET      /operator/money/insurance/confirm
		GET POST /operator/money/correct
		GET      /operator/money/correct/confirm
	cases
		POST     /operator/events/dead
		GET      /operator/events/dead/confirm
`

// visitors are everybody there is, by what they are let in for.
var visitors = []struct {
	name    string
	kind    caller.Kind
	role    caller.Role
	trader  int
	allowed []string
}{
	{name: "nobody", allowed: []string{"all"}},
	{name: "begun", kind: caller.Trader, role: caller.Owner, allowed: []string{"all", "begun"}},
	{
		name:    "owner",
		kind:    caller.Trader,
		role:    caller.Owner,
		allowed: []string{"all", "begun", "users", "desk", "trader"},
	},
	{name: "desk", kind: caller.Trader, role: caller.Desk, allowed: []string{"all", "begun", "users", "desk"}},
	{
		name:    "foreign owner",
		kind:    caller.Trader,
		role:    caller.Owner,
		trader:  1,
		allowed: []string{"all", "begun", "users", "desk", "trader"},
	},
	{
		name: "merchant", kind: caller.MerchantPortal, role: caller.Owner,
		allowed: []string{"all", "begun", "users", "staff", "finance", "appeals", "developers", "team"},
	},
	{
		name: "finance", kind: caller.MerchantPortal, role: caller.Finance,
		allowed: []string{"all", "begun", "users", "staff", "finance", "appeals"},
	},
	{
		name: "developer", kind: caller.MerchantPortal, role: caller.Developer,
		allowed: []string{"all", "begun", "users", "staff", "developers"},
	},
	{
		name: "support", kind: caller.MerchantPortal, role: caller.Support,
		allowed: []string{"all", "begun", "users", "staff", "appeals"},
	},
	{
		name: "foreign merchant", kind: caller.MerchantPortal, role: caller.Owner,
		allowed: []string{"all", "begun", "users", "staff", "finance", "appeals", "developers", "team"},
	},
	{
		name: "operator", kind: caller.Operator, role: caller.Admin,
		allowed: []string{"all", "begun", "users", "operators", "reveals", "viewers", "cases", "treasury", "admin"},
	},
	{
		name: "treasury", kind: caller.Operator, role: caller.Treasury,
		allowed: []string{"all", "begun", "users", "operators", "reveals", "treasury"},
	},
	{
		name: "operators' support", kind: caller.Operator, role: caller.Support,
		allowed: []string{"all", "begun", "users", "operators", "reveals", "viewers", "cases"},
	},
	{
		name: "auditor", kind: caller.Operator, role: caller.Auditor,
		allowed: []string{"all", "begun", "users", "operators"},
	},
	{name: "payer", kind: caller.Cabinet, allowed: []string{"all", "begun", "users"}},
}

// Every address lets in whom it should, and nobody else. One that is not in the table fails.
func TestAccess(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	patterns := portal.Patterns(b.rooms)
	for pattern := range access {
		if _, there := patterns[pattern]; !there {
			t.Errorf("%s is in the table and no route", pattern)
		}
	}
	p := b.create(t, "1500")
	for i, visitor := range visitors {
		browser := b.visitor(t, i)
		for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
			group, listed := access[pattern]
			if !listed {
				t.Fatalf("%s is not in the table: say who may ask for it", pattern)
			}
			if strings.HasSuffix(pattern, "/trader/live") || strings.HasPrefix(pattern, "POST /sign-") ||
				pattern == "GET /{$}" {
				continue // the first goes on for ever, the next end what is tried here, the last only leads on
			}
			got := verdict(pattern, b.try(t, browser, pattern, fmt.Sprint(p.ID)))
			wanted := "refused"
			if slices.Contains(visitor.allowed, group) {
				wanted = "let in"
				if strings.HasPrefix(visitor.name, "foreign") && strings.Contains(pattern, "{id}") &&
					(strings.Contains(pattern, "/trader/") || strings.Contains(pattern, "/merchant/")) {
					wanted = "refused"
				}
				if visitor.name == "foreign merchant" && strings.Contains(pattern, "{cashbox}") {
					wanted = "refused"
				}
			}
			want(t, pattern, got, wanted)
		}
	}
	want(t, "after all that the payment is", b.status(t, p), "pending")
}

func (b *bundle) visitor(t *testing.T, i int) *person {
	t.Helper()
	visitor := visitors[i]
	if visitor.kind == "" {
		return b.nobody()
	}
	of := map[caller.Kind]int64{
		caller.Trader: b.traders[visitor.trader].ID, caller.MerchantPortal: b.merchant.ID, caller.Cabinet: b.merchant.ID,
	}[visitor.kind]
	if visitor.name == "foreign merchant" {
		of = b.NewMerchant(t, dbtest.MerchantOpts{Methods: []string{"sbp"}}).ID
	}
	id := b.user(t, visitor.name, visitor.kind, visitor.role, of)
	browser := b.signIn(t, visitor.name)
	if visitor.name == "begun" {
		b.Exec(t, "update session set state = 'awaits_enrolment' where user_id = $1", id)
	}
	return browser
}

// try asks for an address, with a form that is not filled in where it is posted to: who is let in
// changes nothing by it.
func (b *bundle) try(t *testing.T, browser *person, pattern, id string) answer {
	t.Helper()
	method, path, _ := strings.Cut(pattern, " ")
	path = strings.NewReplacer("{$}", "", "{id}", id, "{n}", "1", "{token}", "unknown", "{cashbox}", fmt.Sprint(b.merchant.CashboxID),
		"{key}", "987654", "{event}", "unknown", "{replay}", "987654", "{member}", "987654", "{step}", "off",
		"{method}", "sbp", "{currency}", "RUB").
		Replace(path)
	if method == http.MethodGet {
		return browser.get(t, path)
	}
	return browser.post(t, path)
}

// verdict tells whether an answer lets somebody in: what leads to a sign-in or second factor does
// not, but from there, nor does what says that it is not allowed or that there is nothing.
func verdict(pattern string, a answer) string {
	to, refused := a.to(), a.code == http.StatusForbidden
	notFound := a.code == http.StatusNotFound && strings.Contains(a.body, "not for your account")
	if refused || notFound || strings.HasPrefix(to, "/sign-in") ||
		strings.HasPrefix(to, "/second-factor") && !strings.Contains(pattern, " /second-factor") {
		return "refused"
	}
	return "let in"
}
