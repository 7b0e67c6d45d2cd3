package withdrawal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/attest"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
	"gateway.example/internal/withdrawal"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const (
	tron  = "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm"
	ether = "0x52908400098527886E0F7030069857D2E4169EE7"
	// alike begins and ends as ether does.
	alike = "0x5290000000000000000000000000000000009ee7"
	hash  = "ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12ab12"
)

var operator = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 9}

// desk is a merchant's owner, and the service.
type desk struct {
	*dbtest.DB
	clock    *dbtest.Clock
	service  *withdrawal.Service
	keys     attest.Keys
	merchant dbtest.Merchant
	user     caller.Caller
	other    dbtest.Merchant
}

// newDesk is a desk whose cashbox has so much.
func newDesk(t *testing.T, usdt string) *desk {
	t.Helper()
	t.Parallel()
	d := &desk{DB: dbtest.New(t), clock: &dbtest.Clock{}}
	signer := testenv.Must(attest.New(d.Pool, bytes.Repeat([]byte{7}, 32)))(t)
	d.keys = testenv.Must(attest.ParseKeys(testenv.Must(signer.Published(t.Context()))(t)))(t)
	d.service = withdrawal.New(d.Pools(), d.clock, outbound.NewAddresses(true), signer, foureyes.Rules{})
	d.other = d.NewMerchant(t, dbtest.MerchantOpts{})
	d.merchant = d.NewMerchant(t, dbtest.MerchantOpts{Scopes: []string{caller.ScopeWithdrawals}})
	d.user = caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 5, MerchantID: d.merchant.ID}
	for _, network := range []string{"TRC20", "ERC20"} {
		testenv.Must(d.service.SetTerms(t.Context(), operator, withdrawal.NewTerms{
			Network: network, Enabled: true, Fee: "1.5", MinAmount: "10", DailyAmount: "1000", Seen: "new",
		}))(t)
	}
	d.fund(t, usdt)
	return d
}

// known adds an address that has rested to a book.
func (d *desk) known(t *testing.T, who caller.Caller, network, address string) withdrawal.Address {
	t.Helper()
	added := testenv.Must(d.service.AddAddress(t.Context(), who, withdrawal.NewAddress{
		Network: network, Address: address, Label: "Ours",
	}))(t)
	d.Exec(t, "update withdrawal_address set usable_at = added_at where id = $1", added.ID)
	return added
}

func (d *desk) request(address withdrawal.Address, amount, orderID string) withdrawal.Request {
	return withdrawal.Request{CashboxID: &d.merchant.CashboxID, Amount: amount, AddressID: address.ID, OrderID: orderID}
}

func (d *desk) fund(t *testing.T, amount string) {
	t.Helper()
	d.Fund(t, ledger.Available(ledger.Cashbox, d.merchant.CashboxID), amount)
}

// asked is a new withdrawal of 20 USDT.
func (d *desk) asked(t *testing.T, address withdrawal.Address) withdrawal.Withdrawal {
	t.Helper()
	return testenv.Must(d.service.Request(t.Context(), d.user, d.request(address, "20", "")))(t).Withdrawal
}

func (d *desk) wantBalance(t *testing.T, available, reserved string) {
	t.Helper()
	d.WantHas(t, map[ledger.Account]string{
		ledger.Available(ledger.Cashbox, d.merchant.CashboxID): available, ledger.Reserved(ledger.Cashbox, d.merchant.CashboxID): reserved,
	})
}

