package auth_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"gateway.example/internal/auth"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
)

// A key that has an end signs until then, and one that has networks from those alone. Who has not its secret
// learns of neither.
func TestKeysAreBound(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m := d.NewMerchant(t, dbtest.MerchantOpts{})
	keys := auth.NewMerchantKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders())
	soon := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	made, secret, err := keys.Create(t.Context(), portal(m), auth.NewCredential{
		CashboxID: m.CashboxID, Name: "bound", ExpiresAt: &soon,
		Networks:         " 203.0.113.7/24, 198.51.100.1,2001:db8:1::5 ",
		PayoutDailyLimit: "100000",
	})
	noError(t, err)
	list, _, err := keys.List(t.Context(), portal(m), m.CashboxID)
	noError(t, err)
	if got := list[0]; !got.ExpiresAt.Equal(soon) || got.PayoutDailyLimit.Decimal.String() != "100000" ||
		!slices.Equal(got.Networks, []string{"203.0.113.0/24", "198.51.100.1/32", "2001:db8:1::/64"}) {
		t.Errorf("kept %+v", got.Bounds)
	}
	header := headers(dbtest.Merchant{KeyID: made.KeyID, Secret: secret}, "{}")
	from := func(address string) error {
		signed := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), "")
		signed.Address = func(context.Context) string { return address }
		_, err := signed.Merchant(request(t, header), body("{}"))
		return err
	}
	for _, address := range []string{"203.0.113.255", "198.51.100.1", "2001:db8:1::/64"} {
		noError(t, from(address))
	}
	for _, address := range []string{"203.0.114.1", "198.51.100.2", "2001:db8:2::/64", "", "nowhere"} {
		refused(t, from(address), fault.Forbidden, "key_address_not_allowed")
	}
	d.Exec(t, "update api_key set expires_at = now() where id = $1", made.ID)
	refused(t, from("203.0.113.1"), fault.Forbidden, "key_expired")
	header.Set("X-Merchant-Secret", "another")
	refused(t, from("203.0.114.1"), fault.Forbidden, "invalid_signature")

	past := time.Now().Add(-time.Minute)
	for field, n := range map[string]auth.NewCredential{
		"expires_at":         {ExpiresAt: &past},
		"allowed_networks":   {Networks: "203.0.113.0/24, shop.example"},
		"payout_daily_limit": {PayoutDailyLimit: "much"},
	} {
		n.CashboxID, n.Name = m.CashboxID, "wrong"
		_, _, err := keys.Create(t.Context(), portal(m), n)
		if f := fault.As(err); f == nil || f.Fields[field] == nil {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, networks := range []string{"2001:db8::/80", "::ffff:192.0.2.0/120", ",", "10.0.0.0/33"} {
		_, _, err := keys.Create(t.Context(), portal(m),
			auth.NewCredential{CashboxID: m.CashboxID, Name: "wrong", Networks: networks})
		if f := fault.As(err); f == nil || f.Fields["allowed_networks"] == nil {
			t.Errorf("%s: %v", networks, err)
		}
	}
}
