package withdrawal_test

import (
	"errors"
	"testing"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
	"gateway.example/internal/withdrawal"
)

// Another owner of the same kind neither sends to an address of one's book, nor
// takes it out, nor sees or cancels what was requested.
func TestOfNobodyElse(t *testing.T) {
	d := newDesk(t, "0")
	one, other := d.NewTrader(t, dbtest.TraderOpts{USDT: "100"}).Caller, d.NewTrader(t, dbtest.TraderOpts{USDT: "100"}).Caller
	address := d.known(t, one, "ERC20", ether)
	send := withdrawal.Request{Amount: "20", AddressID: address.ID}
	w := testenv.Must(d.service.Request(t.Context(), one, send))(t).Withdrawal
	for what, err := range map[string]error{
		"Request":       testenv.ErrOf(d.service.Request(t.Context(), other, send)),
		"Quote":         testenv.ErrOf(d.service.Quote(t.Context(), other, send)),
		"RemoveAddress": d.service.RemoveAddress(t.Context(), other, address.ID),
		"Get":           testenv.ErrOf(d.service.Get(t.Context(), other, w.ID)),
		"History":       testenv.ErrOf(d.service.History(t.Context(), other, w.ID)),
		"Cancel":        testenv.ErrOf(d.service.Cancel(t.Context(), other, w.ID)),
	} {
		testenv.Check(t, errors.Is(err, fault.ErrNotFound), "%s: %v", what, err)
	}
	send.AddressID, send.Network, send.Address = 0, "ERC20", ether
	dbtest.WantFields(t, testenv.ErrOf(d.service.Request(t.Context(), other, send)), "address")
	list, _ := testenv.Must2(d.service.List(t.Context(), other, withdrawal.Page{}))(t)
	testenv.Want(t, len(list)+len(testenv.Must(d.service.Addresses(t.Context(), other))(t)), 0, "listed")
	key := d.merchant.Caller
	for what, err := range map[string]error{
		"RemoveAddress": d.service.RemoveAddress(t.Context(), key, d.known(t, d.user, "ERC20", ether).ID),
		"Cancel":        testenv.ErrOf(d.service.Cancel(t.Context(), key, w.ID)),
	} {
		testenv.Check(t, errors.Is(err, fault.ErrTokenKindNotAllowed), "%s by a program: %v", what, err)
	}
}

// The least and the most of a network may be withdrawn. Owners read the terms
// of open networks only.
func TestTerms(t *testing.T) {
	d := newDesk(t, "2000")
	address := d.known(t, d.user, "TRC20", tron)
	for _, amount := range []string{"10", "990"} {
		testenv.Must(d.service.Request(t.Context(), d.user, d.request(address, amount, "")))(t)
	}
	dbtest.WantCode(t, testenv.ErrOf(d.service.Request(t.Context(), d.user, d.request(address, "10", ""))), "withdrawal_daily_limit")

	good := withdrawal.NewTerms{Network: "BEP20", Fee: "1000", MinAmount: "10", DailyAmount: "10", Seen: "new"}
	for field, change := range map[string]func(n *withdrawal.NewTerms){
		"network":     func(n *withdrawal.NewTerms) { n.Network = "SOLANA" },
		"fee":         func(n *withdrawal.NewTerms) { n.Fee = "1000.01" },
		"minAmount":   func(n *withdrawal.NewTerms) { n.MinAmount = "0" },
		"dailyAmount": func(n *withdrawal.NewTerms) { n.DailyAmount = "9.99" },
	} {
		wrong := good
		change(&wrong)
		dbtest.WantFields(t, testenv.ErrOf(d.service.SetTerms(t.Context(), operator, wrong)), field)
	}
	testenv.Must(d.service.SetTerms(t.Context(), operator, good))(t)
	testenv.Want(t, len(testenv.Must(d.service.Terms(t.Context(), d.user))(t)), 2, "networks, for an owner")
	testenv.Want(t, len(testenv.Must(d.service.Terms(t.Context(), operator))(t)), 3, "networks, for an operator")
}

// Operators see everybody's, or those of one cashbox.
func TestOperatorsList(t *testing.T) {
	d := newDesk(t, "100")
	d.asked(t, d.known(t, d.user, "TRC20", tron))
	for cashbox, want := range map[int64]int{d.merchant.CashboxID: 1, d.merchant.CashboxID + 1: 0} {
		list, _ := testenv.Must2(d.service.List(t.Context(), operator, withdrawal.Page{CashboxID: &cashbox}))(t)
		testenv.Want(t, len(list), want, "of cashbox %d", cashbox)
	}
}

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	d := newDesk(t, "0")
	dbtest.WantKinds(t, d.service, map[string]string{
		"merchant_key merchant_portal trader":          "Request Quote AddAddress RemoveAddress Cancel Addresses",
		"merchant_key merchant_portal trader operator": "Get List History",
		"merchant_portal trader operator":              "Terms",
		"operator":                                     "Approve Reject Complete Fail Export HandOver HandOvers ReportHash SetTerms",
	})
}
