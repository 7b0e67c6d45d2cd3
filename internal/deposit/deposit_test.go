package deposit_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var operator = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 9}

const tron = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

// desk is a merchant with a key that may ask for deposits, and the service.
type desk struct {
	*dbtest.DB
	clock    *dbtest.Clock
	service  *deposit.Service
	merchant dbtest.Merchant
}

// newDesk has the test run beside others.
func newDesk(t *testing.T) *desk {
	t.Helper()
	t.Parallel()
	d := &desk{DB: dbtest.New(t), clock: &dbtest.Clock{}}
	d.service = deposit.New(d.Pools(), d.clock, foureyes.Rules{})
	d.merchant = d.newMerchant(t)
	return d
}

func (d *desk) newMerchant(t *testing.T) dbtest.Merchant {
	t.Helper()
	return d.NewMerchant(t, dbtest.MerchantOpts{Scopes: []string{caller.ScopeDeposits}})
}

// request is a valid one; the number makes its idempotency key.
func request(number int) deposit.Request {
	return deposit.Request{
		Amount: "25.5", Network: "TRC20", Address: tron,
		IdempotencyKey: fmt.Sprintf("7d444840-9dc0-11d1-b245-5ffdce74f%03d", number),
	}
}

func (d *desk) create(t *testing.T, r deposit.Request) deposit.Deposit {
	t.Helper()
	created, err := d.service.Create(context.Background(), d.merchant.Caller, r)
	testenv.Need(t, err == nil && !created.Replay, "create: %v, replay %v", err, created.Replay)
	return created.Deposit
}

func (d *desk) wantBalance(t *testing.T, available string) {
	t.Helper()
	d.WantHas(t, map[ledger.Account]string{
		ledger.Available(ledger.Cashbox, d.merchant.CashboxID): available, ledger.Reserved(ledger.Cashbox, d.merchant.CashboxID): "0",
	})
}

func TestDepositRepeats(t *testing.T) {
	d := newDesk(t)
	r := request(1)
	r.ExternalReference, r.Currency = new(strings.Repeat("ж", 256)), new("USDT")
	first := d.create(t, r)
	testenv.Check(t, first.Status == "pending" && first.CashboxID == d.merchant.CashboxID &&
		first.Amount.String() == "25.5" && first.StatusAt.Equal(dbtest.Start), "created %+v", first)
	for want, change := range map[string]func(*deposit.Request){
		"": func(r *deposit.Request) {
			r.Amount, r.ExternalReference, r.CashboxID = "25.50000000", nil, &d.merchant.CashboxID
			r.IdempotencyKey = strings.ToUpper(r.IdempotencyKey)
		},
		"amount":  func(r *deposit.Request) { r.Amount = "25.50000001" },
		"address": func(r *deposit.Request) { r.Address = "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm" },
		"network address": func(r *deposit.Request) {
			r.Network, r.Address = "ERC20", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
		},
	} {
		repeat := request(1)
		change(&repeat)
		again, err := d.service.Create(t.Context(), d.merchant.Caller, repeat)
		testenv.Check(t, err == nil && again.Replay && again.Deposit.ID == first.ID &&
			strings.Join(again.Mismatch, " ") == want, "%s: %+v %v", want, again, err)
	}
	// The same key for another cashbox of the merchant is a conflict;
	// another merchant has the key to itself.
	second := d.NewCashbox(t, d.merchant.ID, "RUB", d.merchant.WebhookSecret)
	conflict := request(1)
	conflict.CashboxID = &second
	dbtest.WantCode(t, testenv.ErrOf(d.service.Create(t.Context(), d.merchant.Caller, conflict)), "idempotency_key_conflict")
	stranger := d.newMerchant(t)
	dbtest.WantCode(t, testenv.ErrOf(d.service.Create(t.Context(), stranger.Caller, conflict)), "cashbox_access_denied")
	dbtest.WantCode(t, testenv.ErrOf(d.service.Balance(t.Context(), stranger.Caller, second)), "cashbox_access_denied")
	other, err := d.service.Create(t.Context(), stranger.Caller, request(1))
	testenv.Check(t, err == nil && !other.Replay, "another merchant: %+v %v", other, err)
	testenv.Want(t, d.rows(t), 2, "deposits")
}

