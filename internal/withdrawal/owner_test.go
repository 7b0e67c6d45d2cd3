package withdrawal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
	"gateway.example/internal/withdrawal"
)

// bystander is another merchant, with the same addresses in the book and with
// withdrawals of their own, whom no test is about: they stay as they are.
func (d *desk) bystander(t *testing.T) {
	t.Helper()
	m := d.other
	d.Fund(t, ledger.Available(ledger.Cashbox, m.CashboxID), "100")
	who := caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 7, MerchantID: m.ID}
	d.known(t, who, "TRC20", tron)
	address := d.known(t, who, "ERC20", ether)
	for n := range 3 {
		w := testenv.Must(d.service.Request(t.Context(), who, withdrawal.Request{
			CashboxID: &m.CashboxID, Amount: "20", AddressID: address.ID, OrderID: fmt.Sprint("w-", n),
		}))(t).Withdrawal
		if n == 0 {
			testenv.Must(d.service.Approve(t.Context(), operator, w.ID))(t)
			testenv.Must(d.service.Export(t.Context(), operator, 0))(t)
			testenv.Must(d.service.ReportHash(t.Context(), operator, w.ID, strings.Repeat("e", len(hash))))(t)
		}
		if n == 1 {
			testenv.Must(d.service.Reject(t.Context(), operator, w.ID, "not theirs"))(t)
		}
	}
	d.Stays(t, `select (select jsonb_agg(w order by w.id) from withdrawal w where w.owner_id = $1 and w.owner_kind = 'merchant')::text
		|| (select jsonb_agg(a order by a.id) from withdrawal_address a where a.owner_id = $1 and a.owner_kind = 'merchant')::text`, m.ID)
}

// Another owner of the same kind, or of the other kind by the same number,
// neither sends to an address of one's book, nor takes it out, nor sees or
// cancels what was requested.
func TestOfNobodyElse(t *testing.T) {
	d := newDesk(t, "0")
	d.bystander(t)
	one, other := d.NewTrader(t, dbtest.TraderOpts{USDT: "100"}).Caller, d.NewTrader(t, dbtest.TraderOpts{USDT: "100"}).Caller
	address := d.known(t, one, "ERC20", ether)
	send := withdrawal.Request{Amount: "20", AddressID: address.ID}
	w := testenv.Must(d.service.Request(t.Context(), one, send))(t).Withdrawal
	merchant := d.user
	merchant.MerchantID = one.TraderID
	for _, other := range []caller.Caller{other, merchant} {
		for what, err := range map[string]error{
			"Request":       testenv.ErrOf(d.service.Request(t.Context(), other, send)),
			"Quote":         testenv.ErrOf(d.service.Quote(t.Context(), other, send)),
			"RemoveAddress": d.service.RemoveAddress(t.Context(), other, address.ID),
			"Get":           testenv.ErrOf(d.service.Get(t.Context(), other, w.ID)),
			"History":       testenv.ErrOf(d.service.History(t.Context(), other, w.ID)),
			"Cancel":        testenv.ErrOf(d.service.Cancel(t.Context(), other, w.ID)),
		} {
			testenv.Check(t, errors.Is(err, fault.ErrNotFound), "%s by a %s: %v", what, other.Kind, err)
		}
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

// Nobody withdraws from another merchant's cashbox to an address of their own,
// by a program or in the portal.
func TestFromNobodyElsesCashbox(t *testing.T) {
	d := newDesk(t, "100")
	thief := d.NewMerchant(t, dbtest.MerchantOpts{Scopes: []string{caller.ScopeWithdrawals}})
	user := d.user
	user.MerchantID = thief.ID
	theirs := d.request(d.known(t, user, "ERC20", ether), "20", "theirs")
	for _, who := range []caller.Caller{user, thief.Caller} {
		dbtest.WantCode(t, testenv.ErrOf(d.service.Request(t.Context(), who, theirs)), "cashbox_access_denied")
		dbtest.WantCode(t, testenv.ErrOf(d.service.Quote(t.Context(), who, theirs)), "cashbox_access_denied")
	}
	d.wantBalance(t, "100", "0")
}

// The least and the most of a network may be withdrawn. Owners read the terms
// of open networks only.
func TestTerms(t *testing.T) {
	d := newDesk(t, "2000")
	d.bystander(t)
	address := d.known(t, d.user, "TRC20", tron)
	// Of the day's limit nothing was used yesterday, by what was cancelled,
	// or on another network.
	testenv.Must(d.service.Request(t.Context(), d.user, d.request(address, "500", "")))(t)
	d.clock.Advance(24 * time.Hour)
	testenv.Must(d.service.Cancel(t.Context(), d.user, d.asked(t, address).ID))(t)
	d.asked(t, d.known(t, d.user, "ERC20", ether))
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
	closed := d.known(t, d.user, "BEP20", ether)
	dbtest.WantCode(t, testenv.ErrOf(d.service.Request(t.Context(), d.user, d.request(closed, "10", ""))), "withdrawal_network_closed")
	testenv.Want(t, len(testenv.Must(d.service.Terms(t.Context(), d.user))(t)), 2, "networks, for an owner")
	testenv.Want(t, len(testenv.Must(d.service.Terms(t.Context(), operator))(t)), 3, "networks, for an operator")
}

// A list has what is asked for, page by page, and nothing of others.
func TestOwnersList(t *testing.T) {
	d := newDesk(t, "200")
	d.bystander(t)
	address, second := d.known(t, d.user, "TRC20", tron), d.NewCashbox(t, d.merchant.ID, "RUB", d.merchant.WebhookSecret)
	d.Fund(t, ledger.Available(ledger.Cashbox, second), "100")
	for n := range 3 {
		of := d.request(address, "20", fmt.Sprint("w-", n))
		if n == 1 {
			of.CashboxID = &second
		}
		w := testenv.Must(d.service.Request(t.Context(), d.user, of))(t).Withdrawal
		if n == 2 {
			testenv.Must(d.service.Cancel(t.Context(), d.user, w.ID))(t)
		}
		d.clock.Advance(time.Hour)
	}
	for want, page := range map[string]withdrawal.Page{
		"w-2 w-1 w-0": {}, "w-1": {OrderID: new("w-1")}, "w-2 w-0": {CashboxID: &d.merchant.CashboxID}, "w-2": {Status: new("cancelled")},
		"w-2 w-1": {Span: db.Span{From: new(dbtest.Start.Add(time.Hour))}}, "w-0": {Span: db.Span{To: new(dbtest.Start.Add(time.Hour))}},
	} {
		testenv.Want(t, d.listed(t, d.user, page), want, "%+v", page)
	}
	testenv.Want(t, d.listed(t, operator, withdrawal.Page{Status: new("cancelled")}), "w-2", "an operator's list of what was cancelled")
}

// listed are the order ids of a list, which is read one at a time.
func (d *desk) listed(t *testing.T, who caller.Caller, page withdrawal.Page) string {
	t.Helper()
	page.Limit = new(int32(1))
	var ids []string
	for {
		list, next := testenv.Must2(d.service.List(t.Context(), who, page))(t)
		for _, w := range list {
			ids = append(ids, w.OrderID)
		}
		if page.Cursor = next; next == nil {
			return strings.Join(ids, " ")
		}
	}
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
		"operator":                                     "Approve Reject Complete Fail Export HandOver HandOvers ReportHash SetTerms ToHandOver",
	})
}
