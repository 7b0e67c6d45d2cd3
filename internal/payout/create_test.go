package payout_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
)

func TestCreateFreezes(t *testing.T) {
	b := setup(t)
	m, trader := b.merchant(t, "100", dbtest.MerchantOpts{}), b.trader(t)
	r := request("  order-1\t")
	r.Recipient, r.Code, r.BankName = " Ivan Petrov ", new("044525225"), new("Sberbank")
	r.UserID, r.UserIP = new("u-1"), new("2001:db8::1")
	p := b.create(t, m.Caller, r)
	if p.Status != "waiting" || p.OrderID != "order-1" || p.AddressMask != "•••• 4567" ||
		p.Recipient != "Ivan Petrov" || *p.Bank() != "044525225" || *p.BankName != "Sberbank" || *p.UserID != "u-1" || *p.UserIP != "2001:db8::1" || p.FrozenUSDT.String() != "10.2" || !p.ExpiresAt.Equal(dbtest.Start.Add(day)) {
		t.Errorf("created %+v", p)
	}
	testenv.Want(t, b.Text(t, "select spot_usdt::text from payin"), "10.00000000", "USDT at spot")
	b.wantMoney(t, m.CashboxID, trader.ID, money{"89.8", "10.2", "0", "0"})
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event"), 0, "events")
	// The bank is named by its code, else by its name.
	for order, code := range map[string]*string{"without a code": nil, "with an empty code": new("")} {
		r.OrderID, r.Code = order, code
		testenv.Want(t, *b.create(t, m.Caller, r).Bank(), "Sberbank", "%s the bank", order)
	}
	p = b.create(t, m.Caller, request("order-3"))
	testenv.Check(t, p.Bank() == nil, "without code and name the bank is %v", p.Bank())
}

// Whoever reads the database finds the last four digits of a requisite and no
// more.
func TestRequisiteIsSealed(t *testing.T) {
	b, m := withMerchant(t, "100")
	b.create(t, m.Caller, request("order-1"))
	row := b.Text(t, "select p::text || encode(p.address, 'escape') from payin p")
	for _, part := range []string{phone, phone[1:], phone[2:], "9001234"} {
		testenv.Check(t, !strings.Contains(row, part), "%s is in %s", part, row)
	}
	// Sealed for its own row: elsewhere it does not open, and the repeat
	// that must compare it fails.
	b.create(t, m.Caller, request("order-2"))
	b.Exec(t,
		"update payin set address = (select address from payin where order_id = 'order-1') where order_id = 'order-2'")
	_, err := b.payouts.Create(context.Background(), m.Caller, request("order-2"))
	testenv.Check(t, err != nil && fault.As(err) == nil, "a requisite moved to another row: %v", err)
}

func TestRepeat(t *testing.T) {
	b, m := withMerchant(t, "100")
	p := b.create(t, m.Caller, request("order-1"))
	for want, change := range map[string]func(*payout.Request){
		"":            func(r *payout.Request) { r.Code, r.Amount = new("other"), "1000.00" },
		"amount":      func(r *payout.Request) { r.Amount = "1000.01" },
		"callbackUri": func(r *payout.Request) { r.CallbackURI = "https://shop.example/other" },
		"address":     func(r *payout.Request) { r.Address = "+79001234568" },
		"recipient":   func(r *payout.Request) { r.Recipient = "Ivan Petrow" },
		"amount callbackUri address recipient": func(r *payout.Request) {
			r.Amount, r.CallbackURI, r.Address, r.Recipient = "1", "https://other.example/", "+79001234568", "X"
		},
	} {
		r := request("order-1")
		change(&r)
		again := testenv.Must(b.payouts.Create(context.Background(), m.Caller, r))(t)
		testenv.Check(t, again.Replay && again.Payout.UUID == p.UUID && strings.Join(again.Mismatch, " ") == want,
			"replay %t of %s differs in %v, want %s", again.Replay, again.Payout.UUID, again.Mismatch, want)
	}
	wrong := request("order-1")
	wrong.Amount = "1e3"
	dbtest.WantFields(t, testenv.ErrOf(b.payouts.Create(context.Background(), m.Caller, wrong)), "amount")
	// What is refused now was not when the payout was made; another method
	// has the order id to itself.
	b.Exec(t, "update cashbox_payout_method set enabled = false where method = 'sbp'")
	b.Exec(t, "delete from rate")
	again, err := b.payouts.Create(context.Background(), m.Caller, request("order-1"))
	testenv.Check(t, err == nil && again.Payout.UUID == p.UUID, "a repeat after the method went off: %v", err)
	b.SetRate(t, "RUB", "100", true)
	card := request("order-1")
	card.Method, card.Address = "c2c", "4111111111111111"
	other := b.create(t, m.Caller, card)
	testenv.Check(t, other.UUID != p.UUID && other.AddressMask == "•••• 1111", "another method: %+v", other)
	b.Audit(t)
}