// A book takes an address of the network's form once, never the platform's or a
// contract; one that looks like another is confirmed first; and nothing is sent
// to it before it has rested.
func TestAddressBook(t *testing.T) {
	d := newDesk(t, "100")
	d.bystander(t)
	d.Exec(t, "insert into receiving_address (network, address) values ('BEP20', '0x8617E340B3D01FA5F11F306F4090FD50E238070D')")
	add := func(who caller.Caller, network, address string, confirmed bool) (withdrawal.Address, error) {
		return d.service.AddAddress(t.Context(), who, withdrawal.NewAddress{
			Network: network, Address: address, Label: "Cold wallet", Confirmed: confirmed,
		})
	}
	for _, wrong := range []struct{ network, address string }{
		{"TRC20", ether}, {"ERC20", tron}, {"TRC20", tron[:33] + "n"}, {"SOLANA", tron}, {"ERC20", ""},
		{"ERC20", "0x8617e340b3d01fa5f11f306f4090fd50e238070d"}, {"ERC20", "0xdac17f958d2ee523a2206206994597c13d831ec7"},
	} {
		dbtest.WantCode(t, testenv.ErrOf(add(d.user, wrong.network, wrong.address, true)), "validation_failed")
	}
	first := testenv.Must(add(d.user, "ERC20", ether, false))(t)
	testenv.Check(t, first.Rests && first.UsableAt.Equal(dbtest.Start.Add(24*time.Hour)), "%+v", first)
	dbtest.WantCode(t, testenv.ErrOf(add(d.user, "ERC20", strings.ToUpper(ether[:2])+ether[2:], false)), "validation_failed") // 0X is no prefix
	dbtest.WantCode(t, testenv.ErrOf(add(d.user, "ERC20", ether, true)), "withdrawal_address_known")
	dbtest.WantCode(t, testenv.ErrOf(add(d.user, "BEP20", alike, false)), "withdrawal_address_alike")
	testenv.Must(add(d.user, "BEP20", alike, true))(t)
	dbtest.WantCode(t, testenv.ErrOf(add(d.merchant.Caller, "TRC20", tron, true)), "token_kind_not_allowed")
	stale := d.user
	stale.Stale = true
	testenv.WantError(t, testenv.ErrOf(add(stale, "TRC20", tron, true)), fault.ErrFactorNeeded, "without a fresh second factor")

	// Every owner reads in the log who added what.
	testenv.Want(t, d.Count(t, `select count(*) from setting_change where subject = 'withdrawal_address'
		and actor = 'merchant_portal:5'`), 2, "noted")

	dbtest.WantCode(t, testenv.ErrOf(d.service.Request(t.Context(), d.user, d.request(first, "20", ""))), "withdrawal_address_resting")
	d.clock.Advance(24*time.Hour - time.Millisecond)
	dbtest.WantCode(t, testenv.ErrOf(d.service.Request(t.Context(), d.user, d.request(first, "20", ""))), "withdrawal_address_resting")
	d.clock.Advance(time.Millisecond)
	d.asked(t, first)
	testenv.NoError(t, d.service.RemoveAddress(t.Context(), d.user, first.ID))
	dbtest.WantCode(t, testenv.ErrOf(d.service.Request(t.Context(), d.user, d.request(first, "20", ""))), "validation_failed")
	stranger := caller.Caller{Kind: caller.Trader, Role: caller.Owner, ID: 6, TraderID: d.merchant.ID}
	dbtest.WantCode(t, d.service.RemoveAddress(t.Context(), stranger, first.ID+1), "not_found")
	d.wantBalance(t, "78.5", "21.5")

	trader := d.NewTrader(t, dbtest.TraderOpts{USDT: "100"}).Caller
	of := withdrawal.Request{Amount: "99", AddressID: testenv.Must(add(trader, "ERC20", ether, false))(t).ID}
	dbtest.WantCode(t, testenv.ErrOf(d.service.Request(t.Context(), trader, of)), "withdrawal_address_resting")
	d.clock.Advance(24 * time.Hour)
	dbtest.WantCode(t, testenv.ErrOf(d.service.Request(t.Context(), trader, of)), "insufficient_trader_balance") // with its fee
	dbtest.WantCode(t, testenv.ErrOf(d.service.Request(t.Context(), d.user, d.request(withdrawal.Address{ID: of.AddressID}, "20", ""))),
		"not_found") // another's address

	// A book has 200 addresses.
	d.Exec(t, `insert into withdrawal_address (owner_kind, owner_id, network, address, label, usable_at, added_at, added_by)
		select 'trader', $1, 'TRC20', 'full ' || n, 'One of many', now(), now(), 'test' from generate_series(2, 200) n`, trader.TraderID)
	dbtest.WantCode(t, testenv.ErrOf(add(trader, "TRC20", tron, false)), "withdrawal_addresses_full")
}

