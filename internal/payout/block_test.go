package payout_test

import (
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/testenv"
)

// Nothing is paid out to who or what is blocked; the field that it came in is wrong.
func TestBlockedRecipient(t *testing.T) {
	b := setup(t)
	b.payouts.Requisites = dbtest.Requisites()
	m := b.merchant(t, "100", dbtest.MerchantOpts{})
	settings := directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	admin := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	for field, n := range map[string]directory.NewBlock{
		"address": {Kind: "requisite", Value: "+7 900 123 45 67"}, "userId": {Kind: "user", Value: "u-1", MerchantID: m.ID},
		"userIp": {Kind: "address", Value: "2001:db8::1"},
	} {
		n.Reason = "fraud"
		made := must(settings.BlockPayer(t.Context(), admin, n))(t)
		r := request(field)
		r.UserID, r.UserIP = new("u-1"), new("2001:DB8:0::2")
		wantFields(t, errOf(b.payouts.Create(t.Context(), m.Caller, r)), field)
		must(settings.UnblockPayer(t.Context(), admin, made.ID, "tried"))(t)
		b.create(t, m.Caller, r)
	}
	testenv.Want(t, b.Count(t, "select count(*) from payin"), 3, "payouts")
}