func TestParallelRepeatsMakeOne(t *testing.T) {
	b, m := withMerchant(t, "1000")
	const calls = 50
	answers := make([]payout.Created, calls)
	testenv.NoError(t, testenv.AtOnce(calls, func(i int) (err error) {
		answers[i], err = b.payouts.Create(context.Background(), m.Caller, request("order-1"))
		return err
	})...)
	fresh := 0
	for i, answer := range answers {
		testenv.Want(t, answer.Payout.UUID, answers[0].Payout.UUID, "call %d made another", i)
		if !answer.Replay {
			fresh++
		}
	}
	testenv.Want(t, fresh, 1, "answers are no replay")
	b.wantMoney(t, m.CashboxID, b.trader(t).ID, money{"989.8", "10.2", "0", "0"})
}

// 200 payouts at once on a balance for 50 freeze exactly 50.
func TestParallelPayoutsFreezeWhatIsThere(t *testing.T) {
	b, m := withMerchant(t, "510")
	errs := testenv.AtOnce(200, func(i int) error {
		return testenv.ErrOf(b.payouts.Create(context.Background(), m.Caller, request(fmt.Sprintf("order-%d", i))))
	})
	testenv.Want(t, dbtest.Through(t, errs, "insufficient_cashbox_balance"), 50, "payouts made")
	testenv.Want(t, b.Count(t, "select count(*) from payin"), 50, "payouts stored")
	testenv.Want(t, b.Count(t, "select count(*) from payin_key"), 50, "order ids taken")
	b.wantMoney(t, m.CashboxID, b.trader(t).ID, money{"0", "510", "0", "0"})
}

// Refusals, in the order in which they are looked for. None takes the order id.
func TestRefusals(t *testing.T) {
	b, m := withMerchant(t, "10.19999999")
	ask := func(who caller.Caller, r payout.Request) error {
		return testenv.ErrOf(b.payouts.Create(context.Background(), who, r))
	}
	without := m.Caller
	without.Scopes = []string{caller.ScopePayments, caller.ScopeDeposits}
	// What a key may do is settled before anything of the body.
	dbtest.WantCode(t, ask(without, payout.Request{}), "merchant_external_payins_disabled")
	dbtest.WantCode(t, ask(m.Caller, request("order-1")), "insufficient_cashbox_balance")
	b.Exec(t, "update cashbox_payout_method set enabled = false")
	dbtest.WantFields(t, ask(m.Caller, request("order-1")), "method")
	b.Exec(t, "update cashbox set currency = 'AZN'")
	dbtest.WantFields(t, ask(m.Caller, request("order-1")), "currency")
	b.Exec(t, "update cashbox_payout_method set enabled = true")
	b.Exec(t, "update cashbox set currency = 'RUB'")
	b.Exec(t, "delete from rate")
	dbtest.WantCode(t, ask(m.Caller, request("order-1")), "rate_unavailable")
	// The last known rate will do.
	b.SetRate(t, "RUB", "100", false)
	b.Fund(t, ledger.Available(ledger.Cashbox, m.CashboxID), "0.00000001")
	b.create(t, m.Caller, request("order-1"))
	b.wantMoney(t, m.CashboxID, b.trader(t).ID, money{"0", "10.2", "0", "0"})
}

