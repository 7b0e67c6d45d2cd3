package deposit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/fault"
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

func newDesk(t *testing.T) *desk {
	t.Helper()
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
	if err != nil || created.Replay {
		t.Fatalf("create: %v, replay %v", err, created.Replay)
	}
	return created.Deposit
}

func (d *desk) wantBalance(t *testing.T, available, reserved string) {
	t.Helper()
	for account, want := range map[ledger.Account]string{
		ledger.Available(ledger.Cashbox, d.merchant.CashboxID): available, ledger.Reserved(ledger.Cashbox, d.merchant.CashboxID): reserved,
	} {
		if got := d.Balance(t, account); !got.Equal(decimal.RequireFromString(want)) {
			t.Errorf("reserved=%v is %s, want %s", account.Reserved, got, want)
		}
	}
	d.Audit(t)
}

func TestDepositRepeats(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := context.Background()
	r := request(1)
	r.ExternalReference, r.Currency = new(strings.Repeat("ж", 256)), new("USDT")
	first := d.create(t, r)
	if first.Status != "pending" || first.CashboxID != d.merchant.CashboxID || first.Amount.String() != "25.5" ||
		!first.StatusAt.Equal(dbtest.Start) {
		t.Errorf("created %+v", first)
	}
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
		again, err := d.service.Create(ctx, d.merchant.Caller, repeat)
		if err != nil || !again.Replay || again.Deposit.ID != first.ID || strings.Join(again.Mismatch, " ") != want {
			t.Errorf("%s: %+v %v", want, again, err)
		}
	}
	// The same key for another cashbox of the merchant is a conflict; another merchant has the key
	// to itself.
	second := d.secondCashbox(t)
	conflict := request(1)
	conflict.CashboxID = &second
	_, err := d.service.Create(ctx, d.merchant.Caller, conflict)
	wantFault(t, err, "idempotency_key_conflict")
	stranger := d.newMerchant(t)
	if other, err := d.service.Create(ctx, stranger.Caller, request(1)); err != nil || other.Replay {
		t.Errorf("another merchant: %+v %v", other, err)
	}
	testenv.Want(t, d.rows(t), 2, "deposits")
}

func (d *desk) rows(t *testing.T) int {
	t.Helper()
	rows := d.Count(t, "select count(*) from deposit")
	return rows
}

func (d *desk) secondCashbox(t *testing.T) int64 {
	t.Helper()
	var id int64
	err := d.Pool.QueryRow(context.Background(), `insert into cashbox (merchant_id, name, currency, webhook_secret, created_at)
		select merchant_id, 'Second', currency, webhook_secret, created_at from cashbox where id = $1 returning id`, d.merchant.CashboxID).
		Scan(&id)
	noError(t, err)
	noError(t, ledger.Open(t.Context(), d.Queries(), ledger.Cashbox, id))
	return id
}

func TestParallelDepositsMakeOne(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var calling sync.WaitGroup
	fresh := make([]bool, 30)
	for i := range fresh {
		calling.Go(func() {
			created, err := d.service.Create(context.Background(), d.merchant.Caller, request(1))
			if err != nil {
				t.Error(err)
			}
			fresh[i] = !created.Replay
		})
	}
	calling.Wait()
	made := 0
	for _, first := range fresh {
		if first {
			made++
		}
	}
	if made != 1 || d.rows(t) != 1 {
		t.Errorf("%d made, %d rows", made, d.rows(t))
	}
}

func TestDepositAccess(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := context.Background()
	made := d.create(t, request(1))
	stranger := d.newMerchant(t)
	without := d.merchant.Caller
	without.Scopes = []string{caller.ScopePayments, caller.ScopePayouts}
	ask := func(who caller.Caller, r deposit.Request) error {
		_, err := d.service.Create(ctx, who, r)
		return err
	}
	// All of this is settled before the body, which is invalid here.
	wantFault(t, ask(without, deposit.Request{}), "merchant_scope_required")
	wantFault(t, ask(d.merchant.Caller, deposit.Request{CashboxID: &stranger.CashboxID}), "cashbox_access_denied")
	for _, unknown := range []int64{0, -1, 1 << 50} {
		wantFault(t, ask(d.merchant.Caller, deposit.Request{CashboxID: &unknown}), "not_found")
	}
	unbound := d.merchant.Caller
	unbound.CashboxID = nil
	wantFields(t, ask(unbound, request(2)), "merchantCashboxId")
	named := request(2)
	named.CashboxID = &d.merchant.CashboxID
	if err := ask(unbound, named); err != nil {
		t.Error(err)
	}
	for id, want := range map[int64]string{0: "not_found", -1: "not_found", 1 << 50: "not_found"} {
		_, err := d.service.Get(ctx, d.merchant.Caller, id)
		wantFault(t, err, want)
	}
	_, err := d.service.Get(ctx, stranger.Caller, made.ID)
	wantFault(t, err, "cashbox_access_denied")
	_, err = d.service.Get(ctx, without, made.ID)
	wantFault(t, err, "merchant_scope_required")
	if got, err := d.service.Get(ctx, d.merchant.Caller, made.ID); err != nil ||
		got.IdempotencyKey != made.IdempotencyKey {
		t.Errorf("read %+v %v", got, err)
	}
	for _, who := range []caller.Caller{d.merchant.Caller, {Kind: caller.Trader, Role: caller.Owner, TraderID: 1}, {Kind: caller.MerchantPortal, Role: caller.Owner, MerchantID: d.merchant.ID}} {
		_, err := d.service.Confirm(ctx, who, made.ID)
		wantFault(t, err, "token_kind_not_allowed")
		_, err = d.service.Reject(ctx, who, made.ID, nil)
		wantFault(t, err, "token_kind_not_allowed")
	}
}