func TestParallelDepositsMakeOne(t *testing.T) {
	d := newDesk(t)
	var fresh atomic.Int64
	testenv.NoError(t, testenv.AtOnce(30, func(int) error {
		created, err := d.service.Create(context.Background(), d.merchant.Caller, request(1))
		if !created.Replay {
			fresh.Add(1)
		}
		return err
	})...)
	testenv.Want(t, fresh.Load(), 1, "made")
	testenv.Want(t, d.rows(t), 1, "deposits")
}

// However many are asked for at once, a merchant has at most a thousand pending
// deposits: more would crowd out those of others. A repeat is answered all the
// same, and what was decided leaves its place.
func TestPendingDepositsAreBounded(t *testing.T) {
	d := newDesk(t)
	first := d.create(t, request(1))
	d.Exec(t, `insert into deposit (merchant_id, cashbox_id, amount, network, address, idempotency_key, created_at, status_at)
		select merchant_id, cashbox_id, amount, network, address, gen_random_uuid(), created_at, status_at
		from deposit, generate_series(1, 997)`)
	made := 0
	for _, err := range testenv.AtOnce(8, func(n int) error {
		return testenv.ErrOf(d.service.Create(t.Context(), d.merchant.Caller, request(2+n)))
	}) {
		if err == nil {
			made++
			continue
		}
		dbtest.WantCode(t, err, "deposits_full")
	}
	testenv.Want(t, made, 2, "made beside 998")
	testenv.Want(t, d.rows(t), 1000, "deposits")
	testenv.Want(t, testenv.Must(d.service.Create(t.Context(), d.merchant.Caller, request(1)))(t).Replay, true, "a repeat is one")
	testenv.Must(d.service.Create(t.Context(), d.newMerchant(t).Caller, request(20)))(t)
	testenv.Must(d.service.Reject(t.Context(), operator, first.ID, new("never came")))(t)
	d.create(t, request(21))
	dbtest.WantCode(t, testenv.ErrOf(d.service.Create(t.Context(), d.merchant.Caller, request(22))), "deposits_full")
}

func (d *desk) rows(t *testing.T) int { return d.Count(t, "select count(*) from deposit") }

// A key of no cashbox names the one that it asks for. Each field that is wrong
// is named; the bodies are those of wrong.txt in internal/acceptance.
func TestDepositValidation(t *testing.T) {
	d := newDesk(t)
	unbound := d.merchant.Caller
	unbound.CashboxID = nil
	dbtest.WantFields(t, testenv.ErrOf(d.service.Create(t.Context(), unbound, request(1))), "merchantCashboxId")
	named := request(1)
	named.CashboxID = &d.merchant.CashboxID
	testenv.Must(d.service.Create(t.Context(), unbound, named))(t)
	_, err := d.service.Create(t.Context(), d.merchant.Caller, deposit.Request{
		Amount: "0", Network: "SOLANA", Currency: new("USDC"), Address: tron, ExternalReference: new(strings.Repeat("ж", 257)),
		IdempotencyKey: "x",
	})
	dbtest.WantFields(t, err, "amount", "network", "currency", "externalReference", "idempotencyKey")
	testenv.Want(t, d.rows(t), 1, "deposits")
}

// Eight confirmations at once credit once; then nothing changes the deposit any
// more.
func TestConfirm(t *testing.T) {
	d := newDesk(t)
	made := d.create(t, request(1))
	d.clock.Advance(time.Minute)
	dbtest.WantOne(t, testenv.AtOnce(8, func(int) error { return testenv.ErrOf(d.service.Confirm(t.Context(), operator, made.ID)) }),
		"deposit_not_pending")
	d.wantBalance(t, "25.5")
	dbtest.WantCode(t, testenv.ErrOf(d.service.Reject(t.Context(), operator, made.ID, new("too late"))), "deposit_not_pending")
	after, err := d.service.Get(t.Context(), d.merchant.Caller, made.ID)
	testenv.Check(t, err == nil && after.Status == "confirmed" && after.StatusAt.Equal(dbtest.Start.Add(time.Minute)),
		"afterwards %+v %v", after, err)
	history := d.Text(t, `select string_agg(actor || ' ' || coalesce(from_status, '-') || '>' || to_status, '|' order by id)
		from deposit_history`)
	testenv.Want(t, history, fmt.Sprintf("key:%d ->pending|operator:9 pending>confirmed", d.merchant.Caller.ID), "history")
}

