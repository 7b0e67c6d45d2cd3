package deposit_test

import (
	"errors"
	"fmt"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/testenv"
)

// The platform's address is set by two operators, shown to merchants, and taken for a deposit of their portal that names
// none. A key names its own, and one that was never the platform's is told apart.
func TestReceiving(t *testing.T) {
	d := newDesk(t)
	const former, later = "0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
	set := func(r deposit.Receiving, want string) {
		t.Helper()
		testenv.Want(t, dbtest.CodeOf(testenv.ErrOf(d.service.SetReceiving(t.Context(), operator, r))), want, "%+v", r)
	}
	user := caller.Caller{Kind: caller.MerchantPortal, Role: caller.Finance, ID: 5, MerchantID: d.merchant.ID}
	shown := func(who caller.Caller) string {
		t.Helper()
		found := map[string]string{}
		for _, r := range testenv.Must(d.service.ReceivingAddresses(t.Context(), who))(t) {
			found[r.Network] = r.Address
		}
		return fmt.Sprint(found)
	}
	ask := func(who caller.Caller, number int) (deposit.Deposit, error) {
		r := request(number)
		r.CashboxID, r.Network, r.Address = &d.merchant.CashboxID, "ERC20", ""
		created, err := d.service.Create(t.Context(), who, r)
		return created.Deposit, err
	}
	testenv.Want(t, dbtest.CodeOf(testenv.ErrOf(ask(user, 1))), "validation_failed", "a deposit to nowhere")

	set(deposit.Receiving{Network: "ERC20", Address: tron}, "validation_failed")
	set(deposit.Receiving{Network: "SOLANA", Address: tron}, "validation_failed")
	set(deposit.Receiving{Network: "ERC20", Address: former, Seen: "new"}, "")
	set(deposit.Receiving{Network: "ERC20", Address: later, Seen: "new"}, "setting_changed")
	set(deposit.Receiving{Network: "TRC20", Address: tron}, "validation_failed") // the contract of the token
	const ours = "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm"
	set(deposit.Receiving{Network: "TRC20", Address: ours}, "")
	testenv.Want(t, shown(user), "map[ERC20:"+former+" TRC20:"+ours+"]", "shown to a merchant")

	first := testenv.Must(ask(user, 2))(t)
	testenv.Want(t, first.Address, former, "the deposit's address")
	testenv.Want(t, dbtest.CodeOf(testenv.ErrOf(ask(d.merchant.Caller, 3))), "validation_failed", "a key's deposit without an address")

	set(deposit.Receiving{Network: "ERC20", Address: later}, "")
	set(deposit.Receiving{Network: "TRC20", Address: ""}, "")
	testenv.Want(t, shown(user), "map[ERC20:"+later+"]", "shown to a merchant after the change")
	testenv.Want(t, shown(operator), "map[ERC20:"+later+" TRC20:]", "shown to an operator")

	second, third := request(4), request(5)
	second.Network, second.Address = "ERC20", "0x8617e340b3d01fa5f11f306f4090fd50e238070d"
	third.Network, third.Address = "ERC20", "0xde709f2102306220921060314715629080e2fb77"
	for i, of := range []deposit.Deposit{first, d.create(t, second), d.create(t, third)} {
		ours := i < 2
		testenv.Want(t, testenv.Must(d.service.Ours(t.Context(), operator, of))(t), ours, "%s is the platform's", of.Address)
	}

	d.service.FourEyes = foureyes.Rules{On: true}
	_, err := d.service.SetReceiving(t.Context(), operator, deposit.Receiving{Network: "ERC20", Address: former})
	wanted := new(foureyes.Wanted)
	testenv.Check(t, errors.As(err, &wanted) && wanted.Action == foureyes.SetReceiving,
		"one operator sets an address: %v", err)
}