func TestDepositValidation(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	long := strings.Repeat("ж", 257)
	for name, c := range map[string]struct {
		change func(*deposit.Request)
		wrong  []string
	}{
		"nothing": {func(r *deposit.Request) { *r = deposit.Request{} }, []string{"amount", "network", "address", "idempotencyKey"}},
		"everything": {func(r *deposit.Request) {
			*r = deposit.Request{
				Amount: "0", Network: "SOLANA", Currency: new("USDC"), Address: tron, ExternalReference: &long, IdempotencyKey: "x",
			}
		}, []string{"amount", "network", "currency", "externalReference", "idempotencyKey"}},
		"nothing at all":     {func(r *deposit.Request) { r.Amount = "0.00000000" }, []string{"amount"}},
		"nine decimals":      {func(r *deposit.Request) { r.Amount = "1.000000001" }, []string{"amount"}},
		"a minus":            {func(r *deposit.Request) { r.Amount = "-1" }, []string{"amount"}},
		"thirteen digits":    {func(r *deposit.Request) { r.Amount = "1000000000000" }, []string{"amount"}},
		"small letters":      {func(r *deposit.Request) { r.Network = "trc20" }, []string{"network"}},
		"of another network": {func(r *deposit.Request) { r.Network = "BEP20" }, []string{"address"}},
		"empty currency":     {func(r *deposit.Request) { r.Currency = new("") }, []string{"currency"}},
		"key in braces":      {func(r *deposit.Request) { r.IdempotencyKey = "{" + r.IdempotencyKey + "}" }, []string{"idempotencyKey"}},
		"key without dashes": {func(r *deposit.Request) { r.IdempotencyKey = strings.ReplaceAll(r.IdempotencyKey, "-", "") }, []string{"idempotencyKey"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(1)
			c.change(&r)
			_, err := d.service.Create(context.Background(), d.merchant.Caller, r)
			wantFields(t, err, c.wrong...)
		})
	}
	testenv.Want(t, d.rows(t), 0, "deposits")
	edge := request(2)
	edge.Amount = "999999999999.99999999"
	if made := d.create(t, edge); made.Amount.String() != edge.Amount {
		t.Errorf("the greatest amount became %s", made.Amount)
	}
	least := request(3)
	least.Amount = "0.00000001"
	d.create(t, least)
}

// Eight confirmations at once credit once; then nothing changes the deposit any more.
func TestConfirm(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := context.Background()
	made := d.create(t, request(1))
	d.clock.Advance(time.Minute)
	var confirming sync.WaitGroup
	failed := make([]error, 8)
	for i := range failed {
		confirming.Go(func() { _, failed[i] = d.service.Confirm(ctx, operator, made.ID) })
	}
	confirming.Wait()
	done := 0
	for _, err := range failed {
		if err == nil {
			done++
		} else {
			wantFault(t, err, "deposit_not_pending")
		}
	}
	testenv.Want(t, done, 1, "confirmations that did it")
	d.wantBalance(t, "25.5", "0")
	_, err := d.service.Reject(ctx, operator, made.ID, nil)
	wantFault(t, err, "deposit_not_pending")
	after, err := d.service.Get(ctx, d.merchant.Caller, made.ID)
	if err != nil || after.Status != "confirmed" || !after.StatusAt.Equal(dbtest.Start.Add(time.Minute)) {
		t.Errorf("afterwards %+v %v", after, err)
	}
	var history string
	err = d.Pool.QueryRow(ctx, `select string_agg(actor || ' ' || coalesce(from_status, '-') || '>' || to_status, '|' order by id)
		from deposit_history`).
		Scan(&history)
	if want := fmt.Sprintf("key:%d ->pending|operator:9 pending>confirmed", d.merchant.Caller.ID); err != nil ||
		history != want {
		t.Errorf("history %s (%v), want %s", history, err, want)
	}
}

