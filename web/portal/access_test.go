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
// USDT and set rates, "admin" those who change who takes part; "viewers" may look as another user.
// "staff" are the users of a merchant, "finance" those who see its money, "appeals" those who appeal.
// "own" is only whose it is, and the one that is asked for is nobody's. An address with an id is the first
// trader's and merchant's: others find nothing there.
var access = map[string]string{
	"GET /{$}":                 "all",
	"GET /sign-in":             "all",
	"POST /sign-in":            "all",
	"POST /sign-out":           "all",
	"GET /invitation/{token}":  "own",
	"POST /invitation/{token}": "own",

	"GET /second-factor":          "begun",
	"POST /second-factor":         "begun",
	"GET /second-factor/enrol":    "begun",
	"GET /second-factor/app":      "begun",
	"POST /second-factor/app":     "begun",
	"GET /second-factor/passkey":  "begun",
	"POST /second-factor/passkey": "begun",

	"GET /account":                       "users",
	"POST /account/preferences":          "users",
	"GET /account/password":              "users",
	"POST /account/password":             "users",
	"POST /account/app/remove":           "users",
	"POST /account/passkeys/{id}/remove": "own",
	"POST /account/recovery-codes":       "users",
	"POST /account/sessions/{id}/end":    "own",
	"POST /account/sessions/end":         "users",

	"GET /trader":                        "desk",
	"GET /trader/desk":                   "desk",
	"GET /trader/live":                   "desk",
	"POST /trader/shift":                 "desk",
	"POST /trader/break":                 "desk",
	"GET /trader/payments/{id}/confirm":  "desk",
	"POST /trader/payments/{id}/confirm": "desk",
	"GET /trader/payments/{id}/cancel":   "desk",
	"POST /trader/payments/{id}/cancel":  "desk",
	"POST /trader/payments/{id}/code":    "desk",
	"POST /trader/payments/{id}/resend":  "desk",
	"POST /trader/payments/{id}/no-code": "desk",

	"GET /trader/payments":                   "desk",
	"GET /trader/payments.csv":               "trader",
	"GET /trader/payments/{id}":              "desk",
	"GET /trader/payments/{id}/receipts/{n}": "own",
	"GET /trader/payouts":                    "desk",
	"GET /trader/payouts.csv":                "trader",
	"GET /trader/payouts/{id}":               "own",
	"POST /trader/payouts/{id}/take":         "own",
	"GET /trader/payouts/{id}/complete":      "own",
	"POST /trader/payouts/{id}/complete":     "own",
	"GET /trader/payouts/{id}/fail":          "own",
	"POST /trader/payouts/{id}/fail":         "own",
	"GET /trader/payouts/{id}/give-back":     "own",
	"POST /trader/payouts/{id}/give-back":    "own",
	"GET /trader/requisites":                 "desk",
	"POST /trader/requisites/end-break":      "desk",
	"GET /trader/requisites/{id}":            "desk",
	"POST /trader/requisites/{id}":           "trader",
	"POST /trader/requisites/{id}/switch":    "trader",
	"GET /trader/statement":                  "trader",
	"GET /trader/statement.csv":              "trader",
	"POST /views":                            "own",
	"POST /views/{id}/remove":                "own",

	"GET /merchant/developers/keys":                                   "developers",
	"GET /merchant/developers/cashboxes/{cashbox}/keys/new":           "developers",
	"POST /merchant/developers/cashboxes/{cashbox}/keys/new":          "developers",
	"GET /merchant/developers/cashboxes/{cashbox}/keys/{key}/revoke":  "own",
	"POST /merchant/developers/cashboxes/{cashbox}/keys/{key}/revoke": "own",
	"GET /merchant/developers/webhooks":                               "developers",
	"GET /merchant/developers/cashboxes/{cashbox}/secret":             "developers",
	"POST /merchant/developers/cashboxes/{cashbox}/secret":            "developers",
	"GET /merchant/developers/cashboxes/{cashbox}/test":               "developers",
	"POST /merchant/developers/cashboxes/{cashbox}/test":              "own",
	"GET /merchant/developers/events":                                 "developers",
	"GET /merchant/developers/events/{event}":                         "own",
	"GET /merchant/developers/events/{event}/resend":                  "own",
	"POST /merchant/developers/events/{event}/resend":                 "own",
	"GET /merchant/developers/resend":                                 "developers",
	"GET /merchant/developers/resend/confirm":                         "developers",
	"POST /merchant/developers/resend":                                "developers",
	"GET /merchant/developers/resend/{replay}":                        "own",
	"POST /merchant/developers/resend/{replay}/stop":                  "own",
	"GET /merchant": "staff",
	"GET /merchant/payments/{id}/timeline.json": "staff",
	"GET /merchant/payments/{id}/print":         "staff",
	"GET /.well-known/gateway-keys.json":        "all",
	"GET /.well-known/ledger-roots.json":        "all",
	"GET /merchant/payments/{id}/proof.json":    "staff",
	"GET /merchant/payouts/{id}/proof.json":     "own",
	"GET /merchant/deposits/{id}/proof.json":    "own",
	"GET /merchant/payments":                    "staff",
	"GET /merchant/payments.csv":                "finance",
	"GET /merchant/payments/{id}":               "staff",
	"GET /merchant/payments/{id}/receipts/{n}":  "own",
	"GET /merchant/payments/{id}/appeal":        "appeals",
	"POST /merchant/payments/{id}/appeal":       "appeals",
	"GET /merchant/payouts":                     "staff",
	"GET /merchant/payouts.csv":                 "finance",
	"GET /merchant/payouts/{id}":                "own",
	"GET /merchant/payouts/{id}/cancel":         "own",
	"POST /merchant/payouts/{id}/cancel":        "own",
	"GET /merchant/appeals":                     "staff",
	"GET /merchant/appeals/{id}":                "own",
	"GET /merchant/appeals/{id}/file":           "own",
	"GET /merchant/deposits":                    "finance",
	"GET /merchant/deposits/new":                "finance",
	"POST /merchant/deposits":                   "finance",
	"GET /merchant/deposits/{id}":               "own",
	"GET /merchant/balance":                     "finance",
	"GET /merchant/statement":                   "finance",
	"GET /merchant/statement.csv":               "finance",

	"GET /merchant/team":                  "team",
	"GET /merchant/team/invite":           "team",
	"POST /merchant/team/invite":          "team",
	"GET /merchant/team/{member}":         "own",
	"POST /merchant/team/{member}/role":   "own",
	"GET /merchant/team/{member}/{step}":  "own",
	"POST /merchant/team/{member}/{step}": "own",
	"GET /merchant/developers/doctor":     "developers",
	"POST /merchant/developers/doctor":    "developers",
	"GET /merchant/log":                   "team",
	"GET /merchant/developers/requests":   "developers",
	"GET /merchant/looks":                 "developers",
	"POST /merchant/looks":                "developers",
	"GET /merchant/looks/preview":         "developers",
	"GET /merchant/looks/code.svg":        "all",

	"GET /operator":                 "operators",
	"GET /operator/simulator":       "operators",
	"POST /operator/simulator":      "admin",
	"POST /operator/simulator/stop": "admin",
	"POST /operator/view-as":        "viewers",
	"POST /operator/view-as/end":    "users",
}

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
		allowed: []string{"all", "begun", "users", "operators", "viewers", "cases", "treasury", "admin"},
	},
	{
		name: "treasury", kind: caller.Operator, role: caller.Treasury,
		allowed: []string{"all", "begun", "users", "operators", "treasury"},
	},
	{
		name: "operators' support", kind: caller.Operator, role: caller.Support,
		allowed: []string{"all", "begun", "users", "operators", "viewers", "cases"},
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
		_, err := b.Pool.Exec(t.Context(), "update session set state = 'awaits_enrolment' where user_id = $1", id)
		noError(t, err)
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