func TestReject(t *testing.T) {
	d := newDesk(t)
	made := d.create(t, request(1))
	for _, wrong := range []*string{nil, new(" "), new(strings.Repeat("x", 256))} {
		dbtest.WantFields(t, testenv.ErrOf(d.service.Reject(t.Context(), operator, made.ID, wrong)), "reason")
	}
	after, err := d.service.Reject(t.Context(), operator, made.ID, new("nothing came"))
	testenv.Check(t, err == nil && after.Status == "rejected", "rejected %+v %v", after, err)
	dbtest.WantCode(t, testenv.ErrOf(d.service.Confirm(t.Context(), operator, made.ID)), "deposit_not_pending")
	d.wantBalance(t, "0")
	for _, unknown := range []int64{0, 1 << 50} {
		dbtest.WantCode(t, testenv.ErrOf(d.service.Confirm(t.Context(), operator, unknown)), "not_found")
	}
	d.create(t, request(2))
	list, _, err := d.service.List(t.Context(), operator, deposit.Page{Status: new("pending")})
	testenv.Check(t, err == nil && len(list) == 1 && list[0].Status == "pending", "pending: %+v %v", list, err)
	dbtest.WantFields(t, testenv.ErrOf2(d.service.List(t.Context(), operator, deposit.Page{Status: new("done")})), "status")
}

// Any key of the merchant reads what a cashbox has, and whose it is.
func TestBalance(t *testing.T) {
	d := newDesk(t)
	trader := d.NewTrader(t, dbtest.TraderOpts{}).ID
	d.Exec(t, "update cashbox set trader_cashbox_id = $1 where id = $2", trader, d.merchant.CashboxID)
	other := d.merchant.Caller
	other.Scopes, other.CashboxID = []string{}, nil
	for _, has := range []string{"0", "100.12345678"} {
		d.Fund(t, ledger.Available(ledger.Cashbox, d.merchant.CashboxID), has)
		b := testenv.Must(d.service.Balance(t.Context(), other, d.merchant.CashboxID))(t)
		testenv.Check(t, b.TraderCashboxID == trader && b.CashboxID == d.merchant.CashboxID, "the balance of %+v", b)
		got := fmt.Sprint(b.Total, " ", b.Available, " ", b.Reserved, " ", b.Insurance)
		testenv.Want(t, got, has+" "+has+" 0 0", "total, available, reserved and insurance")
	}
	d.Fund(t, ledger.Reserved(ledger.Cashbox, d.merchant.CashboxID), "20")
	b := testenv.Must(d.service.Balance(t.Context(), other, d.merchant.CashboxID))(t)
	testenv.Want(t, fmt.Sprint(b.Total, " ", b.Available, " ", b.Reserved), "120.12345678 100.12345678 20", "with what is reserved")
}

// A deposit into a cashbox whose accounts are gone is not confirmed.
func TestMissingAccountIsNotConfirmed(t *testing.T) {
	d := newDesk(t)
	made := d.create(t, request(1))
	d.Exec(t, "delete from account_balance where account_id in (select id from account where owner_kind = 'cashbox')")
	d.Exec(t, "delete from account where owner_kind = 'cashbox'")
	testenv.WantError(t, testenv.ErrOf(d.service.Confirm(t.Context(), operator, made.ID)), db.ErrMissing, "confirmed without an account")
	booked := d.Text(t, "select status || (select count(*) from account_pending) || (select count(*) from transfer) from deposit")
	testenv.Want(t, booked, "pending00", "the deposit, and what was booked")
}

