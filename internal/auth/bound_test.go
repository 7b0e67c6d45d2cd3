package auth_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
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
		CashboxID: m.CashboxID, Name: "bound", Limits: auth.Limits{
			ExpiresAt: &soon, Networks: " 203.0.113.7/24, 198.51.100.1,2001:db8:1::5 ", PayoutDailyLimit: "100000",
		},
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
		signed := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{
			Address: func(context.Context) string { return address },
		})
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
	for field, n := range map[string]auth.Limits{
		"expires_at":         {ExpiresAt: &past},
		"allowed_networks":   {Networks: "203.0.113.0/24, shop.example"},
		"payout_daily_limit": {PayoutDailyLimit: "much"},
	} {
		_, _, err := keys.Create(t.Context(), portal(m),
			auth.NewCredential{CashboxID: m.CashboxID, Name: "wrong", Limits: n})
		_, later := keys.SetLimits(t.Context(), portal(m), m.CashboxID, made.ID, n)
		for _, err := range []error{err, later} {
			if f := fault.As(err); f == nil || f.Fields[field] == nil {
				t.Errorf("%s: %v", field, err)
			}
		}
	}
	for _, networks := range []string{"2001:db8::/80", "::ffff:192.0.2.0/120", ",", "10.0.0.0/33"} {
		_, _, err := keys.Create(t.Context(), portal(m),
			auth.NewCredential{CashboxID: m.CashboxID, Name: "wrong", Limits: auth.Limits{Networks: networks}})
		if f := fault.As(err); f == nil || f.Fields["allowed_networks"] == nil {
			t.Errorf("%s: %v", networks, err)
		}
	}
}

// What a key is good for is changed later, narrower and wider, by those who may make keys. It is in the log, and a revoked
// key is not brought back.
func TestLimitsOfAKey(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m, other := d.NewMerchant(t, dbtest.MerchantOpts{}), d.NewMerchant(t, dbtest.MerchantOpts{})
	keys := auth.NewMerchantKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders())
	made, _, err := keys.Create(t.Context(), portal(m), auth.NewCredential{CashboxID: m.CashboxID, Name: "later"})
	noError(t, err)
	set := func(who caller.Caller, id int64, l auth.Limits) (auth.Credential, error) {
		return keys.SetLimits(t.Context(), who, m.CashboxID, id, l)
	}
	soon := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	bound := auth.Limits{ExpiresAt: &soon, Networks: "203.0.113.7", PayoutDailyLimit: "10"}
	got := must(set(portal(m), made.ID, bound))(t)
	if !got.ExpiresAt.Equal(soon) || !slices.Equal(got.Networks, []string{"203.0.113.7/32"}) ||
		got.PayoutDailyLimit.Decimal.String() != "10" || got.Name != "later" {
		t.Errorf("bound %+v", got)
	}
	// An end that is over can be moved, and all bounds can go.
	d.Exec(t, "update api_key set expires_at = now() - interval '1 hour' where id = $1", made.ID)
	got = must(set(portal(m), made.ID, auth.Limits{}))(t)
	if got.ExpiresAt != nil || got.Networks == nil || len(got.Networks) > 0 || got.PayoutDailyLimit.Valid ||
		!got.Active() {
		t.Errorf("unbound %+v", got)
	}
	const logged = `select count(*) from setting_change where subject = 'api_key' and subject_key = $1::text and actor = $2
		and before->>'payout_daily_limit' is distinct from after->>'payout_daily_limit' and not (after ? 'secret_hash')`
	testenv.Want(t, d.Count(t, logged, strconv.FormatInt(made.ID, 10), portal(m).Actor()), 2,
		"changes are in the log, want 2")

	stale, support := portal(m), portal(m)
	stale.Stale, support.Role = true, caller.Support
	refused(t, errOf(set(stale, made.ID, bound)), fault.Forbidden, "factor_needed")
	refused(t, errOf(set(support, made.ID, bound)), fault.Forbidden, "role_not_allowed")
	refused(t, errOf(set(portal(other), made.ID, bound)), fault.Forbidden, "cashbox_access_denied")
	_, err = keys.SetLimits(t.Context(), portal(other), other.CashboxID, made.ID, bound)
	refused(t, err, fault.NotFound, "not_found")
	d.Exec(t, "update api_key set cashbox_id = null where id = $1", made.ID)
	_, err = set(portal(m), made.ID, bound)
	if f := fault.As(err); f == nil || f.Fields["payout_daily_limit"] == nil {
		t.Errorf("a legacy key: %v", err)
	}
	must(keys.Revoke(t.Context(), portal(m), m.CashboxID, made.ID))(t)
	refused(t, errOf(set(portal(m), made.ID, auth.Limits{})), fault.NotFound, "not_found")
}