// An unbound key pays from the merchant's first cashbox that can.
func TestUnboundKey(t *testing.T) {
	b := setup(t)
	m := b.merchant(t, "100", dbtest.MerchantOpts{Unbound: true})
	testenv.Want(t, b.create(t, m.Caller, request("order-1")).CashboxID, m.CashboxID, "paid from")
	b.Exec(t, "update cashbox_payout_method set enabled = false")
	dbtest.WantFields(t, testenv.ErrOf(b.payouts.Create(context.Background(), m.Caller, request("order-2"))), "currency")
}

// Each field that is wrong is named, no requisite is told of, and nothing is
// stored. The bodies are those of wrong.txt in internal/acceptance.
func TestValidation(t *testing.T) {
	b, m := withMerchant(t, "1000000")
	long := strings.Repeat("ж", 256)
	everything := payout.Request{
		OrderID: long, Amount: "0.99", Currency: "USD", CallbackURI: "http://shop.example/", Method: "iban", Address: "x",
		Recipient: long, Code: &long, BankName: &long, UserID: &long, UserIP: new("1.2.3"),
	}
	for fields, change := range map[string]func(*payout.Request){
		"orderId amount currency callbackUri method recipient code bankName userId userIp": func(r *payout.Request) { *r = everything },
		"address": func(r *payout.Request) { r.Address = "4111111111111111" },
	} {
		r := request("order-1")
		change(&r)
		err := testenv.ErrOf(b.payouts.Create(t.Context(), m.Caller, r))
		dbtest.WantFields(t, err, strings.Fields(fields)...)
		testenv.Check(t, !strings.Contains(fmt.Sprint(fault.As(err).Fields), r.Address) || len(r.Address) <= 1,
			"the requisite is in %v", fault.As(err).Fields)
	}
	testenv.Want(t, b.Count(t, "select (select count(*) from payin) + (select count(*) from payin_key)"), 0, "rows")
	account := request("order-1")
	account.Method, account.Address, account.UserIP = "c2c", "40817810099910004312", new("203.0.113.9")
	account.Recipient, account.Amount = strings.Repeat("ж", 255), "1"
	p := b.create(t, m.Caller, account)
	// 1 / 100 × 1.02
	testenv.Want(t, p.AddressMask+" "+p.FrozenUSDT.String(), "•••• 4312 0.0102", "an account")
}

// What waits is on the desks of all who can pay it, and what is taken on one.
func TestPayoutsOfDesks(t *testing.T) {
	b, m := withMerchant(t, "1000")
	first, second, card := b.trader(t, "sbp"), b.trader(t, "sbp", "c2c"), b.trader(t, "c2c")
	ids := []int64{first.ID, second.ID, card.ID}
	var payins []payout.Payout
	last := b.stamps(t, ids)
	step := func(name string, do func(), changed ...bool) {
		t.Helper()
		do()
		now := b.stamps(t, ids)
		for i, id := range ids {
			testenv.Want(t, now[id] != last[id], changed[i], "%s: desk %d has changed", name, i)
		}
		last = now
	}
	step("nothing", func() {}, false, false, false)
	step("two wait", func() {
		payins = append(payins, b.create(t, m.Caller, request("a")), b.create(t, m.Caller, request("b")))
	}, true, true, false)
	b.wantCounts(t, first, 0, 2, 100)
	b.wantCounts(t, first, 0, 1, 1)
	b.wantCounts(t, card, 0, 0, 100)
	step("one is taken", func() { b.take(t, first, payins[0]) }, true, true, false)
	b.wantCounts(t, first, 1, 1, 100)
	b.wantCounts(t, second, 0, 1, 100)
	step("and ended", func() { testenv.Must(b.payouts.Fail(t.Context(), first.Caller, id(payins[0]), nil))(t) }, true, false, false)
	step("cancelled", func() { testenv.Must(b.payouts.Cancel(t.Context(), m.Caller, id(payins[1])))(t) }, true, true, false)
	b.wantCounts(t, second, 0, 0, 100)
	b.create(t, m.Caller, request("c"))
	last = b.stamps(t, ids)
	step("off", func() {
		b.Exec(t, "update trader_payout_method set enabled = false where trader_id = $1", first.ID)
	}, true, false, false)
	b.wantCounts(t, first, 0, 0, 100)
	step("trader off", func() { b.Exec(t, "update trader set enabled = false where id = $1", second.ID) }, false, true, false)
	b.wantCounts(t, second, 0, 0, 100)
	nobody := first.Caller
	nobody.Role = ""
	dbtest.WantCode(t, testenv.ErrOf(b.payouts.DeskCounts(t.Context(), nobody, 100)), "role_not_allowed")
	dbtest.WantCode(t, testenv.ErrOf(b.payouts.Desk(t.Context(), nobody, "")), "role_not_allowed")
}

