package payment_test

import (
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// A blocked payer gets no payment, and the refusal says neither why nor by whom; others do, and so does a repeat of what was
// made before. Nothing counts as a lack of requisites.
func TestBlockedPayer(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 9})
	settings := directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	admin := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	of := func(order, user, address string) payment.Request {
		r := request(order)
		r.Payer = &payment.Payer{UserID: &user, UserIP: &address}
		return r
	}
	before := b.create(t, merchant.Caller, of("before", "u-1", "192.0.2.1"))
	for _, n := range []directory.NewBlock{
		{Kind: "user", PaymentID: before.ID, MerchantID: merchant.ID}, {Kind: "address", Value: "192.0.2.7"},
	} {
		n.Reason = "chargebacks"
		must(settings.BlockPayer(t.Context(), admin, n))(t)
	}
	for _, r := range []payment.Request{of("user", "u-1", "192.0.2.2"), of("address", "u-2", "192.0.2.7")} {
		_, err := b.payments.Create(t.Context(), merchant.Caller, r)
		wantCode(t, err, "collect_requisites_not_available")
		testenv.Want(t, err.Error(), "collect_requisites_not_available: No requisite is available for this payer.", "refused")
	}
	if again, err := b.payments.Create(t.Context(), merchant.Caller, of("before", "u-1", "192.0.2.1")); err != nil || !again.Replay {
		t.Errorf("a repeat: %+v, %v", again, err)
	}
	b.create(t, merchant.Caller, of("other", "u-2", "192.0.2.2"))
	must(settings.UnblockPayer(t.Context(), admin, 1, "an error"))(t)
	b.create(t, merchant.Caller, of("user", "u-1", "192.0.2.2"))
}