func TestReject(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := context.Background()
	made := d.create(t, request(1))
	_, err := d.service.Reject(ctx, operator, made.ID, new(strings.Repeat("x", 256)))
	wantFields(t, err, "reason")
	after, err := d.service.Reject(ctx, operator, made.ID, new("nothing came"))
	if err != nil || after.Status != "rejected" {
		t.Errorf("rejected %+v %v", after, err)
	}
	_, err = d.service.Confirm(ctx, operator, made.ID)
	wantFault(t, err, "deposit_not_pending")
	d.wantBalance(t, "0", "0")
	for _, unknown := range []int64{0, 1 << 50} {
		_, err := d.service.Confirm(ctx, operator, unknown)
		wantFault(t, err, "not_found")
	}
	d.create(t, request(2))
	list, _, err := d.service.List(ctx, operator, deposit.Page{Status: new("pending")})
	if err != nil || len(list) != 1 || list[0].Status != "pending" {
		t.Errorf("pending: %+v %v", list, err)
	}
	_, _, err = d.service.List(ctx, operator, deposit.Page{Status: new("done")})
	wantFields(t, err, "status")
	_, _, err = d.service.List(ctx, d.merchant.Caller, deposit.Page{})
	wantFault(t, err, "token_kind_not_allowed")
}

var (
	noError    = testenv.NoError
	wantFields = dbtest.WantFields
)

func (d *desk) bridge(t *testing.T) int64 {
	t.Helper()
	trader := d.NewTrader(t, dbtest.TraderOpts{})
	err := d.Queries().
		CashboxUpdate(context.Background(), db.CashboxUpdateParams{ID: d.merchant.CashboxID, SetBridge: true, TraderCashboxID: &trader.ID})
	noError(t, err)
	return trader.ID
}

// balance is total, available, reserved and insurance, as the merchant reads them.
func (d *desk) balance(t *testing.T) string {
	t.Helper()
	b, err := d.service.Balance(context.Background(), d.merchant.Caller, d.merchant.CashboxID)
	noError(t, err)
	return fmt.Sprint(b.Total, " ", b.Available, " ", b.Reserved, " ", b.Insurance)
}

func TestBalance(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := context.Background()
	read := func(who caller.Caller, id int64) error {
		_, err := d.service.Balance(ctx, who, id)
		return err
	}
	// Whose it is comes before what it lacks.
	stranger := d.newMerchant(t)
	wantFault(t, read(stranger.Caller, d.merchant.CashboxID), "cashbox_access_denied")
	wantFault(t, read(d.merchant.Caller, d.merchant.CashboxID), "cashbox_without_trader_bridge")
	for _, unknown := range []int64{0, -1, 1 << 50} {
		wantFault(t, read(d.merchant.Caller, unknown), "not_found")
	}
	wantFault(t, read(operator, d.merchant.CashboxID), "token_kind_not_allowed")
	trader := d.bridge(t)
	// Any key of the merchant may.
	other := d.merchant.Caller
	other.Scopes, other.CashboxID = []string{}, nil
	if b, err := d.service.Balance(ctx, other, d.merchant.CashboxID); err != nil || b.TraderCashboxID != trader ||
		b.CashboxID != d.merchant.CashboxID {
		t.Errorf("another key: %+v %v", b, err)
	}
	testenv.Want(t, d.balance(t), "0 0 0 0", "the balance at first")
	d.Fund(t, ledger.Available(ledger.Cashbox, d.merchant.CashboxID), "100.12345678")
	testenv.Want(t, d.balance(t), "100.12345678 100.12345678 0 0", "the balance when funded")
}

// wantFault wants a fault of the code.
func wantFault(t *testing.T, err error, code string) {
	t.Helper()
	if f := fault.As(err); f == nil || f.Code != code {
		t.Errorf("%v, want %s", err, code)
	}
}

// A deposit into a cashbox whose accounts are gone is not confirmed.
func TestMissingAccountIsNotConfirmed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	made := d.create(t, request(1))
	d.Exec(t, "delete from account_balance where account_id in (select id from account where owner_kind = 'cashbox')")
	d.Exec(t, "delete from account where owner_kind = 'cashbox'")
	if _, err := d.service.Confirm(t.Context(), operator, made.ID); !errors.Is(err, db.ErrMissing) {
		t.Errorf("confirmed without an account: %v", err)
	}
	testenv.Want(
		t,
		d.Text(
			t,
			"select status || (select count(*) from account_pending) || (select count(*) from transfer) from deposit",
		),
		"pending00",
		"the deposit, and what was booked",
	)
}
