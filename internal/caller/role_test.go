package caller_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// grant is a row of granted.txt, which says what is in it.
type grant struct {
	capability   caller.Capability
	kind         caller.Kind
	roles        []string
	reads, fresh bool
}

func grants(t *testing.T) (all []grant) {
	t.Helper()
	for _, row := range testenv.Rows(t, "granted.txt") {
		all = append(all, grant{
			caller.Capability(row[0]), caller.Kind(row[1]), strings.Fields(row[2]), strings.Contains(row[3], "reads"), strings.Contains(row[3], "fresh"),
		})
	}
	return all
}

var (
	kinds = []caller.Kind{
		"", caller.Anyone, caller.MerchantKey, caller.Application, caller.Cabinet, caller.MerchantPortal, caller.Trader,
		caller.Operator,
	}
	roles = []caller.Role{
		"", caller.Owner, caller.Finance, caller.Developer, caller.Support, caller.Desk, caller.Admin, caller.Treasury,
		caller.Auditor,
	}
)

func TestEveryRoleAndCapability(t *testing.T) {
	t.Parallel()
	all := grants(t)
	for _, kind := range kinds {
		for _, role := range roles {
			who := caller.Caller{Kind: kind, Role: role, ID: 1}
			var may []caller.Capability
			for _, g := range all {
				var want error = fault.ErrTokenKindNotAllowed
				switch {
				case kind == g.kind && slices.Contains(g.roles, string(role)):
					want, may = nil, append(may, g.capability)
				case kind == g.kind:
					want = fault.ErrRoleNotAllowed
				}
				check(t, who, g.capability, want)
				looks, waits, bare, stale := who, who, who, who
				looks.ViewAs, waits.AwaitsUntil = true, time.Now()
				bare.Factorless, stale.Stale = true, true
				wantLooks, wantWaits, wantBare, wantStale := want, want, want, want
				if want == nil && !g.reads {
					wantLooks, wantWaits = fault.ErrViewOnly, fault.New(fault.Forbidden, "consent_awaited", "")
				}
				if want == nil && g.fresh {
					wantBare, wantStale = fault.ErrFactorMissing, fault.ErrFactorNeeded
				}
				check(t, looks, g.capability, wantLooks)
				check(t, waits, g.capability, wantWaits)
				check(t, bare, g.capability, wantBare)
				check(t, stale, g.capability, wantStale)
			}
			testenv.WantAll(t, who.Capabilities(), may, "%s %s may", kind, role)
		}
	}
}

func check(t *testing.T, who caller.Caller, capability caller.Capability, want error) {
	t.Helper()
	err := who.Need(capability)
	testenv.Check(t, errors.Is(err, want), "%+v: %s: %v; want %v", who, capability, err, want)
}

// Of several capabilities one is enough; the refusal is that of the caller's
// own kind.
func TestNeedOneOf(t *testing.T) {
	t.Parallel()
	desk := caller.Caller{Kind: caller.Trader, Role: caller.Desk}
	testenv.Check(t, desk.May(caller.OperatorRead, caller.TraderRead), "the second capability does not count")
	err := desk.Need(
		caller.OperatorRead, caller.TraderMoney, caller.MerchantRead,
	)
	testenv.Check(t, errors.Is(err, fault.ErrRoleNotAllowed), "%v", err)
	testenv.Check(t, !desk.May(), "nothing was asked for, and granted")
}

func TestRolesOfKinds(t *testing.T) {
	t.Parallel()
	named := map[caller.Kind][]caller.Role{}
	for _, g := range grants(t) {
		for _, role := range g.roles {
			named[g.kind] = append(named[g.kind], caller.Role(role))
		}
	}
	for _, kind := range kinds {
		list := caller.Roles(kind)
		testenv.WantAll(t, slices.Sorted(slices.Values(list)), slices.Compact(slices.Sorted(slices.Values(named[kind]))), "roles of %q", kind)
		testenv.Check(t, len(list) == 0 || list[0] == caller.Owner || list[0] == caller.Admin, "%s begins with %s", kind, list)
	}
}

// Who a key is settles before what it may do: binding, then the merchant's
// switch, then the scope.
func TestNeedMerchant(t *testing.T) {
	t.Parallel()
	key := caller.Caller{
		Kind: caller.MerchantKey, MerchantID: 1, APIEnabled: true, Scopes: []string{"payments", "deposits"},
	}
	unbound, off := key, key
	unbound.MerchantID, unbound.APIEnabled = 0, false
	off.APIEnabled = false
	for name, test := range map[string]struct {
		who   caller.Caller
		scope string
		code  string
	}{
		"has the scope":      {key, caller.ScopePayments, ""},
		"needs none":         {key, "", ""},
		"lacks the scope":    {key, caller.ScopePayouts, "merchant_scope_required"},
		"unbound":            {unbound, caller.ScopePayments, "merchant_binding_required"},
		"API off":            {off, caller.ScopePayments, "merchant_api_disabled"},
		"API off, no scope":  {off, caller.ScopePayouts, "merchant_api_disabled"},
		"a user":             {caller.Caller{Kind: caller.Operator}, "", "token_kind_not_allowed"},
		"anyone":             {caller.From(context.Background()), "", "token_kind_not_allowed"},
		"the application":    {caller.Caller{Kind: caller.Application}, "", "token_kind_not_allowed"},
		"a merchant's token": {caller.Caller{Kind: caller.MerchantPortal, MerchantID: 1}, "", "token_kind_not_allowed"},
	} {
		err := test.who.NeedMerchant(test.scope)
		if test.code == "" {
			testenv.Check(t, err == nil, "%s: %v", name, err)
			continue
		}
		refused(t, err, test.code)
	}
	testenv.Check(t, errors.Is(unbound.NeedMerchant(""), fault.ErrBindingRequired), "the refusal is not the sentinel")
}

func TestActor(t *testing.T) {
	t.Parallel()
	for want, who := range map[string]caller.Caller{
		"application": {Kind: caller.Application, ID: 9}, "anyone": {Kind: caller.Anyone}, "key:12": {Kind: caller.MerchantKey, ID: 12},
		"trader:3": {Kind: caller.Trader, ID: 3, TraderID: 7}, "operator:1": {Kind: caller.Operator, ID: 1},
		"cabinet:4": {Kind: caller.Cabinet, ID: 4}, "merchant_portal:5": {Kind: caller.MerchantPortal, ID: 5},
	} {
		testenv.Want(t, who.Actor(), want, "actor")
	}
}

func TestCallerInContext(t *testing.T) {
	t.Parallel()
	testenv.Want(t, caller.From(t.Context()).Kind, caller.Anyone, "a context without a caller has")
	testenv.Want(t, caller.From(caller.With(t.Context(), caller.Caller{Kind: caller.Trader})).Kind, caller.Trader,
		"the context has")
}

func refused(t *testing.T, err error, code string) {
	t.Helper()
	f := fault.As(err)
	testenv.Check(t, f != nil && f.Kind == fault.Forbidden && f.Code == code, "error %v; want %s", err, code)
}