func (b *bundle) stamps(t *testing.T, ids []int64) map[int64]uint64 {
	t.Helper()
	got := testenv.Must(b.payouts.DeskStamps(t.Context(), ids))(t)
	testenv.Need(t, len(got) == len(ids), "%d stamps of %d", len(got), len(ids))
	return got
}

func (b *bundle) wantCounts(t *testing.T, trader dbtest.Trader, taken, waiting int, most int32) {
	t.Helper()
	who := trader.Caller
	who.Role = caller.Desk
	got := testenv.Must(b.payouts.DeskCounts(t.Context(), who, most))(t)
	testenv.Want(t, got, payout.DeskCounts{Taken: taken, Waiting: waiting}, "counted")
	desk := testenv.Must(b.payouts.Desk(t.Context(), who, ""))(t)
	testenv.Check(t, most != 100 || len(desk.Taken) == taken && len(desk.Waiting) == waiting,
		"the desk has %d and %d, want %d and %d", len(desk.Taken), len(desk.Waiting), taken, waiting)
}

// A key asks for payouts up to its limit of a day, and a cashbox pays out
// between its least and greatest amounts: a key that is lost empties no
// cashbox.
func TestPayoutBounds(t *testing.T) {
	b, m := withMerchant(t, "1000")
	of := func(order, amount string) payout.Request {
		r := request(order)
		r.Amount = amount
		return r
	}
	b.Exec(t, "update api_key set payout_daily_limit = 2500 where id = $1", m.Caller.ID)
	b.create(t, m.Caller, of("first", "1000"))
	dbtest.WantCode(t, testenv.ErrOf(b.payouts.Create(t.Context(), m.Caller, of("too much at once", "2500.01"))), "key_payout_limit")
	again, err := b.payouts.Create(t.Context(), m.Caller, of("first", "1000")) // a repeat counts once
	testenv.Check(t, err == nil && again.Replay, "a repeat: %+v, %v", again, err)
	b.create(t, m.Caller, of("second", "1500"))
	dbtest.WantCode(t, testenv.ErrOf(b.payouts.Create(t.Context(), m.Caller, of("third", "1"))), "key_payout_limit")
	b.clock.Advance(24 * time.Hour) // a day begins with what no row counts yet
	dbtest.WantCode(t, testenv.ErrOf(b.payouts.Create(t.Context(), m.Caller, of("third", "2500.01"))), "key_payout_limit")
	b.create(t, m.Caller, of("third", "1000"))

	b.Exec(t, "update cashbox_payout_method set min_amount = 100, max_amount = 1200")
	for _, amount := range []string{"99.99", "1200.01"} {
		_, err := b.payouts.Create(t.Context(), m.Caller, of("bounded", amount))
		f := fault.As(err)
		testenv.Check(t, f != nil && f.Fields["amount"] != nil, "%s: %v", amount, err)
	}
	b.create(t, m.Caller, of("bounded", "1200"))
	b.create(t, m.Caller, of("the least", "100"))
	testenv.Want(t, b.Count(t, "select count(*) from payin"), 5, "payouts")
}

