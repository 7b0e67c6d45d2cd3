package caller_test

import (
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
)

func TestSight(t *testing.T) {
	t.Parallel()
	for kind, want := range map[caller.Kind]string{
		caller.MerchantKey:    "requisites link order metadata trader rate earnings",
		caller.Cabinet:        "requisites link order trader",
		caller.MerchantPortal: "requisites order metadata rate",
		caller.Trader:         "requisites trader",
		caller.Operator:       "order metadata trader rate earnings",
		caller.Application:    "requisites order metadata trader rate earnings",
		caller.Anyone:         "",
		caller.Device:         "",
		caller.Link:           "",
	} {
		who := caller.Caller{Kind: kind, ID: 1}
		var sees []string
		for _, one := range []struct {
			name string
			sees bool
		}{
			{"requisites", who.SeesWholeRequisites()},
			{"link", who.SeesLink()},
			{"order", who.SeesOrder()},
			{"metadata", who.SeesMetadata()},
			{"trader", who.SeesTrader()},
			{"rate", who.SeesRate()},
			{"earnings", who.SeesEarnings()},
		} {
			if one.sees {
				sees = append(sees, one.name)
			}
		}
		testenv.Want(t, strings.Join(sees, " "), want, "a %s sees", kind)
		who.ViewAs = true
		testenv.Check(t, !who.SeesWholeRequisites() && !who.SeesLink() || kind == caller.MerchantKey, "an operator as a %s sees too much", kind)
	}
}