// Requests at once never take more than there is, nor more than a day's limit;
// one order id makes one withdrawal.
func TestRequestsAtOnce(t *testing.T) {
	d := newDesk(t, "100")
	d.bystander(t)
	address := d.known(t, d.user, "TRC20", tron)
	var made atomic.Int64
	dbtest.Through(t, testenv.AtOnce(12, func(i int) error {
		created, err := d.service.Request(t.Context(), d.user, d.request(address, "20", fmt.Sprint("order-", i%6)))
		if err == nil && !created.Replay {
			made.Add(1)
		}
		return err
	}), "insufficient_cashbox_balance")
	testenv.Want(t, made.Load(), 4, "made")
	d.wantBalance(t, "14", "86")

	d.fund(t, "5000")
	within := dbtest.Through(t, testenv.AtOnce(6, func(int) error {
		return testenv.ErrOf(d.service.Request(t.Context(), d.user, d.request(address, "300", "")))
	}), "withdrawal_daily_limit")
	testenv.Want(t, within, 3, "within the limit of the day")
	for _, wrong := range []string{"9.99", "0", "-1", "10.1234567", ""} {
		dbtest.WantCode(t, testenv.ErrOf(d.service.Request(t.Context(), d.user, d.request(address, wrong, ""))), "validation_failed")
	}
	closed := d.known(t, d.user, "ARBITRUM", ether)
	dbtest.WantCode(t, testenv.ErrOf(d.service.Request(t.Context(), d.user, d.request(closed, "20", ""))), "withdrawal_network_closed")
}

// A program asks with its key for an address of its merchant's book; a repeat
// answers with the first and names what differs.
func TestByKey(t *testing.T) {
	d := newDesk(t, "100")
	d.bystander(t)
	d.known(t, d.user, "TRC20", tron)
	ask := func(amount, address string) (withdrawal.Created, error) {
		return d.service.Request(t.Context(), d.merchant.Caller, withdrawal.Request{
			Amount: amount, Network: "TRC20", Address: address, OrderID: "w-1",
		})
	}
	dbtest.WantCode(t, testenv.ErrOf(ask("20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")), "validation_failed")
	first := testenv.Must(ask("20", tron))(t)
	again := testenv.Must(ask("21", tron))(t)
	testenv.Check(t, again.Replay && again.Withdrawal.ID == first.Withdrawal.ID &&
		strings.Join(again.Mismatch, " ") == "amount", "%+v", again)
	without := d.merchant.Caller
	without.Scopes = []string{caller.ScopePayouts}
	testenv.WantError(t, testenv.ErrOf(d.service.Get(t.Context(), without, first.Withdrawal.ID)), fault.ErrScopeRequired, "without the scope")
	d.wantBalance(t, "78.5", "21.5")
}