// A user of a merchant's portal reads its deposits and balances, page by page,
// and asks for more. Who else may, and for whom, stands in access.txt and
// foreign.txt of internal/acceptance.
func TestOwn(t *testing.T) {
	d := newDesk(t)
	first, second := d.create(t, request(1)), d.create(t, request(2))
	owner := d.merchant.User(caller.Owner)
	page := deposit.OwnPage{CashboxID: &d.merchant.CashboxID}
	page.Limit = new(int32(1))
	for _, want := range []deposit.Deposit{second, first} {
		list, next, err := d.service.ListOwn(t.Context(), owner, page)
		testenv.Check(t, err == nil && len(list) == 1 && list[0].ID == want.ID &&
			(next == nil) == (want.ID == first.ID), "a page has %v and leads to %v: %v", list, next, err)
		page.Cursor = next
	}
	testenv.Must(d.service.History(t.Context(), owner, first.ID))(t)
	boxes := testenv.Must(d.service.Balances(t.Context(), owner))(t)
	testenv.Check(t, len(boxes) == 1 && boxes[0].Balance.CashboxID == boxes[0].ID, "balances: %v", boxes)
	again := request(2)
	again.CashboxID = &d.merchant.CashboxID
	created := testenv.Must(d.service.Create(t.Context(), owner, again))(t)
	testenv.Check(t, created.Replay && created.Deposit.ID == second.ID, "asked again: %+v", created)
}

// A key lists its merchant's deposits by any of the filters, as far as its
// scope has it.
func TestOwnByKey(t *testing.T) {
	d := newDesk(t)
	first := d.create(t, request(1))
	d.clock.Advance(time.Minute)
	second := d.create(t, request(2))
	minute := new(dbtest.Start.Add(time.Minute))
	for name, test := range map[string]struct {
		page deposit.OwnPage
		want []int64
	}{
		"all":             {deposit.OwnPage{}, []int64{second.ID, first.ID}},
		"pending":         {deposit.OwnPage{Page: deposit.Page{Status: new("pending")}}, []int64{second.ID, first.ID}},
		"confirmed":       {deposit.OwnPage{Page: deposit.Page{Status: new("confirmed")}}, nil},
		"since":           {deposit.OwnPage{Span: db.Span{From: minute}}, []int64{second.ID}},
		"before":          {deposit.OwnPage{Span: db.Span{To: minute}}, []int64{first.ID}},
		"by its key":      {deposit.OwnPage{IdempotencyKey: new(first.IdempotencyKey.String())}, []int64{first.ID}},
		"by no one's key": {deposit.OwnPage{IdempotencyKey: new("01890a5d-ac96-774b-bcce-b302099a8057")}, nil},
		"its key, later":  {deposit.OwnPage{IdempotencyKey: new(first.IdempotencyKey.String()), Span: db.Span{From: minute}}, nil},
	} {
		list, cursor, err := d.service.ListOwn(t.Context(), d.merchant.Caller, test.page)
		var got []int64
		for _, one := range list {
			got = append(got, one.ID)
		}
		testenv.Check(t, err == nil && cursor == nil && slices.Equal(got, test.want),
			"%s: %v, want %v: %v", name, got, test.want, err)
	}
	list, _, err := d.service.ListOwn(t.Context(), d.newMerchant(t).Caller, deposit.OwnPage{})
	testenv.Check(t, err == nil && len(list) == 0, "another merchant lists %v: %v", list, err)
}

