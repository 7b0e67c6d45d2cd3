package caller_test

import (
	"context"
	"errors"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

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