// A repeat answers with the first also where its address has left the book
// since, or the repeat names one that is in no book: a refusal would say that
// nothing was made, and the shop would pay again.
func TestRepeatOfAnAddressThatIsGone(t *testing.T) {
	d := newDesk(t, "100")
	d.bystander(t)
	address := d.known(t, d.user, "TRC20", tron)
	ask := func(orderID, network, address string) (withdrawal.Created, error) {
		return d.service.Request(t.Context(), d.merchant.Caller, withdrawal.Request{
			Amount: "20", Network: network, Address: address, OrderID: orderID,
		})
	}
	first := testenv.Must(ask("w-1", "TRC20", tron))(t)
	testenv.NoError(t, d.service.RemoveAddress(t.Context(), d.user, address.ID))
	for _, again := range []struct{ network, address, mismatch string }{
		{"TRC20", tron, ""}, {"TRC20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "address"}, {"ERC20", ether, "network address"},
	} {
		made := testenv.Must(ask("w-1", again.network, again.address))(t)
		testenv.Check(t, made.Replay && made.Withdrawal.ID == first.Withdrawal.ID && strings.Join(made.Mismatch, " ") == again.mismatch,
			"%s %s: %+v", again.network, again.address, made)
	}
	dbtest.WantCode(t, testenv.ErrOf(ask("w-2", "TRC20", tron)), "validation_failed")
	d.known(t, d.user, "TRC20", tron) // the address is the same, whenever it was added
	testenv.Want(t, len(testenv.Must(ask("w-1", "TRC20", tron))(t).Mismatch), 0, "mismatches")
	d.wantBalance(t, "78.5", "21.5")
}

// What is refused, cancelled or has failed comes back once, whoever else
// decides at the same time.
func TestGivenBackOnce(t *testing.T) {
	d := newDesk(t, "100")
	address := d.known(t, d.user, "TRC20", tron)
	w := d.asked(t, address)
	ended := 0
	for _, err := range testenv.AtOnce(9, func(i int) error {
		switch i % 3 {
		case 0:
			return testenv.ErrOf(d.service.Cancel(t.Context(), d.user, w.ID))
		case 1:
			return testenv.ErrOf(d.service.Reject(t.Context(), operator, w.ID, "unknown address"))
		}
		return testenv.ErrOf(d.service.Approve(t.Context(), operator, w.ID))
	}) {
		if err == nil {
			ended++
		}
	}
	testenv.Check(t, ended == 1 || ended == 2, "%d decided; an approved one may be rejected still", ended)
	if after := testenv.Must(d.service.Get(t.Context(), operator, w.ID))(t); after.Status == withdrawal.Approved {
		testenv.Must(d.service.Reject(t.Context(), operator, w.ID, "late"))(t)
	}
	d.wantBalance(t, "100", "0")
	dbtest.WantCode(t, testenv.ErrOf(d.service.Cancel(t.Context(), d.user, w.ID)), "withdrawal_not_requested")

	w = d.asked(t, address)
	testenv.Must(d.service.Approve(t.Context(), operator, w.ID))(t)
	dbtest.WantCode(t, testenv.ErrOf(d.service.Fail(t.Context(), operator, withdrawal.Decision{ID: w.ID, Reason: "too early"})), "withdrawal_not_handed_over")
	testenv.Must(d.service.Export(t.Context(), operator, 0))(t)
	dbtest.WantCode(t, testenv.ErrOf(d.service.Reject(t.Context(), operator, w.ID, "too late")), "withdrawal_not_open")
	failed := testenv.Must(d.service.Fail(t.Context(), operator, withdrawal.Decision{ID: w.ID, Reason: "wallet empty"}))(t)
	testenv.Want(t, failed.Status, withdrawal.Failed, "after a failure")
	d.wantBalance(t, "100", "0")
}

// Above what one operator may move alone it takes two, and so it does whenever
// one says what nobody has seen.
func TestFourEyes(t *testing.T) {
	d := newDesk(t, "500")
	address := d.known(t, d.user, "TRC20", tron)
	d.Exec(t, `insert into app_user (id, kind, login, role, created_at) overriding system value
		values ($1, 'operator', 'dora', 'admin', now())`, operator.ID)
	// Two of 20 with their fees are more.
	d.service.FourEyes = foureyes.Rules{On: true, Above: decimal.RequireFromString("42.99")}
	first, second := d.asked(t, address), d.asked(t, address)
	testenv.Must(d.service.Approve(t.Context(), operator, first.ID))(t)
	testenv.WantError(t, testenv.ErrOf(d.service.Approve(t.Context(), operator, second.ID)), foureyes.ErrSecondOperator, "more than one may in a day")
	testenv.NoError(t, pgx.BeginFunc(t.Context(), d.Pool, func(tx pgx.Tx) error {
		_, err := d.service.Approved(tx).Approve(t.Context(), operator, second.ID)
		return err
	}))
	testenv.Must(d.service.Export(t.Context(), operator, 0))(t)
	testenv.Must(d.service.ReportHash(t.Context(), operator, first.ID, hash))(t)
	byEye := withdrawal.Decision{ID: first.ID, Reason: "seen by eye"}
	testenv.WantError(t, testenv.ErrOf(d.service.Complete(t.Context(), operator, byEye)), foureyes.ErrSecondOperator, "completed by hand")
	never := withdrawal.Decision{ID: second.ID, Reason: "never sent"}
	testenv.WantError(t, testenv.ErrOf(d.service.Fail(t.Context(), operator, never)), foureyes.ErrSecondOperator, "failed")
	approve := func() error {
		return pgx.BeginFunc(t.Context(), d.Pool, func(tx pgx.Tx) error {
			_, err := d.service.Approved(tx).Fail(t.Context(), operator, never)
			return err
		})
	}
	other := strings.Repeat("b", len(hash))
	testenv.Must(d.service.ReportHash(t.Context(), operator, second.ID, other))(t)
	dbtest.WantCode(t, approve(), "withdrawal_hash_changed")
	never.Hash = other
	d.Exec(t, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
		to_address, amount, state, seen_at, state_at) select network, transaction_hash, 0, 'named', 1, 'b', 'x', address, amount, 'seen', now(), now()
		from withdrawal where id = $1`, second.ID)
	dbtest.WantCode(t, approve(), "withdrawal_paid")
	testenv.WantError(t, testenv.ErrOf(d.service.SetTerms(t.Context(), operator, withdrawal.NewTerms{
		Network: "TRC20", Enabled: true, Fee: "0", MinAmount: "1", DailyAmount: "999999",
	})), foureyes.ErrSecondOperator, "terms")
	d.wantBalance(t, "457", "43")
	// A transfer that differs in any one thing has not paid it, nor has one
	// of the transaction that was named for the first.
	for n, change := range []string{"network = 'ERC20'", "transaction_hash = '" + hash + "'", "direction = 'in'", "to_address = 'another'", "amount = amount + 1",
		"state = 'gone'", "seen_at = seen_at - interval '99 days'"} {
		d.Exec(t, `insert into chain_transfer overriding user value select (jsonb_populate_record(c, jsonb_build_object('log_index', $1::int))).*
			from chain_transfer c where log_index = 0`, n+1)
		d.Exec(t, "update chain_transfer set "+change+" where log_index = $1", n+1)
	}
	d.Exec(t, "delete from chain_transfer where log_index = 0")
	testenv.NoError(t, approve())
	d.wantBalance(t, "478.5", "21.5")
}

// Two decide about what the first of them has seen: what the transaction moved
// may come out in between.
func TestStoppedSinceProposed(t *testing.T) {
	d := newDesk(t, "100")
	w := d.asked(t, d.known(t, d.user, "TRC20", tron))
	testenv.Must(d.service.Approve(t.Context(), operator, w.ID))(t)
	testenv.Must(d.service.Export(t.Context(), operator, 0))(t)
	d.service.FourEyes = foureyes.Rules{On: true}
	var last func() error
	for _, decide := range []func(*withdrawal.Service, context.Context, caller.Caller, withdrawal.Decision) (withdrawal.Withdrawal, error){
		(*withdrawal.Service).Fail, (*withdrawal.Service).Complete,
	} {
		testenv.Must(d.service.ReportHash(t.Context(), operator, w.ID, hash))(t)
		proposed := func() withdrawal.Decision {
			wanted := new(foureyes.SecondOperatorError)
			_, err := decide(d.service, t.Context(), operator, withdrawal.Decision{ID: w.ID, Reason: "looked at it"})
			testenv.Need(t, errors.As(err, &wanted), "decided alone: %v", err)
			return wanted.Params.(withdrawal.Decision)
		}
		approve := func(asked withdrawal.Decision) error {
			return pgx.BeginFunc(t.Context(), d.Pool, func(tx pgx.Tx) error {
				return testenv.ErrOf(decide(d.service.Approved(tx), t.Context(), operator, asked))
			})
		}
		before := proposed()
		testenv.NoError(t, d.service.See(t.Context(), w.ID, hash, []withdrawal.Seen{{To: alike, Amount: w.Amount, At: d.clock.Now()}}))
		dbtest.WantCode(t, approve(before), "withdrawal_hash_changed")
		d.wantBalance(t, "78.5", "21.5")
		last = func() error { return approve(proposed()) }
	}
	testenv.NoError(t, last()) // who has seen it may complete it all the same
	d.wantBalance(t, "78.5", "0")
}

var errCut = errors.New("the connection is cut")

// Whoever owes the platform gets no USDT out of it: what was asked for, and
// even approved, before an appeal took more than they have stays until they
// have made up for it.
func TestNothingLeavesWhoOwes(t *testing.T) {
	d := newDesk(t, "0")
	trader := d.NewTrader(t, dbtest.TraderOpts{USDT: "100"})
	leaving := trader.Caller
	leaving.Role = caller.Owner
	address := d.known(t, leaving, "TRC20", tron)
	ask := func(amount string) int64 {
		return testenv.Must(d.service.Request(t.Context(), leaving, withdrawal.Request{Amount: amount, AddressID: address.ID}))(t).Withdrawal.ID
	}
	approved, asked := ask("20"), ask("70")
	testenv.Must(d.service.Approve(t.Context(), operator, approved))(t)
	owed := ledger.Move{Subject: "payment", SubjectID: 1, From: "failed", To: "appeal", Stands: ledger.Held(ledger.Trader, trader.ID, decimal.NewFromInt(50))}
	testenv.NoError(t, db.Write(t.Context(), d.Pool, owed.Queries(d.clock.Now())...))

	dbtest.WantCode(t, testenv.ErrOf(d.service.Approve(t.Context(), operator, asked)), "withdrawal_owner_owes")
	dbtest.WantCode(t, testenv.ErrOf(d.service.Export(t.Context(), operator, 0)), "withdrawal_nothing_approved")

	// However many of them stand in front, others are handed over.
	d.Exec(t, `insert into withdrawal overriding system value select (jsonb_populate_record(w, jsonb_build_object('id', w.id + 10 + n, 'order_id', 'copy ' || n))).*
		from withdrawal w, generate_series(1, 250) n where w.id = $1`, approved)
	d.Exec(t, "select setval(pg_get_serial_sequence('withdrawal', 'id'), 1000)")
	other := d.NewTrader(t, dbtest.TraderOpts{USDT: "100"}).Caller
	other.Role = caller.Owner
	theirs := d.known(t, other, "TRC20", tron).ID
	last := testenv.Must(d.service.Request(t.Context(), other, withdrawal.Request{Amount: "20", AddressID: theirs}))(t).Withdrawal.ID
	testenv.Must(d.service.Approve(t.Context(), operator, last))(t)
	past := testenv.Must(d.service.Export(t.Context(), operator, 0))(t)
	testenv.Want(t, past.Count, 1, "handed over past those who owe")
	d.Exec(t, "delete from withdrawal where id > $1 and status = 'approved'", asked)

	d.Fund(t, ledger.Available(ledger.Trader, trader.ID), "43")
	testenv.Must(d.service.Approve(t.Context(), operator, asked))(t)
	list := testenv.Must(d.service.Export(t.Context(), operator, past.ID))(t)
	testenv.Want(t, list.Count, 2, "on the list")
}