// A payout of a cashbox whose accounts are gone leaves nothing: neither its
// creation nor, of one that was made before, its completion.
func TestMissingAccountsLeaveNothing(t *testing.T) {
	b := setup(t)
	m, trader := b.merchant(t, "100", dbtest.MerchantOpts{}), b.trader(t, "sbp")
	made := b.create(t, m.Caller, request("made"))
	b.take(t, trader, made)
	state := func() string {
		return b.Text(t, `select concat_ws(' ', (select string_agg(status, ',') from payin),
			(select count(*) from payin_key), (select count(*) from payin_history), (select count(*) from transfer),
			(select count(*) from account_pending), (select count(*) from webhook_event))`)
	}
	before := state()
	const gone = "owner_kind in ('cashbox', 'trader')"
	b.Exec(t, "delete from account_balance where account_id in (select id from account where "+gone+")")
	b.Exec(t, "delete from account where "+gone)
	testenv.WantError(t, testenv.ErrOf(b.payouts.Create(t.Context(), m.Caller, request("new"))), db.ErrMissing, "a payout without accounts")
	testenv.WantError(t, testenv.ErrOf(b.payouts.Complete(t.Context(), trader.Caller, id(made), new("proof"))), db.ErrMissing,
		"a completion without accounts")
	testenv.Want(t, state(), before, "what is stored")
}

// Nothing is paid out to who or what is blocked; the field that it came in is
// wrong.
func TestBlockedRecipient(t *testing.T) {
	b := setup(t)
	b.payouts.Requisites = dbtest.Requisites()
	m := b.merchant(t, "100", dbtest.MerchantOpts{})
	settings := directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	admin := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	soon := b.clock.Now().Add(time.Minute)
	for _, n := range []directory.NewBlock{ // that are none of the recipient here and now
		{Kind: "user", Value: "u-2"}, {Kind: "user", Value: "u-1", Until: &soon},
		{Kind: "user", Value: "u-1", MerchantID: b.merchant(t, "100", dbtest.MerchantOpts{}).ID},
	} {
		n.Reason = "fraud"
		testenv.Must(settings.BlockPayer(t.Context(), admin, n))(t)
	}
	b.clock.Advance(time.Minute)
	for field, n := range map[string]directory.NewBlock{
		"address": {Kind: "requisite", Value: "+7 900 123 45 67"}, "userId": {Kind: "user", Value: "u-1", MerchantID: m.ID},
		"userIp": {Kind: "address", Value: "2001:db8::1"},
	} {
		n.Reason = "fraud"
		made := testenv.Must(settings.BlockPayer(t.Context(), admin, n))(t)
		r := request(field)
		r.UserID, r.UserIP = new("u-1 "), new("2001:DB8:0::2")
		dbtest.WantFields(t, testenv.ErrOf(b.payouts.Create(t.Context(), m.Caller, r)), field)
		testenv.Must(settings.UnblockPayer(t.Context(), admin, made.ID, "tried"))(t)
		b.create(t, m.Caller, r)
	}
	testenv.Want(t, b.Count(t, "select count(*) from payin"), 3, "payouts")
}

// A payout beside another of the same order id waits for it, also for longer
// than a lock is waited for, and answers with the other's payout.
func TestTwinWaits(t *testing.T) {
	b, merchant := withMerchant(t, "100")
	first := b.create(t, merchant.Caller, request("first"))
	impatient := b.Open(t, 2, db.ForCreations)
	service := payout.New(db.OnePool(impatient), b.clock, dbtest.Vault(), outbound.NewAddresses(false), foureyes.Rules{})
	winner := b.Beside(t)
	testenv.Must(winner.Exec(t.Context(),
		"insert into payin_key (merchant_id, channel, order_id, payin_id) values ($1, 'sbp', 'order', $2)",
		merchant.ID, first.ID))(t)
	ended := make(chan error, 1)
	var twin payout.Created
	go func() {
		var err error
		twin, err = service.Create(context.WithoutCancel(t.Context()), merchant.Caller, request("order"))
		ended <- err
	}()
	b.AwaitTries(t, 3)
	testenv.NoError(t, winner.Commit(t.Context()))
	testenv.NoError(t, <-ended)
	testenv.Check(t, twin.Replay && twin.Payout.ID == first.ID, "replay %v of payout %d", twin.Replay, twin.Payout.ID)
}