// A merchant's list of deposits goes by their keys.
func TestOwnPlans(t *testing.T) {
	d := newDesk(t)
	d.create(t, request(1))
	d.Exec(t, `insert into deposit (merchant_id, cashbox_id, status, amount, network, address,
			idempotency_key, created_at, status_at)
		select merchant_id + n % 500, cashbox_id, 'rejected', 10, 'TRC20', 'T', gen_random_uuid(), created_at, status_at
		from deposit, generate_series(1, 20000) n`)
	d.Exec(t, "analyze deposit")
	all := db.DepositListOwnParams{MerchantID: d.merchant.ID, BeyondID: 1 << 62, Page: 51}
	one := all
	one.IdempotencyKey = pgtype.UUID{Bytes: uuid.New(), Valid: true}
	for index, params := range map[string]db.DepositListOwnParams{
		"Index Cond: (merchant_id = ": all, "(idempotency_key = '": one,
	} {
		plan := d.Plan(t, func(q *db.Queries) error { _, err := q.DepositListOwn(t.Context(), params); return err })
		testenv.Check(t, strings.Contains(plan, index) && !strings.Contains(plan, "Filter: (idempotency_key"),
			"not by %s:\n%s", index, plan)
	}
}

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	d := newDesk(t)
	dbtest.WantKinds(t, d.service, map[string]string{
		"merchant_key merchant_portal":          "Create ListOwn Name",
		"merchant_key merchant_portal operator": "Get History Search",
		"merchant_key":                          "Balance",
		"merchant_portal":                       "Balances",
		"operator":                              "Confirm ConfirmBy Reject List SetReceiving Ours Unmatched Matched Assign Nodes",
		"merchant_portal operator":              "ReceivingAddresses",
	})
}

// The end of a deposit is told once, with what came for it, where its cashbox
// has an address for that.
func TestDepositTells(t *testing.T) {
	n := newNetwork(t)
	quiet := n.asks(t, 1, "1")
	testenv.Must(n.service.Confirm(t.Context(), operator, quiet))(t)
	n.Exec(t, "update cashbox set deposit_callback_uri = 'https://shop.example/deposits'")
	paid, refused := n.asks(t, 2, "25.5"), n.asks(t, 3, "40")
	n.comes(t, 1, "25.5", "final")
	n.service.ConfirmSeen = true
	n.match(t)
	testenv.Must(n.service.Reject(t.Context(), operator, refused, new("nothing came")))(t)
	testenv.Want(t, dbtest.CodeOf(testenv.ErrOf(n.service.Reject(t.Context(), operator, refused, new("again")))), "deposit_not_pending", "again")
	told := n.Text(t, `select string_agg(concat_ws(' ', type, subject, subject_id, sequence, url,
		convert_from(body, 'UTF8')::jsonb - 'eventId' - 'createdAt'), E'\n' order by subject_id) from webhook_event`)
	want := fmt.Sprintf(`deposit.status.updated deposit %[1]d 1 https://shop.example/deposits {"data": {"id": %[1]d, `+
		`"amount": "25.50000000", "status": "CONFIRMED", "address": "%[3]s", "network": "TRC20", "currency": "USDT", `+
		`"idempotencyKey": "7d444840-9dc0-11d1-b245-5ffdce74f002", "transactionHash": "hash1", "externalReference": null, `+
		`"merchantCashboxId": %[4]d}, "meta": {"id": "%[1]d", "reason": null, "sequence": 1, "previousStatus": "PENDING"}, `+
		`"type": "deposit.status.updated"}
deposit.status.updated deposit %[2]d 1 https://shop.example/deposits {"data": {"id": %[2]d, `+
		`"amount": "40.00000000", "status": "REJECTED", "address": "%[3]s", "network": "TRC20", "currency": "USDT", `+
		`"idempotencyKey": "7d444840-9dc0-11d1-b245-5ffdce74f003", "transactionHash": null, "externalReference": null, `+
		`"merchantCashboxId": %[4]d}, "meta": {"id": "%[2]d", "reason": "nothing came", "sequence": 1, "previousStatus": "PENDING"}, `+
		`"type": "deposit.status.updated"}`, paid, refused, tron, n.merchant.CashboxID)
	testenv.Want(t, told, want, "events")
	list, _ := testenv.Must2(n.service.List(t.Context(), operator, deposit.Page{}))(t)
	testenv.Check(t, list[1].ID == paid && list[1].Transfer != nil && list[1].Transfer.Hash == "hash1", "an operator's list lacks %d's transfer", paid)
}
