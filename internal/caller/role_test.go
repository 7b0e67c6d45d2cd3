package caller_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// granted is the table as an operator reads it: of each kind and role, all that they may.
var granted = map[caller.Kind]map[caller.Role][]caller.Capability{
	caller.MerchantPortal: {
		caller.Owner: {
			"merchant.appeal", "merchant.block", "merchant.deposits", "merchant.events", "merchant.keys", "merchant.links",
			"merchant.looks", "merchant.money", "merchant.pay-out", "merchant.payouts", "merchant.read", "merchant.resend",
			"merchant.sell", "merchant.team", "merchant.team.read", "merchant.withdraw",
		},
		caller.Finance: {
			"merchant.appeal", "merchant.deposits", "merchant.links", "merchant.money", "merchant.pay-out", "merchant.payouts",
			"merchant.read", "merchant.sell", "merchant.withdraw",
		},
		caller.Developer: {"merchant.events", "merchant.keys", "merchant.looks", "merchant.read", "merchant.resend"},
		caller.Support:   {"merchant.appeal", "merchant.read"},
	},
	caller.Trader: {
		caller.Owner: {"trader.money", "trader.read", "trader.requisites", "trader.team", "trader.withdraw", "trader.work"},
		caller.Desk:  {"trader.read", "trader.work"},
	},
	caller.Operator: {
		caller.Admin: {
			"operator.block", "operator.cases", "operator.directory", "operator.money", "operator.rates", "operator.read",
			"operator.reveal", "operator.users", "operator.view-as",
		},
		caller.Treasury: {"operator.money", "operator.rates", "operator.read", "operator.reveal"},
		caller.Support:  {"operator.block", "operator.cases", "operator.read", "operator.reveal", "operator.view-as"},
		caller.Auditor:  {"operator.read"},
	},
}

// reads change nothing; fresh need a second factor of the last minutes.
var (
	reads = []caller.Capability{
		caller.MerchantTeamRead, "merchant.events", "merchant.money", "merchant.read", "operator.read", "operator.reveal",
		"trader.money", "trader.read",
	}
	fresh = []caller.Capability{
		caller.MerchantTeam, caller.TraderTeam, caller.TraderWithdraw, caller.MerchantWithdraw, caller.MerchantPayOut,
		"merchant.keys", "operator.block", "operator.cases", "operator.directory", "operator.money", "operator.rates",
		"operator.reveal", "operator.users", "operator.view-as",
	}
)

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

// capabilities are all that somebody has.
func capabilities() []caller.Capability {
	var all []caller.Capability
	for _, byRole := range granted {
		for _, list := range byRole {
			all = append(all, list...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// kindOf is whose capability it is.
func kindOf(capability caller.Capability) caller.Kind {
	for kind, byRole := range granted {
		for _, list := range byRole {
			if slices.Contains(list, capability) {
				return kind
			}
		}
	}
	return ""
}

func TestEveryRoleAndCapability(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		for _, role := range roles {
			who := caller.Caller{Kind: kind, Role: role, ID: 1}
			if got := who.Capabilities(); !slices.Equal(got, granted[kind][role]) {
				t.Errorf("%s %s may %v; want %v", kind, role, got, granted[kind][role])
			}
			for _, capability := range capabilities() {
				var want error
				switch {
				case slices.Contains(granted[kind][role], capability):
				case kind == kindOf(capability):
					want = fault.ErrRoleNotAllowed
				default:
					want = fault.ErrTokenKindNotAllowed
				}
				check(t, who, capability, want)
				looks, waits, bare, stale := who, who, who, who
				looks.ViewAs, waits.AwaitsUntil = true, time.Now()
				bare.Factorless, stale.Stale = true, true
				wantLooks, wantWaits, wantBare, wantStale := want, want, want, want
				if want == nil && !slices.Contains(reads, capability) {
					wantLooks, wantWaits = fault.ErrViewOnly, fault.New(fault.Forbidden, "consent_awaited", "")
				}
				if want == nil && slices.Contains(fresh, capability) {
					wantBare, wantStale = fault.ErrFactorMissing, fault.ErrFactorNeeded
				}
				check(t, looks, capability, wantLooks)
				check(t, waits, capability, wantWaits)
				check(t, bare, capability, wantBare)
				check(t, stale, capability, wantStale)
			}
		}
	}
}

func check(t *testing.T, who caller.Caller, capability caller.Capability, want error) {
	t.Helper()
	err := who.Need(capability)
	testenv.Check(t, errors.Is(err, want), "%+v: %s: %v; want %v", who, capability, err, want)
}

// Of several capabilities one is enough; the refusal is that of the caller's own kind.
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
	for _, kind := range kinds {
		list := caller.Roles(kind)
		testenv.Want(t, len(list), len(granted[kind]), "%s: %v", kind, list)
		for _, role := range list {
			testenv.Check(t, granted[kind][role] != nil, "%s has the role %s", kind, role)
		}
		testenv.Check(t, len(list) == 0 || list[0] == caller.Owner || list[0] == caller.Admin, "%s begins with %s", kind, list)
	}
}

// Who a key is settles before what it may do: binding, then the merchant's switch, then the scope.
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
