package auth_test

import (
	"context"
	"errors"
	"testing"

	"gateway/internal/auth"
	"gateway/internal/fault"
)

// Who a key is settles before what it may do: binding, then the merchant's switch, then the scope.
func TestNeedMerchant(t *testing.T) {
	t.Parallel()
	key := auth.Caller{Kind: auth.MerchantKey, MerchantID: 1, APIEnabled: true, Scopes: []string{"payments", "deposits"}}
	unbound, off := key, key
	unbound.MerchantID, unbound.APIEnabled = 0, false
	off.APIEnabled = false
	for name, test := range map[string]struct {
		caller auth.Caller
		scope  string
		code   string
	}{
		"has the scope":      {key, auth.ScopePayments, ""},
		"needs none":         {key, "", ""},
		"lacks the scope":    {key, auth.ScopePayouts, "merchant_scope_required"},
		"unbound":            {unbound, auth.ScopePayments, "merchant_binding_required"},
		"API off":            {off, auth.ScopePayments, "merchant_api_disabled"},
		"API off, no scope":  {off, auth.ScopePayouts, "merchant_api_disabled"},
		"a user":             {auth.Caller{Kind: auth.Operator}, "", "token_kind_not_allowed"},
		"anyone":             {auth.CallerFrom(context.Background()), "", "token_kind_not_allowed"},
		"the application":    {auth.Caller{Kind: auth.Application}, "", "token_kind_not_allowed"},
		"a merchant's token": {auth.Caller{Kind: auth.MerchantPortal, MerchantID: 1}, "", "token_kind_not_allowed"},
	} {
		err := test.caller.NeedMerchant(test.scope)
		if test.code == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		refused(t, err, fault.Forbidden, test.code)
	}
	if !errors.Is(unbound.NeedMerchant(""), fault.ErrBindingRequired) {
		t.Error("the refusal is not the sentinel")
	}
}

func TestNeedOperator(t *testing.T) {
	t.Parallel()
	if err := (auth.Caller{Kind: auth.Operator, ID: 1}).NeedOperator(); err != nil {
		t.Error(err)
	}
	for _, kind := range []auth.Kind{
		"", auth.Anyone, auth.MerchantKey, auth.Application, auth.Cabinet, auth.MerchantPortal, auth.Trader,
	} {
		refused(t, auth.Caller{Kind: kind, ID: 1}.NeedOperator(), fault.Forbidden, "token_kind_not_allowed")
	}
}

func TestActor(t *testing.T) {
	t.Parallel()
	for want, caller := range map[string]auth.Caller{
		"application": {Kind: auth.Application, ID: 9}, "anyone": {Kind: auth.Anyone}, "key:12": {Kind: auth.MerchantKey, ID: 12},
		"trader:3": {Kind: auth.Trader, ID: 3, TraderID: 7}, "operator:1": {Kind: auth.Operator, ID: 1},
		"cabinet:4": {Kind: auth.Cabinet, ID: 4}, "merchant_portal:5": {Kind: auth.MerchantPortal, ID: 5},
	} {
		if got := caller.Actor(); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
}

func TestCallerInContext(t *testing.T) {
	t.Parallel()
	if kind := auth.CallerFrom(t.Context()).Kind; kind != auth.Anyone {
		t.Errorf("a context without a caller has %s", kind)
	}
	if kind := auth.CallerFrom(auth.WithCaller(t.Context(), auth.Caller{Kind: auth.Trader})).Kind; kind != auth.Trader {
		t.Errorf("the context has %s", kind)
	}
}
